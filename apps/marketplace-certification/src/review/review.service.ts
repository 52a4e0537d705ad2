import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type NarrowTransaction } from '@crm/database';
import { type Certification, compareVersions } from '@crm/manifest';
import { actingOperator, recordOperatorAct } from '@crm/operator-audit';
import { Injectable } from '@nestjs/common';
import { AppRepository, storedText, VersionRepository } from '../catalogue/catalogue.repository.js';
import { OUTCOMES_OF_REVIEW, VerdictEvents } from '../catalogue/verdict-events.js';
import { nextStatus, type ReviewDecision, reasonRequired, type VersionStatus } from '../catalogue/version-state.js';
import { ClientStatusService } from '../credentials/client-status.service.js';
import { WebhookSecretService } from '../credentials/webhook-secret.service.js';
import { EndedVersionSweeper } from '../installation/ended-version.sweeper.js';
import { assertOperator } from './assert-operator.js';
import type { SubmissionView } from './review.dto.js';
import { type ReviewedSubmission, ReviewRepository } from './review.repository.js';
import { viewOf } from './submission-view.js';

/** How long a claim counts. Anyone who needs longer claims again. */
export const CLAIM_HOURS = 4;

interface Decision {
  readonly operator: Principal;
  readonly decision: ReviewDecision;
  readonly to: VersionStatus;
  readonly reason: string | undefined;
}

/** What operators do with submissions. Every decision is recorded in the audit trail: who, when and why. */
@Injectable()
export class ReviewService {
  constructor(
    private readonly database: Database,
    private readonly reviews: ReviewRepository,
    private readonly apps: AppRepository,
    private readonly versions: VersionRepository,
    private readonly verdicts: VerdictEvents,
    private readonly secrets: WebhookSecretService,
    private readonly statuses: ClientStatusService,
    private readonly endedVersions: EndedVersionSweeper,
  ) {}

  /**
   * @param reason why; required to reject, and to publish with open warnings
   * @throws PlatformError FORBIDDEN, NOT_FOUND, OWN_SUBMISSION, SUBMISSION_STATE, VALIDATION_FAILED
   */
  async decide(
    operator: Principal | undefined,
    submissionId: string,
    decision: ReviewDecision,
    reason?: string,
  ): Promise<SubmissionView> {
    assertOperator(operator);
    const why = storedText(reason?.trim() ?? '', 2000) || undefined;
    const view = await this.database.crossTenant(async (tx) => {
      const submission = await this.lock(tx, submissionId);
      if (operator.linkedTenantId === submission.tenantId) throw new PlatformError('OWN_SUBMISSION');
      assertClaim(submission, operator, decision, why);
      const to = nextStatus(submission.status, decision, 'operator', why);
      const decided = { operator, decision, to, reason: why };
      if (decision === 'publish') await this.publish(tx, submission, decided);
      await this.settle(tx, submission, decided);
      await this.record(tx, submission, decided);
      const outcome = OUTCOMES_OF_REVIEW[decision];
      if (outcome) await this.verdicts.append(tx, operator, submissionId, outcome, why);
      return viewOf((await this.reviews.find(tx, submissionId)) as ReviewedSubmission);
    });
    if (decision === 'publish') await this.statuses.tell(view.appKey);
    if (decision === 'reject') await this.endedVersions.sweepNow();
    return view;
  }

  private async settle(
    tx: NarrowTransaction,
    { id }: ReviewedSubmission,
    { operator, decision, to, reason }: Decision,
  ): Promise<void> {
    if (decision === 'claim') await this.reviews.claim(tx, id, operator.userId, CLAIM_HOURS * 3600);
    else if (decision === 'release') await this.reviews.release(tx, id);
    else await this.versions.changeStatus(tx, id, to, { verdict: reason ?? to, claimedUntil: null });
  }

  /** The step of the submission, and the act of the operator with what they had before them. */
  private async record(
    tx: NarrowTransaction,
    submission: ReviewedSubmission,
    { operator, decision, to, reason }: Decision,
  ): Promise<void> {
    const { id, status, appKey, version, publisherName, tenantId, certification } = submission;
    await this.versions.recordStep(tx, {
      submissionId: id,
      actorKind: 'operator',
      actorId: operator.userId,
      action: decision,
      from: status,
      to,
      reason,
    });
    const claim = submission.isClaimed ? submission.claimedBy : null;
    const failedChecks = certification.checks.filter((check) => check.status === 'fail');
    await recordOperatorAct(tx, {
      operator: actingOperator(operator),
      act: `submission.${decision}`,
      subject: { kind: 'submission', id, name: `${appKey} ${version}` },
      reason,
      findings: {
        publisher: publisherName,
        publisherId: tenantId,
        failedChecks: failedChecks.map((check) => check.id),
      },
      before: { status, claimedBy: claim },
      after: { status: to, claimedBy: decision === 'claim' ? operator.userId : decision === 'release' ? null : claim },
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
    { operator, reason }: Decision,
  ): Promise<void> {
    if (!reason && hasOpenWarnings(submission.certification)) {
      throw reasonRequired('The certification has open warnings. Enter a reason to publish it');
    }
    const versions = await this.versions.listOfApp(tx, submission.appKey);
    if (versions.some(({ status }) => status === 'revoked')) {
      throw new PlatformError('SUBMISSION_STATE', 'The app is revoked');
    }
    // Also while it is suspended: publishing an older version must not undo that.
    const higher = versions.find(
      ({ status, version }) =>
        (status === 'published' || status === 'suspended') && compareVersions(version, submission.version) > 0,
    );
    if (higher) {
      throw new PlatformError(
        'SUBMISSION_STATE',
        `The higher version ${higher.version} has the status ${higher.status}`,
      );
    }
    const published = versions.find(({ status }) => status === 'published');
    // A later version takes the place of a suspended one. Identity learns of it within seconds.
    if (!published && versions.some(({ status }) => status === 'suspended')) {
      await this.statuses.decide(tx, submission.appKey, { status: 'active' });
    }
    if (published) {
      await this.versions.move(tx, published, {
        actorKind: 'system',
        actorId: operator.userId,
        action: 'deprecate',
        reason: `Version ${submission.version} was published.`,
      });
    }
    const manifest = await this.versions.getManifest(tx, submission.id);
    await this.apps.publish(tx, submission.id, manifest, submission.publisherName);
    if (manifest.webhooks?.length) await this.secrets.ensure(tx, submission.appKey);
    await this.statuses.decide(tx, submission.appKey, { settingsChanged: true });
  }
}

/**
 * Only the operator who has claimed a submission decides it, until the claim lapses or another one claims it with a reason.
 * Only they give it back.
 */
function assertClaim(
  submission: ReviewedSubmission,
  operator: Principal,
  decision: ReviewDecision,
  reason: string | undefined,
): void {
  const isMine = submission.isClaimed && submission.claimedBy === operator.userId;
  if (decision === 'release' && !isMine) {
    throw new PlatformError('SUBMISSION_STATE', 'Claim this submission first. Your claim may have expired');
  }
  if (isMine || !submission.isClaimed) return;
  if (decision === 'claim' && reason) return;
  throw new PlatformError(
    'SUBMISSION_STATE',
    'Another operator has claimed this submission. To take it over, claim it with a reason',
  );
}

const hasOpenWarnings = ({ checks }: Certification): boolean =>
  checks.some(({ severity, status }) => severity === 'warning' && status === 'fail');
