import { type NarrowTransaction, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { EmbedClient } from './embed-client.entity.js';
import { STORE_EMBED_CLIENT } from './embed-client.sql.js';

export type EmbedClientSettings = Omit<EmbedClient, 'updatedAt'>;

@Injectable()
export class EmbedClientRepository {
  async find(tx: NarrowTransaction, clientId: string): Promise<EmbedClient | null> {
    return tx.repository(EmbedClient).findOneBy({ clientId });
  }

  /**
   * Stores the credentials of an app. An app that has some keeps its client id and gets the new secret and settings.
   * @returns the client id, or null when the app's credentials belong to another tenant
   */
  async upsert(tx: NarrowTransaction, client: EmbedClientSettings): Promise<string | null> {
    const [row] = await tx.query<{ clientId: string }>(STORE_EMBED_CLIENT, [
      client.clientId,
      client.appKey,
      client.tenantId,
      client.secretHash,
      client.allowedOrigins,
      client.scopes,
      client.linkUsersBy,
    ]);
    return row?.clientId ?? null;
  }

  /**
   * Changes what an app may do with its credentials; the secret stays.
   * @returns whether the tenant's app has credentials
   */
  async update(tx: NarrowTransaction, client: Omit<EmbedClientSettings, 'clientId' | 'secretHash'>): Promise<boolean> {
    const { appKey, tenantId, allowedOrigins, scopes, linkUsersBy } = client;
    const { affected } = await tx
      .repository(EmbedClient)
      .update({ appKey, tenantId }, { allowedOrigins, scopes, linkUsersBy, updatedAt: secondsFromNow(0) });
    return affected === 1;
  }
}
