import type { Principal } from '@crm/access';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AppService } from '../catalogue/app.service.js';
import { InstallationRepository } from './installation.repository.js';

/** Where a publisher tries its own apps. */
@Injectable()
export class SandboxService {
  constructor(
    private readonly database: Database,
    private readonly apps: AppService,
    private readonly installations: InstallationRepository,
  ) {}

  /**
   * The ids of the sandboxes of an app in the workspace of its publisher, newest first.
   * @throws PlatformError NOT_FOUND when the principal's tenant does not publish the app
   */
  async list({ tenantId }: Principal, appKey: string): Promise<string[]> {
    await this.apps.assertOwned(tenantId, appKey);
    return this.database.transaction(tenantId, (tx) => this.installations.listSandboxes(tx, appKey));
  }
}
