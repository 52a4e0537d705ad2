import { type NarrowTransaction, newId, secondsFromNow } from '@crm/database';
import type { Certification, Manifest } from '@crm/manifest';
import { Injectable } from '@nestjs/common';
import { type Submission, SubmissionAudit, Version } from './catalogue.entity.js';
import { nextStatus, type VersionAction, type VersionStatus } from './version-state.js';

export type NewVersion = Omit<
  Version,
  'status' | 'submittedAt' | 'claimedBy' | 'claimedUntil' | 'verdict' | 'publishedAt'
>;

/** Submitted versions of apps: a global table that the narrow role reaches. */
@Injectable()
export class VersionRepository {
  /** Every version that was ever submitted under the key, whatever its status, newest first. */
  async listOfApp(tx: NarrowTransaction, appKey: string): Promise<Submission[]> {
    return tx.repository(Version).find({ where: { appKey }, order: { submittedAt: 'DESC', id: 'DESC' } });
  }

  /** The submissions of a publisher, by app and newest first. */
  async listOfPublisher(tx: NarrowTransaction, tenantId: string): Promise<Submission[]> {
    return tx
      .repository(Version)
      .find({ where: { tenantId }, order: { appKey: 'ASC', submittedAt: 'DESC', id: 'DESC' } });
  }

  async find(tx: NarrowTransaction, id: string): Promise<Submission | null> {
    return tx.repository(Version).findOneBy({ id });
  }

  /** What the suite said when the version was submitted. */
  async getCertification(tx: NarrowTransaction, id: string): Promise<Certification> {
    const select = { id: true, certification: true };
    return (await tx.repository(Version).findOneOrFail({ select, where: { id } })).certification;
  }

  /** The package of a version. Only what passed certification is stored, so its shape can be relied on. */
  async getManifest(tx: NarrowTransaction, id: string): Promise<Manifest> {
    const select = { id: true, manifest: true };
    return (await tx.repository(Version).findOneOrFail({ select, where: { id } })).manifest as Manifest;
  }

  async insert(tx: NarrowTransaction, version: NewVersion): Promise<void> {
    await tx.repository(Version).insert({ ...version, status: 'in_review' });
  }

  /** Moves a version to another status; the time of its first publication stays. */
  async changeStatus(
    tx: NarrowTransaction,
    id: string,
    status: VersionStatus,
    about: { verdict?: string; claimedUntil?: null } = {},
  ): Promise<void> {
    const publishedAt = () => `coalesce(published_at, ${secondsFromNow(0)()})`;
    await tx.repository(Version).update({ id }, { status, ...about, ...(status === 'published' && { publishedAt }) });
  }

  async recordStep(
    tx: NarrowTransaction,
    step: Omit<SubmissionAudit, 'id' | 'reason'> & { reason?: string },
  ): Promise<void> {
    await tx.repository(SubmissionAudit).insert({ id: newId(), ...step });
  }

  /**
   * Moves a version by the table of states and records the step.
   * @returns the status that it has now
   * @throws PlatformError SUBMISSION_STATE, VALIDATION_FAILED
   */
  async move(
    tx: NarrowTransaction,
    { id, status: from }: Pick<Version, 'id' | 'status'>,
    step: Pick<SubmissionAudit, 'actorKind' | 'actorId'> & { action: VersionAction; reason?: string },
    about: { verdict?: string } = {},
  ): Promise<VersionStatus> {
    const to = nextStatus(from, step.action, step.actorKind, step.reason);
    await this.changeStatus(tx, id, to, about);
    await this.recordStep(tx, { submissionId: id, ...step, from, to });
    return to;
  }
}
