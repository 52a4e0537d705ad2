import type { Principal } from '@crm/access';
import { isAppKey, PlatformError, rpc } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { type ShareAccess, type ShareView } from './object.dto.js';
import { ObjectRepository } from './object.repository.js';
import { type ObjectDefinition, objectNotFound } from './object-definition.js';

/** Apps that one object can be shared with. Each event of the object names them. */
export const MAX_SHARES = 100;

/** Shares objects of one app with other apps. */
@Injectable()
export class ShareService {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectRepository,
    private readonly rpc: Rpc,
  ) {}

  /** Ordered by app key. @throws NOT_FOUND */
  async list({ tenantId }: Principal, apiName: string): Promise<ShareView[]> {
    const { sharedWith = {} } = await this.database.transaction(tenantId, (tx) => this.find(tx, apiName));
    return Object.entries(sharedWith)
      .map(([appKey, access]) => ({ appKey, access }))
      .sort((one, other) => (one.appKey < other.appKey ? -1 : 1));
  }

  /**
   * Takes effect with the app's next call: shares belong to the definition, so its revision increases.
   * @throws NOT_FOUND for an unknown object or app; VALIDATION_FAILED for the object's own app, and beyond the limit
   */
  async set(principal: Principal, apiName: string, appKey: string, access: ShareAccess): Promise<ShareView> {
    if (!isAppKey(appKey)) throw appNotFound();
    if (access !== 'none') await this.assertShareable(principal, apiName, appKey);
    return this.database.transaction(principal, async (tx) => {
      await this.objects.lockDefinitions(tx);
      const object = await this.find(tx, apiName);
      const { sharedWith = {} } = object;
      if (object.appKey === appKey) {
        throw new PlatformError(
          'VALIDATION_FAILED',
          'The object belongs to this app, which can already read and write its records',
        );
      }
      if ((sharedWith[appKey] ?? 'none') === access) return { appKey, access };
      if (access === 'none') {
        await this.objects.unshare(tx, object.id, appKey);
      } else {
        if (!Object.hasOwn(sharedWith, appKey) && Object.keys(sharedWith).length >= MAX_SHARES) {
          throw new PlatformError('VALIDATION_FAILED', `An object can be shared with up to ${MAX_SHARES} apps`);
        }
        await this.objects.share(tx, object.id, appKey, access);
      }
      await this.objects.increaseRevision(tx, object.id);
      return { appKey, access };
    });
  }

  /**
   * Asks the marketplace about an app without a share, before the definitions are locked. Existing shares can be
   * changed and ended whatever became of the app.
   */
  private async assertShareable(principal: Principal, apiName: string, appKey: string): Promise<void> {
    const object = await this.database.transaction(principal.tenantId, (tx) => this.find(tx, apiName));
    if (object.appKey === appKey || Object.hasOwn(object.sharedWith ?? {}, appKey)) return;
    const { known } = await this.rpc.call(rpc.marketplace.isAppKnown, { appKey }, principal);
    if (!known) throw appNotFound();
  }

  private async find(tx: TenantTransaction, apiName: string): Promise<ObjectDefinition> {
    const object = await this.objects.findByApiName(tx, apiName);
    if (!object) throw objectNotFound();
    return object;
  }
}

const appNotFound = () => new PlatformError('NOT_FOUND', 'App not found');
