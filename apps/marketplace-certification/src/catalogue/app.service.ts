import { PlatformError } from '@crm/contracts';
import { Database, type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AppRepository } from './catalogue.repository.js';

/** Who publishes an app. An app of another publisher is answered like one that does not exist. */
@Injectable()
export class AppService {
  constructor(
    private readonly database: Database,
    private readonly apps: AppRepository,
  ) {}

  /** @throws PlatformError NOT_FOUND when the tenant does not publish the app */
  async assertOwned(tenantId: string, key: string): Promise<void> {
    await this.database.crossTenant((tx) => this.assertOwner(tx, tenantId, key));
  }

  /** See {@link assertOwned}; in a transaction that is under way. */
  async assertOwner(tx: NarrowTransaction, tenantId: string, key: string): Promise<void> {
    if ((await this.apps.find(tx, key))?.tenantId !== tenantId) throw new PlatformError('NOT_FOUND');
  }
}
