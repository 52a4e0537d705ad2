import type { Principal } from '@crm/access';
import { EVENTS, type SubmissionOutcome } from '@crm/contracts';
import { appendEvent, type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { VersionRepository } from './catalogue.repository.js';
import type { AppDecision, ReviewDecision } from './version-state.js';

/** What the publisher is told of. Who reviews is not their business. */
export const OUTCOMES_OF_REVIEW: Readonly<Partial<Record<ReviewDecision, SubmissionOutcome>>> = {
  'request-changes': 'changes_requested',
  reject: 'rejected',
  approve: 'approved',
  publish: 'published',
};

export const OUTCOMES_OF_APP_DECISION: Readonly<Record<AppDecision, SubmissionOutcome>> = {
  suspend: 'suspended',
  reinstate: 'reinstated',
  revoke: 'revoked',
  unlist: 'unlisted',
};

/** Tells publishers what operators decide, by an event: identity sends the mails. */
@Injectable()
export class VerdictEvents {
  constructor(private readonly versions: VersionRepository) {}

  /**
   * Appends the event in the transaction of the decision, after its statements.
   * @param submissionId the version decided on
   */
  async append(
    tx: NarrowTransaction,
    operator: Principal,
    submissionId: string,
    decision: SubmissionOutcome,
    reason: string | undefined,
  ): Promise<void> {
    const submission = await this.versions.find(tx, submissionId);
    if (!submission) throw new Error(`There is no version ${submissionId}`);
    const { tenantId, appKey, name, version, submittedBy } = submission;
    // The call whose trace the event goes on with; its tenant is the publisher.
    tx.origin = operator;
    await appendEvent(tx, EVENTS['submission.decided'], {
      tenantId,
      subject: submissionId,
      data: { submissionId, appKey, appName: name, version, decision, ...(reason && { reason }), submittedBy },
    });
  }
}
