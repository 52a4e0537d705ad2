import type { Principal } from '@crm/access';
import { isAppKey, PlatformError, rpc } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { ObjectRepository } from '../object/object.repository.js';
import { noSuchObject } from '../object/object-access.js';
import type { ObjectDefinition } from '../object/object-definition.js';
import { type ShareAccess, type ShareView } from './share.dto.js';
import { ShareRepository } from './share.repository.js';

/** Apps that one object can be shared with. Each event of the object names them. */
export const MAX_SHARES = 100;

/** What administrators let apps do with the objects of other apps. */
@Injectable()
export class ShareService {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectRepository,
    private readonly shares: ShareRepository,
    private readonly rpc: Rpc,
  ) {}

  /** By the keys of the apps. @throws NOT_FOUND */
  async list({ tenantId }: Principal, apiName: string): Promise<ShareView[]> {
    const { sharedWith = {} } = await this.database.transaction(tenantId, (tx) => this.find(tx, apiName));
    return Object.entries(sharedWith)
      .map(([appKey, access]) => ({ appKey, access }))
      .sort((one, other) => (one.appKey < other.appKey ? -1 : 1));
  }

  /**
   * Takes effect with the next call of the app: shares are part of the definition, so its revision increases.
   * @throws NOT_FOUND for an unknown object and for a key of no app that the workspace may know; VALIDATION_FAILED for the app that
   *   the object belongs to, and for one too many
   */
  async set(principal: Principal, apiName: string, appKey: string, access: ShareAccess): Promise<ShareView> {
    if (!isAppKey(appKey)) throw noSuchApp();
    if (access !== 'none') await this.assertShareable(principal, apiName, appKey);
    return this.database.transaction(principal, async (tx) => {
      await this.objects.lockDefinitions(tx);
      const object = await this.find(tx, apiName);
      const { sharedWith = {} } = object;
      if (object.appKey === appKey) {
        throw new PlatformError(
          'VALIDATION_FAILED',
          'The object belongs to this app, which reads and writes its records',
        );
      }
      if ((sharedWith[appKey] ?? 'none') === access) return { appKey, access };
      if (access === 'none') {
        await this.shares.delete(tx, object.id, appKey);
      } else {
        if (!Object.hasOwn(sharedWith, appKey) && Object.keys(sharedWith).length >= MAX_SHARES) {
          throw new PlatformError('VALIDATION_FAILED', `An object can be shared with ${MAX_SHARES} apps`);
        }
        await this.shares.save(tx, object.id, appKey, access);
      }
      await this.objects.increaseRevision(tx, object.id);
      return { appKey, access };
    });
  }

  /**
   * Asks the marketplace about an app that the object is not shared with yet: what is shared can be changed and ended whatever has
   * become of the app. Before the definitions are locked, so that no write waits for the answer.
   */
  private async assertShareable(principal: Principal, apiName: string, appKey: string): Promise<void> {
    const object = await this.database.transaction(principal.tenantId, (tx) => this.find(tx, apiName));
    if (object.appKey === appKey || Object.hasOwn(object.sharedWith ?? {}, appKey)) return;
    const { known } = await this.rpc.call(rpc.marketplace.isAppKnown, { appKey }, principal);
    if (!known) throw noSuchApp();
  }

  private async find(tx: TenantTransaction, apiName: string): Promise<ObjectDefinition> {
    const object = await this.objects.findByApiName(tx, apiName);
    if (!object) throw noSuchObject();
    return object;
  }
}

const noSuchApp = () => new PlatformError('NOT_FOUND', 'There is no such app');
