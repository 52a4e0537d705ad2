import { type OAuthAppStatus, rpc } from '@crm/contracts';
import { Database, type NarrowTransaction, Sweeper, secondsFromNow } from '@crm/database';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { VersionRepository } from '../catalogue/catalogue.repository.js';
import { highestFirst } from '../catalogue/version-state.js';
import { ClientStatus } from './credentials.entity.js';
import { EmbedCredentialService } from './embed-credential.service.js';

export type ClientChange = { readonly status: OAuthAppStatus } | { readonly settingsChanged: true };

@Injectable()
export class ClientStatusRepository {
  /** The later decision counts: it takes the place of one that identity has not learned, and waits for one it is being told. */
  async put(tx: NarrowTransaction, appKey: string, change: ClientChange): Promise<void> {
    await tx.repository(ClientStatus).upsert({ appKey, ...change, decidedAt: secondsFromNow(0) }, ['appKey']);
  }

  async listKeys(tx: NarrowTransaction, limit: number): Promise<string[]> {
    const rows = await tx
      .repository(ClientStatus)
      .find({ select: { appKey: true }, order: { decidedAt: 'ASC' }, take: limit });
    return rows.map(({ appKey }) => appKey);
  }

  /** Holds a decision until the transaction ends. @returns null for one that is gone, or that another process holds */
  async take(tx: NarrowTransaction, appKey: string): Promise<Pick<ClientStatus, 'status' | 'settingsChanged'> | null> {
    const lock = { mode: 'pessimistic_write', onLocked: 'skip_locked' } as const;
    return tx.repository(ClientStatus).findOne({ where: { appKey }, lock });
  }

  async delete(tx: NarrowTransaction, appKey: string): Promise<void> {
    await tx.repository(ClientStatus).delete({ appKey });
  }
}

const EVERY_MS = 5_000;
/** Operators decide about a few apps in a year. */
const MOST = 100;

/**
 * What operators decide about an app, for its tokens: identity issues them. A decision is stored with its other consequences and
 * told afterwards, as often as it takes: an app is suspended also while identity is away, and what a publication allows is in
 * force only once it has happened.
 */
@Injectable()
export class ClientStatusService extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly statuses: ClientStatusRepository,
    private readonly versions: VersionRepository,
    private readonly embeds: EmbedCredentialService,
    private readonly rpc: Rpc,
  ) {
    super({ everyMs: EVERY_MS, atStart: true });
  }

  /**
   * Stores what identity is to learn; after the commit {@link tell} tells it.
   * @param change the status of the app, or a publication: who may frame the CRM, with which scopes, and where authorizations
   *   may lead
   */
  async decide(tx: NarrowTransaction, appKey: string, change: ClientChange): Promise<void> {
    await this.statuses.put(tx, appKey, change);
  }

  /**
   * Tells identity what was decided about an app, if it has yet to learn it. One that cannot be told stays, and is told again.
   * The row is held meanwhile, so that a later decision is told later.
   */
  async tell(appKey: string): Promise<void> {
    try {
      await this.database.crossTenant(async (tx) => {
        const untold = await this.statuses.take(tx, appKey);
        if (untold === null) return;
        const { status, settingsChanged } = untold;
        if (settingsChanged) await this.tellSettings(tx, appKey);
        if (status !== null) await this.rpc.call(rpc.identity.setOAuthAppStatus, { appKey, status });
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

  /**
   * The settings of the version that tenants have count, also while it is suspended. One without a section ends what the version before allowed.
   * A revoked app has none, and needs none.
   */
  private async tellSettings(tx: NarrowTransaction, appKey: string): Promise<void> {
    const versions = await this.versions.listOfApp(tx, appKey);
    const [current] = versions
      .filter(({ status }) => status === 'published' || status === 'suspended')
      .sort(highestFirst);
    if (!current) return;
    const { embed, oauth } = await this.versions.getManifest(tx, current.id);
    await this.embeds.follow(current.tenantId, appKey, embed);
    await this.rpc.call(rpc.identity.updateOAuthApp, { appKey, redirectUris: oauth?.redirectUris ?? [] });
  }

  async sweep(stopping?: AbortSignal): Promise<void> {
    for (const appKey of await this.database.crossTenant((tx) => this.statuses.listKeys(tx, MOST))) {
      if (stopping?.aborted) return;
      await this.tell(appKey);
    }
  }
}
