import { type NarrowTransaction, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { Raw } from 'typeorm';
import { EmbedClient } from './embed-client.entity.js';
import { STORE_EMBED_CLIENT } from './embed-client.sql.js';

/** What a version of the app says of embedding. */
export type EmbedSettings = Pick<EmbedClient, 'appKey' | 'tenantId' | 'allowedOrigins' | 'scopes' | 'linkUsersBy'>;

export interface NewCredentials
  extends EmbedSettings,
    Pick<EmbedClient, 'clientId' | 'secretHash' | 'reviewed' | 'developmentOrigins'> {
  /** Seconds for which the previous secret stays valid. */
  overlapSeconds: number;
}

const VALID_PREVIOUS = Raw((column) => `${column} > now()`);

@Injectable()
export class EmbedClientRepository {
  async find(tx: NarrowTransaction, clientId: string): Promise<EmbedClient | null> {
    return tx.repository(EmbedClient).findOneBy({ clientId });
  }

  /** The credentials of a tenant's app. */
  async findOfApp(tx: NarrowTransaction, tenantId: string, appKey: string): Promise<EmbedClient | null> {
    return tx.repository(EmbedClient).findOneBy({ tenantId, appKey });
  }

  /**
   * Stores the credentials of an app. An app that has some keeps its client id and gets the new secret and settings.
   * @returns the client id, or null when the app's credentials belong to another tenant
   */
  async upsert(
    tx: NarrowTransaction,
    client: NewCredentials,
  ): Promise<Pick<EmbedClient, 'clientId' | 'previousValidUntil'> | null> {
    const [row] = await tx.query<Pick<EmbedClient, 'clientId' | 'previousValidUntil'>>(STORE_EMBED_CLIENT, [
      client.clientId,
      client.appKey,
      client.tenantId,
      client.secretHash,
      client.allowedOrigins,
      client.scopes,
      client.linkUsersBy,
      client.reviewed,
      client.developmentOrigins,
      client.overlapSeconds,
    ]);
    return row ?? null;
  }

  /**
   * Changes what an app may do with its credentials to what a reviewed version says; the secret stays.
   * @returns whether the tenant's app has credentials
   */
  async update(tx: NarrowTransaction, { appKey, tenantId, ...settings }: EmbedSettings): Promise<boolean> {
    const reviewed = { reviewed: true, developmentOrigins: [], updatedAt: secondsFromNow(0) };
    const { affected } = await tx.repository(EmbedClient).update({ appKey, tenantId }, { ...settings, ...reviewed });
    return affected === 1;
  }

  /**
   * Ends the secret before the present one.
   * @returns whether it was still valid
   */
  async endPrevious(tx: NarrowTransaction, tenantId: string, appKey: string): Promise<boolean> {
    const { affected } = await tx
      .repository(EmbedClient)
      .update(
        { tenantId, appKey, previousValidUntil: VALID_PREVIOUS },
        { previousSecretHash: null, previousValidUntil: secondsFromNow(0) },
      );
    return affected === 1;
  }
}
