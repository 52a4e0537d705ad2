import { type NarrowTransaction, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { endPreviousSecret } from '../oauth/client-secrets.js';
import { hasChangedOne } from '../tenant-row.js';
import { EmbedClient } from './embedding.entity.js';

/**
 * Gives no row when the app's credentials belong to another tenant. The secret that is replaced stays valid for a time; what it
 * had replaced itself ends. Of an app that was uninstalled before they mint nothing; an installation that never came about counts
 * for nothing.
 * $1: client id, $2: app key, $3: tenant, $4: hash of the secret, $5: origins, $6: scopes, $7: how users are linked,
 * $8: whether a version was reviewed, $9: origins of the development, $10: seconds for which the previous secret is valid,
 * $11: who issues the secret.
 */
export const STORE_EMBED_CLIENT = `
  INSERT INTO embed_client AS c
    (client_id, app_key, tenant_id, secret_hash, allowed_origins, scopes, link_users_by, reviewed, development_origins, issued_by,
     ended_at)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $11, CASE WHEN bool_and(i.ended_at IS NOT NULL) THEN max(i.ended_at) END
    FROM oauth_installation i WHERE i.app_key = $2 AND i.tenant_id = $3 AND NOT i.sandbox AND i.app_name <> ''
  ON CONFLICT (app_key) DO UPDATE SET
    previous_secret_hash = CASE WHEN $10::float8 > 0 THEN c.secret_hash END,
    previous_secret_created_at = CASE WHEN $10::float8 > 0 THEN c.secret_created_at END,
    previous_secret_last_used_at = CASE WHEN $10::float8 > 0 THEN c.secret_last_used_at END,
    previous_issued_by = c.issued_by, issued_by = EXCLUDED.issued_by,
    previous_valid_until = CASE WHEN $10::float8 > 0 THEN now() + make_interval(secs => $10::float8) END,
    secret_hash = EXCLUDED.secret_hash, secret_created_at = now(), secret_last_used_at = NULL,
    allowed_origins = EXCLUDED.allowed_origins, scopes = EXCLUDED.scopes, link_users_by = EXCLUDED.link_users_by,
    reviewed = EXCLUDED.reviewed, development_origins = EXCLUDED.development_origins, updated_at = now()
  WHERE c.tenant_id = EXCLUDED.tenant_id
  RETURNING client_id AS "clientId", previous_valid_until AS "previousValidUntil"`;

/** Reads an app that is neither revoked nor uninstalled by its publisher. $1: client id. */
export const READ_EMBED_ORIGINS = `
  SELECT c.tenant_id AS "tenantId", c.allowed_origins || c.development_origins AS origins FROM embed_client c
   WHERE c.client_id = $1 AND c.ended_at IS NULL
     AND NOT EXISTS (SELECT 1 FROM oauth_app a WHERE a.app_key = c.app_key AND a.status = 'revoked')`;

/** What a version of the app says of embedding. */
export type EmbedSettings = Pick<EmbedClient, 'appKey' | 'tenantId' | 'allowedOrigins' | 'scopes' | 'linkUsersBy'>;

export interface NewCredentials
  extends EmbedSettings,
    Pick<EmbedClient, 'clientId' | 'secretHash' | 'reviewed' | 'developmentOrigins' | 'issuedBy'> {
  /** Seconds for which the previous secret stays valid. */
  overlapSeconds: number;
}

type StoredCredentials = Pick<EmbedClient, 'clientId' | 'previousValidUntil'>;

@Injectable()
export class EmbedClientRepository {
  /** @returns null for an unknown client, and for an app whose embedding has ended */
  async readOrigins(tx: NarrowTransaction, clientId: string): Promise<{ tenantId: string; origins: string[] } | null> {
    return (await tx.query<{ tenantId: string; origins: string[] }>(READ_EMBED_ORIGINS, [clientId]))[0] ?? null;
  }

  /** The credentials of a tenant's app. */
  async findOfApp(tx: NarrowTransaction, tenantId: string, appKey: string): Promise<EmbedClient | null> {
    return tx.repository(EmbedClient).findOneBy({ tenantId, appKey });
  }

  /** The client id of an app stays. @returns null when the app's credentials belong to another tenant */
  async upsert(tx: NarrowTransaction, client: NewCredentials): Promise<StoredCredentials | null> {
    const [row] = await tx.query<StoredCredentials>(STORE_EMBED_CLIENT, [
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
      client.issuedBy,
    ]);
    return row ?? null;
  }

  /** Applies what a reviewed version says; the secret stays. @returns whether the tenant's app has credentials */
  async update(tx: NarrowTransaction, { appKey, tenantId, ...settings }: EmbedSettings): Promise<boolean> {
    const reviewed = { reviewed: true, developmentOrigins: [], updatedAt: secondsFromNow(0) };
    return hasChangedOne(await tx.repository(EmbedClient).update({ appKey, tenantId }, { ...settings, ...reviewed }));
  }

  /** @returns whether the tenant's app had credentials */
  async delete(tx: NarrowTransaction, tenantId: string, appKey: string): Promise<boolean> {
    return hasChangedOne(await tx.repository(EmbedClient).delete({ tenantId, appKey }));
  }

  /** Ends the secret before the present one. @returns whether it was still valid */
  async endPrevious(tx: NarrowTransaction, tenantId: string, appKey: string): Promise<boolean> {
    return endPreviousSecret(tx.repository(EmbedClient), { tenantId, appKey });
  }
}
