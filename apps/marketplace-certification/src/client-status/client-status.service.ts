import { type OAuthAppStatus, rpc } from '@crm/contracts';
import { Database, type NarrowTransaction } from '@crm/database';
import { Rpc } from '@crm/messaging';
import { Injectable, Logger } from '@nestjs/common';
import { ClientStatusRepository } from './client-status.repository.js';

/**
 * What operators decide about an app, for its tokens: identity issues them. A decision is stored with its other consequences and
 * told afterwards, as often as it takes: an app is suspended also while identity is away.
 */
@Injectable()
export class ClientStatusService {
  private readonly logger = new Logger(ClientStatusService.name);

  constructor(
    private readonly database: Database,
    private readonly statuses: ClientStatusRepository,
    private readonly rpc: Rpc,
  ) {}

  /** Stores what identity is to learn; after the commit {@link tell} tells it. */
  async decide(tx: NarrowTransaction, appKey: string, status: OAuthAppStatus): Promise<void> {
    await this.statuses.put(tx, appKey, status);
  }

  /**
   * Tells identity what was decided about an app, if it has yet to learn it. One that cannot be told stays, and is told again.
   * The row is held meanwhile, so that a later decision is told later.
   */
  async tell(appKey: string): Promise<void> {
    try {
      await this.database.crossTenant(async (tx) => {
        const status = await this.statuses.take(tx, appKey);
        if (status === null) return;
        await this.rpc.call(rpc.identity.setOAuthAppStatus, { appKey, status });
        await this.statuses.delete(tx, appKey);
      });
    } catch (error) {
      this.logger.warn({
        msg: 'Identity has not learned a decision about an app; it is told again',
        err: error,
        appKey,
      });
    }
  }

  /** Keys of apps about which identity has yet to learn something. */
  async listUntold(limit: number): Promise<string[]> {
    return this.database.crossTenant((tx) => this.statuses.listKeys(tx, limit));
  }
}
