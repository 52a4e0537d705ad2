import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import {
  Database,
  IdempotencyService,
  type IdempotentCall,
  inWorkspace,
  type NarrowTransaction,
  newId,
} from '@crm/database';
import { type Certification, compareVersions, type Manifest } from '@crm/manifest';
import { Injectable } from '@nestjs/common';
import { AppRepository, storedText, VersionRepository } from '../catalogue/catalogue.repository.js';
import { nextStatus } from '../catalogue/version-state.js';
import { type CertificationRequest, CertificationService } from '../certification/certification.service.js';
import { PublisherQuota } from '../certification/publisher-quota.js';
import type { AcceptedSubmissionView } from './submission.dto.js';

/** Accepts packages that pass certification, under a key of the publisher, with a version above every earlier one. */
@Injectable()
export class SubmissionService {
  constructor(
    private readonly database: Database,
    private readonly certifications: CertificationService,
    private readonly apps: AppRepository,
    private readonly versions: VersionRepository,
    private readonly quota: PublisherQuota,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * @param call makes a repeated call return the submission of the first one
   * @throws PlatformError EMAIL_NOT_VERIFIED; RATE_LIMITED; CERTIFICATION_FAILED with the certification, when a blocker fails;
   *   IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED
   */
  async submit(
    principal: Principal,
    request: CertificationRequest,
    call?: IdempotentCall,
  ): Promise<AcceptedSubmissionView> {
    const earlier = call && (await this.findAccepted(call));
    if (earlier) return earlier;
    const publisher = await this.quota.takeSubmission(principal);
    const certification = await this.certifications.certify(principal, request, 'submission');
    const stored = certification.passed
      ? await this.store(principal, publisher.name, request, certification, call)
      : null;
    if (stored !== null) return this.getAccepted(stored);
    // Another call was faster: a repetition of this one, or one that took the key or the version.
    const meanwhile = call && (await this.findAccepted(call));
    if (meanwhile) return meanwhile;
    if (!certification.passed) throw refused(certification);
    const again = await this.certifications.certify(principal, request, 'submission');
    if (again.passed)
      throw new PlatformError('CONFLICT', 'Another call is submitting a package with this key. Try again');
    throw refused(again);
  }

  /**
   * @returns the id of the submission; null when, under the lock, the key belongs to another publisher or the version is
   *   not the highest
   */
  private async store(
    principal: Principal,
    publisherName: string,
    request: CertificationRequest,
    certification: Certification,
    call?: IdempotentCall,
  ): Promise<string | null> {
    const { tenantId } = principal;
    try {
      return await inWorkspace(this.database, tenantId, async (tx) => {
        const create = () => this.insert(tx, principal, publisherName, request, certification);
        return call ? (await this.idempotency.once(tx, call, create)).recordId : create();
      });
    } catch (error) {
      if (error instanceof KeyOrVersionTaken) return null;
      throw error;
    }
  }

  private async insert(
    tx: NarrowTransaction,
    { tenantId, userId }: Principal,
    publisherName: string,
    request: CertificationRequest,
    certification: Certification,
  ): Promise<string> {
    // The certification has passed, so the shape is that of a manifest.
    const manifest = request.manifest as unknown as Manifest;
    const { key, version, kind } = manifest;
    const name = storedText(manifest.name, 200);
    const owner = await this.apps.claimKey(tx, { key, tenantId, publisherName, name, kind });
    if (owner !== tenantId) throw new KeyOrVersionTaken();
    const earlier = await this.versions.listOfApp(tx, key);
    if (earlier.some((other) => compareVersions(other.version, version) >= 0)) throw new KeyOrVersionTaken();
    const id = newId();
    await this.versions.insert(tx, {
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
    await this.versions.recordStep(tx, {
      submissionId: id,
      actorKind: 'developer',
      actorId: userId,
      action: 'submit',
      from: 'draft',
      to: nextStatus('draft', 'submit', 'developer'),
    });
    return id;
  }

  private async findAccepted(call: IdempotentCall): Promise<AcceptedSubmissionView | null> {
    const id = await this.database.transaction(call.tenantId, (tx) => this.idempotency.findRecordId(tx, call));
    return id === null ? null : this.getAccepted(id);
  }

  private async getAccepted(submissionId: string): Promise<AcceptedSubmissionView> {
    return this.database.crossTenant(async (tx) => {
      const submission = await this.versions.find(tx, submissionId);
      if (!submission) throw new PlatformError('NOT_FOUND');
      const { status: versionStatus, appKey, version } = submission;
      const certification = await this.versions.getCertification(tx, submissionId);
      return { accepted: true, versionStatus, certification, appKey, version, submissionId };
    });
  }
}

/** The key belongs to another publisher, or the version is not the highest. Rolls the transaction back. */
class KeyOrVersionTaken extends Error {}

function refused(certification: Certification): PlatformError {
  const failed = certification.checks.filter((check) => check.status === 'fail' && check.severity === 'blocker');
  return new PlatformError('CERTIFICATION_FAILED', `Failed: ${failed.map(({ id }) => id).join(', ')}`, {
    errors: failed.map(({ id, message, pointer }) => ({
      pointer: `${id.startsWith('REV-') ? '/reviewPacket' : '/manifest'}${pointer}`,
      code: id,
      detail: message,
    })),
    members: { accepted: false, versionStatus: 'certification_failed', certification },
  });
}
