import type { Principal } from '@crm/access';
import { PlatformError, rpc } from '@crm/contracts';
import { Database, newId } from '@crm/database';
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
  readonly versionStatus: 'in_review';
  readonly certification: Certification;
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
  ) {}

  /** @throws PlatformError CERTIFICATION_FAILED with the certification, when a blocker fails */
  async submit(principal: Principal, request: CertificationRequest): Promise<AcceptedSubmission> {
    const certification = await this.certifications.certify(principal, request, 'submission');
    if (!certification.passed) throw refused(certification);
    const accepted = await this.store(principal, request, certification);
    if (accepted) return accepted;
    // Somebody was faster between the certification and the lock: the checks of key and version now say so.
    const again = await this.certifications.certify(principal, request, 'submission');
    if (again.passed) throw new PlatformError('CONFLICT', 'The key is being submitted by somebody else; try again.');
    throw refused(again);
  }

  /** @returns nothing when, under the lock, the key is another's or the version no longer the highest */
  private async store(
    principal: Principal,
    request: CertificationRequest,
    certification: Certification,
  ): Promise<AcceptedSubmission | undefined> {
    // The certification has passed, so the shape is that of a manifest.
    const { key, version, name, kind } = request.manifest as unknown as Manifest;
    const publisher = await this.rpc.call(rpc.identity.getTenant, { tenantId: principal.tenantId });
    const shownName = storedText(name, 200);
    return this.database.crossTenant(async (tx) => {
      const owner = await this.submissions.claimKey(tx, {
        key,
        tenantId: principal.tenantId,
        publisherName: publisher.name,
        name: shownName,
        kind,
      });
      if (owner !== principal.tenantId) return undefined;
      const earlier = await this.submissions.versionsOf(tx, key);
      if (earlier.some((other) => compareVersions(other, version) >= 0)) return undefined;
      const submissionId = newId();
      await this.submissions.insert(tx, {
        id: submissionId,
        appKey: key,
        tenantId: principal.tenantId,
        version,
        name: shownName,
        kind,
        manifest: request.manifest,
        manifestSha256: certification.manifestSha256 as string,
        reviewPacket: request.reviewPacket ?? {},
        certification,
        submittedBy: principal.userId,
      });
      await this.submissions.audit(tx, {
        submissionId,
        actorKind: 'developer',
        actorId: principal.userId,
        action: 'submit',
        from: 'draft',
        to: nextStatus('draft', 'submit', 'developer'),
      });
      return { accepted: true, versionStatus: 'in_review', certification, appKey: key, version, submissionId };
    });
  }
}

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
