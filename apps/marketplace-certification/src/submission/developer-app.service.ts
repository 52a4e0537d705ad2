import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AppService } from '../catalogue/app.service.js';
import type { Submission } from '../catalogue/catalogue.entity.js';
import { AppRepository, VersionRepository } from '../catalogue/catalogue.repository.js';
import { VersionDifferenceService } from '../catalogue/version-difference.service.js';
import { EndedVersionSweeper } from '../installation/ended-version.sweeper.js';
import type { DeveloperAppView, DeveloperSubmissionView, DeveloperVersionView } from './submission.dto.js';

@Injectable()
export class DeveloperAppService {
  constructor(
    private readonly database: Database,
    private readonly appService: AppService,
    private readonly apps: AppRepository,
    private readonly versions: VersionRepository,
    private readonly differences: VersionDifferenceService,
    private readonly endedVersions: EndedVersionSweeper,
  ) {}

  /** The apps of a publisher by key, each with its newest submission first. */
  async list(tenantId: string): Promise<DeveloperAppView[]> {
    const submissions = await this.database.crossTenant((tx) => this.versions.listOfPublisher(tx, tenantId));
    const apps = new Map<string, DeveloperAppView>();
    for (const submission of submissions) {
      const { appKey: key, name, kind } = submission;
      const app = apps.get(key) ?? { key, name, kind, versions: [] };
      app.versions.push(viewOf(submission));
      apps.set(key, app);
    }
    return [...apps.values()];
  }

  /** A submitted version as its reviewer sees it, without who reviews it. @throws PlatformError NOT_FOUND */
  async get(tenantId: string, appKey: string, version: string): Promise<DeveloperSubmissionView> {
    const { submission, certification } = await this.database.crossTenant(async (tx) => {
      await this.appService.assertOwner(tx, tenantId, appKey);
      const found = await this.find(tx, appKey, version);
      return { submission: found, certification: await this.versions.getCertification(tx, found.id) };
    });
    const difference = await this.differences.find(submission);
    return { ...viewOf(submission), certification, difference };
  }

  /** Withdraws a version before it is published, which ends its sandboxes. @throws PlatformError NOT_FOUND, SUBMISSION_STATE */
  async withdraw(principal: Principal, appKey: string, version: string): Promise<DeveloperVersionView> {
    const withdrawn = await this.database.crossTenant(async (tx) => {
      await this.appService.assertOwner(tx, principal.tenantId, appKey);
      // Holds the app, and so all its versions, until the transaction ends.
      await this.apps.lock(tx, appKey);
      const submission = await this.find(tx, appKey, version);
      const step = { actorKind: 'developer', actorId: principal.userId, action: 'withdraw' } as const;
      return viewOf({ ...submission, status: await this.versions.move(tx, submission, step) });
    });
    await this.endedVersions.sweepNow();
    return withdrawn;
  }

  private async find(tx: NarrowTransaction, appKey: string, version: string): Promise<Submission> {
    const submission = (await this.versions.listOfApp(tx, appKey)).find((candidate) => candidate.version === version);
    if (!submission) throw new PlatformError('NOT_FOUND');
    return submission;
  }
}

function viewOf({ id, version, status, submittedAt, verdict }: Submission): DeveloperVersionView {
  return {
    version,
    versionStatus: status,
    submittedAt: submittedAt.toISOString(),
    submissionId: id,
    ...(verdict !== null && { verdict }),
  };
}
