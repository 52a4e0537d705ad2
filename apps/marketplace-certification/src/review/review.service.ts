import type { Principal } from '@crm/context';
import { PlatformError, type ReviewDecision, type SubmissionView, type VersionStatus } from '@crm/contracts';
import { Database, type NarrowTransaction } from '@crm/database';
import { type Certification, compareVersions, type Manifest } from '@crm/manifest';
import { Injectable } from '@nestjs/common';
import { AppRepository } from '../catalogue/app.repository.js';
import { SubmissionAuditRepository } from '../catalogue/submission-audit.repository.js';
import { VersionRepository } from '../catalogue/version.repository.js';
import { nextStatus, reasonRequired } from '../catalogue/version-state.js';
import { EmbedCredentialService } from '../embed-credential/embed-credential.service.js';
import { storedText } from '../text/stored-text.js';
import { WebhookSecretService } from '../webhook-secret/webhook-secret.service.js';
import { PublishedClientService } from './published-client.service.js';
import { publishedListing } from './published-listing.js';
import { type ReviewedSubmission, ReviewRepository } from './review.repository.js';
import { fitQueue } from './review-queue.js';

/** Submissions in one answer of the review queue; later ones appear when earlier ones are decided. */
const QUEUE_LIMIT = 500;

/** What operators do with submissions. Every decision is recorded in the audit trail: who, when and why. */
@Injectable()
export class ReviewService {
  constructor(
    private readonly database: Database,
    private readonly reviews: ReviewRepository,
    private readonly apps: AppRepository,
    private readonly versions: VersionRepository,
    private readonly audit: SubmissionAuditRepository,
    private readonly secrets: WebhookSecretService,
    private readonly embeds: EmbedCredentialService,
    private readonly clients: PublishedClientService,
  ) {}

  /** @throws PlatformError FORBIDDEN unless the caller is an operator */
  async list(operator: Principal | undefined, status?: VersionStatus): Promise<SubmissionView[]> {
    assertOperator(operator);
    const found = await this.database.crossTenant((tx) => this.reviews.list(tx, status, QUEUE_LIMIT));
    return fitQueue(found.map(viewOf));
  }

  /**
   * @param reason why; required to reject, and to publish with open warnings
   * @throws PlatformError FORBIDDEN, NOT_FOUND, OWN_SUBMISSION, SUBMISSION_STATE, VALIDATION_FAILED; SERVICE_UNAVAILABLE or
   *   DEADLINE_EXCEEDED, and nothing is published, when identity does not receive the embed section of the version
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
      if (operator.linkedTenantId === submission.tenantId) throw new PlatformError('OWN_SUBMISSION');
      assertClaim(submission, operator, decision, why);
      const to = nextStatus(submission.status, decision, 'operator', why);
      const manifest = decision === 'publish' ? await this.publish(tx, submission, operator, why) : undefined;
      const outcome = decision === 'claim' ? { claimedBy: operator.userId } : { verdict: why ?? to };
      await this.versions.changeStatus(tx, submission.id, to, outcome);
      await this.audit.insert(tx, {
        submissionId,
        actorKind: 'operator',
        actorId: operator.userId,
        action: decision,
        from: submission.status,
        to,
        reason: why,
      });
      // Last, when only the commit can still fail; a publication that is repeated applies the settings again. Also for a
      // version that does not embed: it ends what the previous version allowed.
      if (manifest) await this.embeds.follow(submission.tenantId, submission.appKey, manifest.embed);
      if (manifest) await this.clients.follow(submission.appKey, manifest.oauth);
      const decided = await this.reviews.find(tx, submissionId);
      return viewOf(decided as ReviewedSubmission);
    });
  }

  /** Locks the app before its version, in the order that submitting does. */
  private async lock(tx: NarrowTransaction, id: string): Promise<ReviewedSubmission> {
    const seen = await this.reviews.find(tx, id);
    if (!seen) throw new PlatformError('NOT_FOUND');
    await this.apps.lock(tx, seen.appKey);
    return (await this.reviews.lock(tx, id)) as ReviewedSubmission;
  }

  /** Deprecates the version published so far, shows the new one in the listing and makes sure that webhooks can be signed. */
  private async publish(
    tx: NarrowTransaction,
    submission: ReviewedSubmission,
    operator: Principal,
    reason: string | undefined,
  ): Promise<Manifest> {
    if (!reason && hasOpenWarnings(submission.certification)) {
      throw reasonRequired('The certification has open warnings: give a reason to publish it');
    }
    const published = (await this.versions.listOfApp(tx, submission.appKey)).find(
      ({ status }) => status === 'published',
    );
    if (published) {
      if (compareVersions(published.version, submission.version) > 0) {
        throw new PlatformError('SUBMISSION_STATE', `Version ${published.version}, which is higher, is published`);
      }
      const to = nextStatus('published', 'deprecate', 'system');
      await this.versions.changeStatus(tx, published.id, to);
      await this.audit.insert(tx, {
        submissionId: published.id,
        actorKind: 'system',
        actorId: operator.userId,
        action: 'deprecate',
        from: 'published',
        to,
        reason: `Version ${submission.version} was published.`,
      });
    }
    const manifest = await this.versions.getManifest(tx, submission.id);
    await this.apps.publish(tx, submission.appKey, submission.id, publishedListing(manifest, submission.publisherName));
    if (manifest.webhooks?.length) await this.secrets.ensure(tx, submission.appKey);
    return manifest;
  }
}

function assertOperator(principal: Principal | undefined): asserts principal is Principal {
  if (principal?.kind !== 'operator') throw new PlatformError('FORBIDDEN', 'Only operators review submissions');
}

/** Only the operator who has claimed a submission decides it, until another one claims it with a reason. */
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
    'Another operator has claimed the submission; to take it over, claim it with a reason',
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
    certification: { ...submission.certification },
  };
}

const hasOpenWarnings = ({ checks }: Certification): boolean =>
  checks.some(({ severity, status }) => severity === 'warning' && status === 'fail');
