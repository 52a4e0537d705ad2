import type { Principal } from '@crm/context';
import { PlatformError, rpc, type VersionStatus } from '@crm/contracts';
import { Database, inWorkspace, type NarrowTransaction, newId } from '@crm/database';
import { IdempotencyService, type IdempotentCall } from '@crm/idempotency';
import { type Certification, compareVersions, type Manifest } from '@crm/manifest';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { type CertificationRequest, CertificationService } from '../certification/certification.service.js';
import { storedText } from './stored-text.js';
import { SubmissionRepository } from './submission.repository.js';
import { nextStatus } from './version-state.js';

/** An accepted submission. */
export interface AcceptedSubmission {
  readonly accepted: true;
  /** `in_review`; for a repeated call the status it has by now. */
  readonly versionStatus: VersionStatus;
  readonly certification: object;
  readonly appKey: string;
  readonly version: string;
  readonly submissionId: string;
}

/** Takes packages in: certified, of a key that is the publisher's, in a version above every earlier one. */
@Injectable()
export class SubmissionService {
  constructor(
    private readonly database: Database,
    private readonly certifications: CertificationService,
    private readonly submissions: SubmissionRepository,
    private readonly rpc: Rpc,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * @param call makes a repetition find the submission of the first call
   * @throws PlatformError CERTIFICATION_FAILED with the certification, when a blocker fails; IDEMPOTENCY_KEY_IN_USE,
   *   IDEMPOTENCY_KEY_REUSED
   */
  async submit(
    principal: Principal,
    request: CertificationRequest,
    call?: IdempotentCall,
  ): Promise<AcceptedSubmission> {
    const before = call && (await this.acceptedBefore(call));
    if (before) return before;
    const certification = await this.certifications.certify(principal, request, 'submission');
    const stored = certification.passed ? await this.store(principal, request, certification, call) : undefined;
    if (stored !== undefined) return this.accepted(stored);
    // Somebody was faster, before or after the certification: the same call, or another that holds the key or version.
    const meanwhile = call && (await this.acceptedBefore(call));
    if (meanwhile) return meanwhile;
    if (!certification.passed) throw refused(certification);
    const again = await this.certifications.certify(principal, request, 'submission');
    if (again.passed) throw new PlatformError('CONFLICT', 'The key is being submitted by somebody else; try again.');
    throw refused(again);
  }

  /**
   * @returns id of the submission; nothing when, under the lock, the key is another's or the version no longer the
   *   highest
   */
  private async store(
    principal: Principal,
    request: CertificationRequest,
    certification: Certification,
    call?: IdempotentCall,
  ): Promise<string | undefined> {
    const { tenantId } = principal;
    const publisher = await this.rpc.call(rpc.identity.getTenant, { tenantId });
    try {
      return await inWorkspace(this.database, tenantId, async (tx) => {
        const create = () => this.insert(tx, principal, publisher.name, request, certification);
        return call ? (await this.idempotency.once(tx, call, create)).recordId : create();
      });
    } catch (error) {
      if (error instanceof NotToBeHad) return undefined;
      throw error;
    }
  }

  /** @throws NotToBeHad */
  private async insert(
    tx: NarrowTransaction,
    { tenantId, userId }: Principal,
    publisherName: string,
    request: CertificationRequest,
    certification: Certification,
  ): Promise<string> {
    // The certification has passed, so the shape is that of a manifest.
    const { key, version, name: fullName, kind } = request.manifest as unknown as Manifest;
    const name = storedText(fullName, 200);
    const owner = await this.submissions.claimKey(tx, { key, tenantId, publisherName, name, kind });
    if (owner !== tenantId) throw new NotToBeHad();
    const earlier = await this.submissions.versionsOf(tx, key);
    if (earlier.some((other) => compareVersions(other, version) >= 0)) throw new NotToBeHad();
    const id = newId();
    await this.submissions.insert(tx, {
      id,
      appKey: key,
      tenantId,
      version,
      name,
      kind,
      manifest: request.manifest,
      manifestSha256: certification.manifestSha256 as string,
      reviewPacket: request.reviewPacket ?? {},
      certification,
      submittedBy: userId,
    });
    await this.submissions.audit(tx, {
      submissionId: id,
      actorKind: 'developer',
      actorId: userId,
      action: 'submit',
      from: 'draft',
      to: nextStatus('draft', 'submit', 'developer'),
    });
    return id;
  }

  private async acceptedBefore(call: IdempotentCall): Promise<AcceptedSubmission | undefined> {
    const id = await this.database.transaction(call.tenantId, (tx) => this.idempotency.findRecordId(tx, call));
    return id === null ? undefined : this.accepted(id);
  }

  private async accepted(submissionId: string): Promise<AcceptedSubmission> {
    const submission = await this.database.crossTenant((tx) => this.submissions.find(tx, submissionId));
    if (!submission) throw new PlatformError('NOT_FOUND');
    const { status: versionStatus, certification, appKey, version } = submission;
    return { accepted: true, versionStatus, certification, appKey, version, submissionId };
  }
}

/** The key is another's, or the version no longer the highest. Undoes the transaction. */
class NotToBeHad extends Error {}

function refused(certification: Certification): PlatformError {
  const failed = certification.checks.filter((check) => check.status === 'fail' && check.severity === 'blocker');
  return new PlatformError('CERTIFICATION_FAILED', `Failed: ${failed.map(({ id }) => id).join(', ')}.`, {
    errors: failed.map(({ id, message, pointer }) => ({
      pointer: `${id.startsWith('REV-') ? '/reviewPacket' : '/manifest'}${pointer}`,
      code: id,
      detail: message,
    })),
    members: { accepted: false, versionStatus: 'certification_failed', certification },
  });
}
