import type { Principal } from '@crm/context';
import { PlatformError, type VersionStatus } from '@crm/contracts';
import { Database, type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { isIdentifier } from './identifier.js';
import type { Submission } from './submission.js';
import { SubmissionRepository } from './submission.repository.js';
import { nextStatus } from './version-state.js';

export interface DeveloperVersion {
  readonly version: string;
  readonly versionStatus: VersionStatus;
  readonly submittedAt: string;
  readonly submissionId: string;
  /** Absent until a decision was made. */
  readonly verdict?: string;
}

export interface DeveloperApp {
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  /** The newest submission first. */
  readonly versions: DeveloperVersion[];
}

/** What a publisher sees of, and does to, its own apps. Anybody else's app is answered like one that does not exist. */
@Injectable()
export class DeveloperAppService {
  constructor(
    private readonly database: Database,
    private readonly submissions: SubmissionRepository,
  ) {}

  async list(tenantId: string): Promise<DeveloperApp[]> {
    const submissions = await this.database.crossTenant((tx) => this.submissions.ofPublisher(tx, tenantId));
    const apps = new Map<string, DeveloperApp>();
    for (const submission of submissions) {
      const { appKey: key, name, kind } = submission;
      const app = apps.get(key) ?? { key, name, kind, versions: [] };
      app.versions.push(versionOf(submission));
      apps.set(key, app);
    }
    return [...apps.values()];
  }

  /**
   * Takes a version back before it is published.
   * @throws PlatformError NOT_FOUND, SUBMISSION_STATE
   */
  async withdraw(principal: Principal, appKey: string, version: string): Promise<DeveloperVersion> {
    return this.database.crossTenant(async (tx) => {
      const submission = await this.lock(tx, principal.tenantId, appKey, version);
      const to = nextStatus(submission.status, 'withdraw', 'developer');
      await this.submissions.changeStatus(tx, submission.id, to);
      await this.submissions.audit(tx, {
        submissionId: submission.id,
        actorKind: 'developer',
        actorId: principal.userId,
        action: 'withdraw',
        from: submission.status,
        to,
      });
      return versionOf({ ...submission, status: to });
    });
  }

  /** @throws PlatformError NOT_FOUND when the app is not this workspace's */
  async assertOwned(tenantId: string, appKey: string): Promise<void> {
    await this.database.crossTenant((tx) => this.assertOwner(tx, tenantId, appKey));
  }

  private async lock(tx: NarrowTransaction, tenantId: string, appKey: string, version: string): Promise<Submission> {
    await this.assertOwner(tx, tenantId, appKey);
    await this.submissions.lockApp(tx, appKey);
    const found = (await this.submissions.ofApp(tx, appKey)).find((submission) => submission.version === version);
    if (!found) throw new PlatformError('NOT_FOUND');
    return found;
  }

  private async assertOwner(tx: NarrowTransaction, tenantId: string, appKey: string): Promise<void> {
    if (isIdentifier(appKey) && (await this.submissions.ownerOf(tx, appKey)) === tenantId) return;
    throw new PlatformError('NOT_FOUND');
  }
}

function versionOf({ id, version, status, submittedAt, verdict }: Submission): DeveloperVersion {
  return {
    version,
    versionStatus: status,
    submittedAt: submittedAt.toISOString(),
    submissionId: id,
    ...(verdict !== null && { verdict }),
  };
}
