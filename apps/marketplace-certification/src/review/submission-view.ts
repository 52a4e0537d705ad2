import type { SubmissionView } from './review.dto.js';
import type { ReviewedSubmission } from './review.repository.js';

/** A submission as operators see it. While it is in review, only a claim that has not lapsed is shown. */
export function viewOf(submission: ReviewedSubmission): SubmissionView {
  const { status, isClaimed, claimedBy, claimedUntil } = submission;
  return {
    id: submission.id,
    appKey: submission.appKey,
    version: submission.version,
    versionStatus: status,
    publisher: { tenantId: submission.tenantId, name: submission.publisherName },
    submittedAt: submission.submittedAt.toISOString(),
    claimedBy: status === 'in_review' && !isClaimed ? null : claimedBy,
    claimedUntil: isClaimed && claimedUntil ? claimedUntil.toISOString() : null,
    verdict: submission.verdict,
    certification: { ...submission.certification },
  };
}
