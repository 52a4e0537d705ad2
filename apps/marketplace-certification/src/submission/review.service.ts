import type { Principal } from '@crm/context';
import { PlatformError, type ReviewDecision, type SubmissionView, type VersionStatus } from '@crm/contracts';
import { Database, type NarrowTransaction } from '@crm/database';
import { compareVersions, type Manifest } from '@crm/manifest';
import { Injectable } from '@nestjs/common';
import { EmbedCredentialService } from '../embed-credential/embed-credential.service.js';
import { WebhookSecretService } from '../webhook-secret/webhook-secret.service.js';
import { listingOf } from './listing-of.js';
import { openWarnings } from './open-warnings.js';
import { PackageRepository } from './package.repository.js';

import { fitQueue } from './review-queue.js';
import { storedText } from './stored-text.js';
import type { ReviewedSubmission } from './submission.js';
import { SubmissionRepository } from './submission.repository.js';
import { nextStatus, reasonRequired } from './version-state.js';

/** Longest answer of the review queue; what comes behind comes up when what is before it has been decided. */
const QUEUE_LIMIT = 500;

/** What operators do with submissions. Every decision leaves a line in the trail: who, when, why. */
@Injectable()
export class ReviewService {
  constructor(
    private readonly database: Database,
    private readonly submissions: SubmissionRepository,
    private readonly packages: PackageRepository,
    private readonly secrets: WebhookSecretService,
    private readonly embeds: EmbedCredentialService,
  ) {}

  /** @throws PlatformError FORBIDDEN when the caller is no operator */
  async list(operator: Principal | undefined, status?: VersionStatus): Promise<SubmissionView[]> {
    assertOperator(operator);
    const found = await this.database.crossTenant((tx) => this.submissions.listForReview(tx, status, QUEUE_LIMIT));
    return fitQueue(found.map(viewOf));
  }

  /**
   * @param reason why; needed to refuse, and to publish with open warnings
   * @throws PlatformError FORBIDDEN, NOT_FOUND, OWN_SUBMISSION, SUBMISSION_STATE, VALIDATION_FAILED; SERVICE_UNAVAILABLE or
   *   DEADLINE_EXCEEDED, and nothing is published, when identity cannot be told what the version says of embedding
   */
  async decide(
    operator: Principal | undefined,
    submissionId: string,
    decision: ReviewDecision,
    reason?: string,
  ): Promise<SubmissionView> {
    assertOperator(operator);
    const why = storedText(reason?.trim() ?? '', 2000) || undefined;
    return this.database.crossTenant(async (tx) => {
      const submission = await this.lock(tx, submissionId);
      if (operator.tenantId && operator.tenantId === submission.tenantId) throw new PlatformError('OWN_SUBMISSION');
      assertClaim(submission, operator, decision, why);
      const to = nextStatus(submission.status, decision, 'operator', why);
      const manifest = decision === 'publish' ? await this.publish(tx, submission, operator, why) : undefined;
      await this.submissions.changeStatus(
        tx,
        submission.id,
        to,
        decision === 'claim' ? { claimedBy: operator.userId } : { verdict: why ?? to },
      );
      await this.submissions.audit(tx, {
        submissionId,
        actorKind: 'operator',
        actorId: operator.userId,
        action: decision,
        from: submission.status,
        to,
        reason: why,
      });
      // Last, when nothing of ours can fail any more but the commit; a publication that is tried again hands it over again.
      // Also of a version that does not embed: what the one before allowed ends.
      if (manifest) await this.embeds.follow(submission.tenantId, submission.appKey, manifest.embed);
      const decided = await this.submissions.find(tx, submissionId);
      return viewOf(decided as ReviewedSubmission);
    });
  }

  /** Locks the app before its version, in the order that submitting does. */
  private async lock(tx: NarrowTransaction, id: string): Promise<ReviewedSubmission> {
    const seen = await this.submissions.find(tx, id);
    if (!seen) throw new PlatformError('NOT_FOUND');
    await this.submissions.lockApp(tx, seen.appKey);
    return (await this.submissions.find(tx, id, true)) as ReviewedSubmission;
  }

  /** The older published version makes room, the listing shows the new one, and webhooks can be signed from now on. */
  private async publish(
    tx: NarrowTransaction,
    submission: ReviewedSubmission,
    operator: Principal,
    reason: string | undefined,
  ): Promise<Manifest> {
    if (!reason && openWarnings(submission.certification).length > 0) {
      throw reasonRequired('The certification has open warnings: to publish, say why.');
    }
    const published = (await this.submissions.ofApp(tx, submission.appKey)).find(
      ({ status }) => status === 'published',
    );
    if (published) {
      if (compareVersions(published.version, submission.version) > 0) {
        throw new PlatformError('SUBMISSION_STATE', `Version ${published.version}, which is higher, is published.`);
      }
      const to = nextStatus('published', 'deprecate', 'system');
      await this.submissions.changeStatus(tx, published.id, to);
      await this.submissions.audit(tx, {
        submissionId: published.id,
        actorKind: 'system',
        actorId: operator.userId,
        action: 'deprecate',
        from: 'published',
        to,
        reason: `Version ${submission.version} was published.`,
      });
    }
    const manifest = await this.packages.read(tx, submission.id);
    await this.submissions.list(tx, submission.appKey, submission.id, listingOf(manifest, submission.publisherName));
    if (manifest.webhooks?.length) await this.secrets.ensure(tx, submission.appKey);
    return manifest;
  }
}

function assertOperator(principal: Principal | undefined): asserts principal is Principal {
  if (principal?.kind !== 'operator') throw new PlatformError('FORBIDDEN', 'Only operators review submissions.');
}

/** What somebody else has claimed is theirs to decide, until it is claimed over with a reason. */
function assertClaim(
  submission: ReviewedSubmission,
  operator: Principal,
  decision: ReviewDecision,
  reason: string | undefined,
): void {
  if (submission.claimedBy === null || submission.claimedBy === operator.userId) return;
  if (decision === 'claim' && reason) return;
  throw new PlatformError(
    'SUBMISSION_STATE',
    'Another operator has claimed it. To take it over, claim it with a reason.',
  );
}

function viewOf(submission: ReviewedSubmission): SubmissionView {
  return {
    id: submission.id,
    appKey: submission.appKey,
    version: submission.version,
    versionStatus: submission.status,
    publisher: { tenantId: submission.tenantId, name: submission.publisherName },
    submittedAt: submission.submittedAt.toISOString(),
    claimedBy: submission.claimedBy,
    verdict: submission.verdict,
    certification: submission.certification,
  };
}
