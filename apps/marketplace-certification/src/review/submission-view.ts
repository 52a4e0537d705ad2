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

/** Bytes of JSON in one answer: certifications with many findings are long. */
const ANSWER_BYTES = 900_000;

/**
 * Shortens the queue to what fits into one answer: with complete certifications if possible; otherwise only with the
 * checks that did not pass, without their findings; and if that is still too long, without the end of the queue.
 * @param budget bytes of JSON
 */
export function fitQueue(submissions: readonly SubmissionView[], budget = ANSWER_BYTES): SubmissionView[] {
  if (bytesOf(submissions) <= budget) return [...submissions];
  const fitting: SubmissionView[] = [];
  let used = 0;
  for (const submission of submissions.map(shortened)) {
    used += bytesOf(submission) + 1;
    if (used > budget) break;
    fitting.push(submission);
  }
  return fitting;
}

function shortened(submission: SubmissionView): SubmissionView {
  const { checks, ...rest } = submission.certification as { checks?: unknown };
  const open = (Array.isArray(checks) ? (checks as Record<string, unknown>[]) : [])
    .filter(({ status }) => status !== 'pass')
    .map((check) => ({ ...check, findings: [] }));
  return { ...submission, certification: { ...rest, checks: open } };
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
