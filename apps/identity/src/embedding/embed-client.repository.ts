import { type NarrowTransaction, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { endPreviousSecret } from '../oauth/client-secrets.js';
import { EmbedClient } from './embedding.entity.js';

/**
 * Gives no row when the app's credentials belong to another tenant. The secret that is replaced stays valid for a time; what it
 * had replaced itself ends.
 * $1: client id, $2: app key, $3: tenant, $4: hash of the secret, $5: origins, $6: scopes, $7: how users are linked,
 * $8: whether a version was reviewed, $9: origins of the development, $10: seconds for which the previous secret is valid.
 */
export const STORE_EMBED_CLIENT = `
  INSERT INTO embed_client AS c
    (client_id, app_key, tenant_id, secret_hash, allowed_origins, scopes, link_users_by, reviewed, development_origins)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (app_key) DO UPDATE SET
    previous_secret_hash = CASE WHEN $10::float8 > 0 THEN c.secret_hash END,
    previous_secret_created_at = CASE WHEN $10::float8 > 0 THEN c.secret_created_at END,
    previous_secret_last_used_at = CASE WHEN $10::float8 > 0 THEN c.secret_last_used_at END,
    previous_valid_until = CASE WHEN $10::float8 > 0 THEN now() + make_interval(secs => $10::float8) END,
    secret_hash = EXCLUDED.secret_hash, secret_created_at = now(), secret_last_used_at = NULL,
    allowed_origins = EXCLUDED.allowed_origins, scopes = EXCLUDED.scopes, link_users_by = EXCLUDED.link_users_by,
    reviewed = EXCLUDED.reviewed, development_origins = EXCLUDED.development_origins, updated_at = now()
  WHERE c.tenant_id = EXCLUDED.tenant_id
  RETURNING client_id AS "clientId", previous_valid_until AS "previousValidUntil"`;

/** What a version of the app says of embedding. */
export type EmbedSettings = Pick<EmbedClient, 'appKey' | 'tenantId' | 'allowedOrigins' | 'scopes' | 'linkUsersBy'>;

export interface NewCredentials
  extends EmbedSettings,
    Pick<EmbedClient, 'clientId' | 'secretHash' | 'reviewed' | 'developmentOrigins'> {
  /** Seconds for which the previous secret stays valid. */
  overlapSeconds: number;
}

type StoredCredentials = Pick<EmbedClient, 'clientId' | 'previousValidUntil'>;

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

  /** Ends the secret before the present one. @returns whether it was still valid */
  async endPrevious(tx: NarrowTransaction, tenantId: string, appKey: string): Promise<boolean> {
    return endPreviousSecret(tx.repository(EmbedClient), { tenantId, appKey });
  }
}
