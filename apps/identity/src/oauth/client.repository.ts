import type { OAuthAppStatus } from '@crm/contracts';
import { Database, type NarrowTransaction, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { hashSecret, isSecret, newSecret } from '../secrets.js';
import { endPreviousSecret } from './client-secrets.js';
import { OAuthApp, OAuthInstallation } from './oauth.entity.js';

/**
 * Registers an installation or renews what is known of it. Gives no row for one that has ended or is another tenant's.
 * $1: installation, $2: tenant, $3: client id for a new one, $4: app key, $5: its name, $6: publisher, $7: whether it is a
 * sandbox, $8: scopes, $9: redirect URIs, $10: those of the scopes that users cannot leave out.
 */
export const REGISTER_OAUTH_INSTALLATION = `
  INSERT INTO oauth_installation AS i
    (installation_id, tenant_id, client_id, app_key, app_name, publisher, sandbox, scopes, redirect_uris,
     required_scopes)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (installation_id) DO UPDATE SET
    app_name = EXCLUDED.app_name, publisher = EXCLUDED.publisher, scopes = EXCLUDED.scopes,
    redirect_uris = EXCLUDED.redirect_uris, required_scopes = EXCLUDED.required_scopes, updated_at = now()
  WHERE i.tenant_id = EXCLUDED.tenant_id AND i.app_key = EXCLUDED.app_key AND i.ended_at IS NULL
  RETURNING client_id AS "clientId"`;

/**
 * Ends an installation for good; one that is not known is noted as ended. One without a name never came about: it failed. Says
 * whether there were credentials to end, which is read, and the row held, before it is changed.
 * $1: installation, $2: tenant, $3: client id for an unknown one, $4: app key, $5: whether it is a sandbox, $6: whether it failed.
 */
export const END_OAUTH_INSTALLATION = `
  WITH before AS (
    SELECT secret_hash IS NOT NULL AS had_secret
      FROM oauth_installation WHERE installation_id = $1 AND tenant_id = $2 FOR UPDATE)
  INSERT INTO oauth_installation AS i
    (installation_id, tenant_id, client_id, app_key, app_name, publisher, sandbox, scopes, redirect_uris, ended_at)
  SELECT $1, $2, $3, $4, CASE WHEN $6::boolean THEN '' ELSE $4 END, '', $5, '{}', '{}', now()
    FROM (VALUES (1)) AS one LEFT JOIN before ON true
  ON CONFLICT (installation_id) DO UPDATE SET
    ended_at = COALESCE(i.ended_at, now()), secret_hash = NULL, previous_secret_hash = NULL, updated_at = now(),
    app_name = CASE WHEN $6::boolean THEN '' ELSE i.app_name END
  WHERE i.tenant_id = EXCLUDED.tenant_id
  RETURNING COALESCE((SELECT had_secret FROM before), false) AS "hadSecret"`;

/**
 * Replaces the secret. The one that is replaced stays valid for a time; what it had replaced itself ends.
 * $1: tenant, $2: installation, $3: hash of the secret, $4: seconds for which the previous secret is valid.
 */
export const ROTATE_OAUTH_SECRET = `
  UPDATE oauth_installation AS i SET
    previous_secret_hash = CASE WHEN $4::float8 > 0 THEN i.secret_hash END,
    previous_secret_created_at = CASE WHEN $4::float8 > 0 THEN i.secret_created_at END,
    previous_secret_last_used_at = CASE WHEN $4::float8 > 0 THEN i.secret_last_used_at END,
    previous_valid_until =
      CASE WHEN $4::float8 > 0 AND i.secret_hash IS NOT NULL THEN now() + make_interval(secs => $4::float8) END,
    secret_hash = $3, secret_created_at = now(), secret_last_used_at = NULL, updated_at = now()
   WHERE i.tenant_id = $1 AND i.installation_id = $2 AND i.ended_at IS NULL
  RETURNING client_id AS "clientId", previous_valid_until AS "previousValidUntil"`;

/** An app embeds again in the workspace of its publisher once that installs it. $1: app key, $2: tenant of an installation. */
export const BEGIN_EMBEDDING = `
  UPDATE embed_client SET ended_at = NULL, updated_at = now() WHERE app_key = $1 AND tenant_id = $2 AND ended_at IS NOT NULL`;

/**
 * It ends when the workspace of its publisher had it installed and has it no more. Gives a row when that is so now.
 * $1: app key, $2: tenant of an installation that has ended.
 */
export const END_EMBEDDING = `
  UPDATE embed_client c SET ended_at = i.ended_at, updated_at = now()
    FROM (SELECT max(ended_at) AS ended_at FROM oauth_installation
           WHERE app_key = $1 AND tenant_id = $2 AND NOT sandbox AND app_name <> ''
          HAVING bool_and(ended_at IS NOT NULL)) AS i
   WHERE c.app_key = $1 AND c.tenant_id = $2 AND c.ended_at IS NULL RETURNING c.client_id`;

/** What a token call needs (migrations/tables/functions.sql). $1: client id, $2: hash of the secret. */
export const READ_OAUTH_CLIENT = `
  SELECT installation_id AS "installationId", tenant_id AS "tenantId", app_key AS "appKey", sandbox, scopes,
    matched_hash AS "matchedHash"
  FROM read_oauth_client($1, $2)`;

/** What tokens for users of an installation are decided on; no row for one that has ended. $1: tenant, $2: installation. */
export const READ_OAUTH_INSTALLATION = `
  SELECT i.app_key AS "appKey", i.sandbox, i.scopes, COALESCE(a.status, 'active') AS "status"
    FROM oauth_installation i LEFT JOIN oauth_app a ON a.app_key = i.app_key
   WHERE i.installation_id = $2 AND i.tenant_id = $1 AND i.ended_at IS NULL`;

export type InstallationFacts = Pick<
  OAuthInstallation,
  | 'installationId'
  | 'tenantId'
  | 'appKey'
  | 'appName'
  | 'publisher'
  | 'sandbox'
  | 'scopes'
  | 'requiredScopes'
  | 'redirectUris'
>;

export type EndedInstallation = Pick<OAuthInstallation, 'installationId' | 'tenantId' | 'appKey' | 'sandbox'> & {
  /** True when it failed while it was being installed. */
  readonly discard: boolean;
};

/** Whom a client acts as: an installation with valid credentials. */
export type AuthenticatedClient = Pick<
  OAuthInstallation,
  'installationId' | 'tenantId' | 'appKey' | 'sandbox' | 'scopes'
> & {
  readonly clientId: string;
};

type RotatedSecret = Pick<OAuthInstallation, 'clientId' | 'previousValidUntil'>;
type InstallationForUsers = Pick<OAuthInstallation, 'appKey' | 'sandbox' | 'scopes'> & {
  readonly status: OAuthAppStatus;
};

/** Compared against for an unknown client id, so that it takes as long as a wrong secret. */
const NO_SECRET = hashSecret(newSecret());

@Injectable()
export class OAuthInstallationRepository {
  constructor(private readonly database: Database) {}

  /** @returns the client id, or null for an installation that has ended or is another tenant's */
  async register(tx: NarrowTransaction, facts: InstallationFacts, newClientId: string): Promise<string | null> {
    const { installationId, tenantId, appKey, appName, publisher, sandbox } = facts;
    const { scopes, redirectUris, requiredScopes } = facts;
    const known = [installationId, tenantId, newClientId, appKey, appName, publisher, sandbox];
    const parameters = [...known, scopes, redirectUris, requiredScopes];
    const [row] = await tx.query<{ clientId: string }>(REGISTER_OAUTH_INSTALLATION, parameters);
    return row?.clientId ?? null;
  }

  async beginEmbedding(tx: NarrowTransaction, { tenantId, appKey }: Pick<OAuthInstallation, 'tenantId' | 'appKey'>) {
    await tx.query(BEGIN_EMBEDDING, [appKey, tenantId]);
  }

  /** @returns whether the app has ceased to embed in the workspace of its publisher, if the tenant is that */
  async endEmbedding(
    tx: NarrowTransaction,
    { tenantId, appKey }: Pick<OAuthInstallation, 'tenantId' | 'appKey'>,
  ): Promise<boolean> {
    return (await tx.query(END_EMBEDDING, [appKey, tenantId])).length > 0;
  }

  /** @returns whether it had credentials */
  async end(
    tx: NarrowTransaction,
    { installationId, tenantId, appKey, sandbox, discard }: EndedInstallation,
    newClientId: string,
  ): Promise<boolean> {
    const parameters = [installationId, tenantId, newClientId, appKey, sandbox, discard];
    const [row] = await tx.query<{ hadSecret: boolean }>(END_OAUTH_INSTALLATION, parameters);
    return row?.hadSecret ?? false;
  }

  async rotate(
    tx: NarrowTransaction,
    { tenantId, installationId }: Pick<OAuthInstallation, 'tenantId' | 'installationId'>,
    secretHash: Buffer,
    overlapSeconds: number,
  ): Promise<RotatedSecret | null> {
    const parameters = [tenantId, installationId, secretHash, overlapSeconds];
    const [row] = await tx.query<RotatedSecret>(ROTATE_OAUTH_SECRET, parameters);
    return row ?? null;
  }

  /** One that has not ended. */
  async find(tx: NarrowTransaction, tenantId: string, installationId: string): Promise<OAuthInstallation | null> {
    return tx.repository(OAuthInstallation).findOneBy({ tenantId, installationId, endedAt: IsNull() });
  }

  /** Finds it in any tenant. */
  async findOfApp(tx: NarrowTransaction, appKey: string, installationId: string): Promise<OAuthInstallation | null> {
    return tx.repository(OAuthInstallation).findOneBy({ appKey, installationId, endedAt: IsNull() });
  }

  /** The installation of an app in a tenant; sandboxes have to be named. */
  async findLive(tx: NarrowTransaction, tenantId: string, appKey: string): Promise<OAuthInstallation | null> {
    return tx.repository(OAuthInstallation).findOneBy({ tenantId, appKey, sandbox: false, endedAt: IsNull() });
  }

  /** What users cannot leave out of what some installations were granted, by installation. */
  async findRequiredScopes(
    tx: NarrowTransaction,
    tenantId: string,
    installationIds: readonly string[],
  ): Promise<ReadonlyMap<string, string[]>> {
    const found = await tx.repository(OAuthInstallation).find({
      select: { installationId: true, requiredScopes: true },
      where: { tenantId, installationId: In([...installationIds]) },
    });
    return new Map(found.map(({ installationId, requiredScopes }) => [installationId, requiredScopes]));
  }

  /** Ends the secret before the present one. @returns whether it was still valid */
  async endPrevious(tx: NarrowTransaction, tenantId: string, installationId: string): Promise<boolean> {
    return endPreviousSecret(tx.repository(OAuthInstallation), { tenantId, installationId });
  }

  /** One round trip, which also notes that the secret was used. @returns null for credentials that are not valid */
  async authenticate(clientId: string, clientSecret: string): Promise<AuthenticatedClient | null> {
    const [row] = await this.database.crossTenantStatement<
      Omit<AuthenticatedClient, 'clientId'> & { matchedHash: Buffer }
    >(READ_OAUTH_CLIENT, [clientId, hashSecret(clientSecret)]);
    if (!isSecret(row?.matchedHash ?? NO_SECRET, clientSecret) || !row) return null;
    const { installationId, tenantId, appKey, sandbox, scopes } = row;
    return { clientId, installationId, tenantId, appKey, sandbox, scopes };
  }

  /** What tokens for users of an installation are decided on; null for one that has ended. */
  async readForUsers(tenantId: string, installationId: string): Promise<InstallationForUsers | null> {
    const parameters = [tenantId, installationId];
    const [row] = await this.database.crossTenantStatement<InstallationForUsers>(READ_OAUTH_INSTALLATION, parameters);
    return row ?? null;
  }
}

@Injectable()
export class OAuthAppRepository {
  async find(tx: NarrowTransaction, appKey: string): Promise<Pick<OAuthApp, 'redirectUris' | 'status'>> {
    return (await tx.repository(OAuthApp).findOneBy({ appKey })) ?? { redirectUris: [], status: 'active' };
  }

  /** Changes what is given; the rest stays. */
  async upsert(
    tx: NarrowTransaction,
    appKey: string,
    changes: Partial<Pick<OAuthApp, 'redirectUris' | 'status'>>,
  ): Promise<void> {
    await tx.repository(OAuthApp).upsert({ appKey, ...changes, updatedAt: secondsFromNow(0) }, ['appKey']);
  }
}
