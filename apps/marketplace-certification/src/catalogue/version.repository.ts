import { type NarrowTransaction, newId, secondsFromNow } from '@crm/database';
import type { Manifest } from '@crm/manifest';
import { Injectable } from '@nestjs/common';
import { type Submission, SubmissionAudit, Version } from './catalogue.entity.js';
import { nextStatus, type VersionAction, type VersionStatus } from './version-state.js';

export type NewVersion = Omit<
  Version,
  'status' | 'submittedAt' | 'claimedBy' | 'claimedUntil' | 'verdict' | 'publishedAt'
>;

/** Read for lists: packages and certifications are long. */
const SUBMISSION = {
  id: true,
  appKey: true,
  tenantId: true,
  version: true,
  name: true,
  kind: true,
  status: true,
  submittedAt: true,
  claimedBy: true,
  verdict: true,
  publishedAt: true,
} as const;

/** Submitted versions of apps: a global table that the narrow role reaches. */
@Injectable()
export class VersionRepository {
  /** Every version that was ever submitted under the key, whatever its status, newest first. */
  async listOfApp(tx: NarrowTransaction, appKey: string): Promise<Submission[]> {
    return tx
      .repository(Version)
      .find({ select: SUBMISSION, where: { appKey }, order: { submittedAt: 'DESC', id: 'DESC' } });
  }

  /** The submissions of a publisher, by app and newest first. */
  async listOfPublisher(tx: NarrowTransaction, tenantId: string): Promise<Submission[]> {
    return tx
      .repository(Version)
      .find({ select: SUBMISSION, where: { tenantId }, order: { appKey: 'ASC', submittedAt: 'DESC', id: 'DESC' } });
  }

  /** A submission with its certification. */
  async find(
    tx: NarrowTransaction,
    id: string,
  ): Promise<Pick<Version, 'status' | 'certification' | 'appKey' | 'version'> | null> {
    return tx.repository(Version).findOne({
      select: { id: true, status: true, certification: true, appKey: true, version: true },
      where: { id },
    });
  }

  /**
   * What its publisher is told of a version.
   * @throws Error when there is no such version
   */
  async getSubmitted(
    tx: NarrowTransaction,
    id: string,
  ): Promise<Pick<Version, 'tenantId' | 'appKey' | 'name' | 'version' | 'submittedBy'>> {
    const version = await tx.repository(Version).findOne({
      select: { id: true, tenantId: true, appKey: true, name: true, version: true, submittedBy: true },
      where: { id },
    });
    if (!version) throw new Error(`There is no version ${id}`);
    return version;
  }

  /**
   * The package of a version. Only what passed certification is stored, so its shape can be relied on.
   * @throws Error when there is no such version
   */
  async getManifest(tx: NarrowTransaction, id: string): Promise<Manifest> {
    const version = await tx.repository(Version).findOne({ select: { id: true, manifest: true }, where: { id } });
    if (!version) throw new Error(`There is no version ${id}`);
    return version.manifest as Manifest;
  }

  /** Stores a version that waits for its review. */
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

  /** Adds to the audit trail of a submission. */
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
