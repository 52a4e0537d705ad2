import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** Credentials of an embed app. The tenant is the app's own workspace, whose users it embeds. */
export interface EmbedClient {
  clientId: string;
  appKey: string;
  tenantId: string;
  /** SHA-256 of the secret. */
  secretHash: Buffer;
  allowedOrigins: string[];
  scopes: string[];
  linkUsersBy: 'email' | 'explicit';
}

const COLUMNS = `client_id AS "clientId", app_key AS "appKey", tenant_id AS "tenantId", secret_hash AS "secretHash",
  allowed_origins AS "allowedOrigins", scopes, link_users_by AS "linkUsersBy"`;

@Injectable()
export class EmbedClientRepository {
  async find(tx: NarrowTransaction, clientId: string): Promise<EmbedClient | null> {
    const [row] = await tx.query<EmbedClient>(`SELECT ${COLUMNS} FROM embed_client WHERE client_id = $1`, [clientId]);
    return row ?? null;
  }

  /**
   * Stores the credentials of an app. An app that has some keeps its client id and gets the new secret and settings.
   * @returns the client id, or null when the app's credentials belong to another tenant
   */
  async upsert(tx: NarrowTransaction, client: EmbedClient): Promise<string | null> {
    const [row] = await tx.query<{ clientId: string }>(
      `INSERT INTO embed_client AS c
         (client_id, app_key, tenant_id, secret_hash, allowed_origins, scopes, link_users_by)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (app_key) DO UPDATE SET
         secret_hash = EXCLUDED.secret_hash, allowed_origins = EXCLUDED.allowed_origins, scopes = EXCLUDED.scopes,
         link_users_by = EXCLUDED.link_users_by, updated_at = now()
       WHERE c.tenant_id = EXCLUDED.tenant_id
       RETURNING client_id AS "clientId"`,
      [
        client.clientId,
        client.appKey,
        client.tenantId,
        client.secretHash,
        client.allowedOrigins,
        client.scopes,
        client.linkUsersBy,
      ],
    );
    return row?.clientId ?? null;
  }

  /**
   * Changes what an app may do with its credentials; the secret stays.
   * @returns whether the tenant's app has credentials
   */
  async update(tx: NarrowTransaction, client: Omit<EmbedClient, 'clientId' | 'secretHash'>): Promise<boolean> {
    const rows = await tx.query(
      `UPDATE embed_client SET allowed_origins = $3, scopes = $4, link_users_by = $5, updated_at = now()
       WHERE app_key = $1 AND tenant_id = $2 RETURNING client_id`,
      [client.appKey, client.tenantId, client.allowedOrigins, client.scopes, client.linkUsersBy],
    );
    return rows.length === 1;
  }
}
