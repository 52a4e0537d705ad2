import { PlatformError } from '@crm/contracts';
import {
  Batches,
  Database,
  type NarrowTransaction,
  type Outcome,
  secondsFromNow,
  type TenantTransaction,
  type Transaction,
} from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull, MoreThanOrEqual, Not } from 'typeorm';
import { endPreviousSecret } from '../oauth/client-secrets.js';
import type { UserStatus } from '../people/people.entity.js';
import { hashOfFingerprint, hashSecret, isHash, newSecret } from '../secrets.js';
import { FOR_UPDATE, FUTURE, hasChangedOne } from '../tenant-row.js';
import { EmbedClient, EmbedUser, type MintClient } from './embedding.entity.js';

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

/** Held until the transaction ends. $1: what names the host user. */
export const LOCK_HOST_USER = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

/** Which user of the tenant a host user is. */
@Injectable()
export class EmbedUserRepository {
  /** Makes changes of one host user wait for each other until the transaction ends, so that the first provisions alone. */
  async lock(tx: Transaction, tenantId: string, appKey: string, sub: string): Promise<void> {
    await tx.query(LOCK_HOST_USER, [JSON.stringify(['embed_user', tenantId, appKey, sub])]);
  }

  async find(tx: Transaction, tenantId: string, appKey: string, sub: string): Promise<EmbedUser | null> {
    return tx.repository(EmbedUser).findOneBy({ tenantId, appKey, sub });
  }

  /** Returns whether a user has undone a link that an app's host has made, and no administrator has made it again. */
  async hasUndone(tx: NarrowTransaction, tenantId: string, appKey: string, userId: string): Promise<boolean> {
    return tx.repository(EmbedUser).existsBy({ tenantId, appKey, userId, undoneAt: Not(IsNull()) });
  }

  /** Maps a host user for the first time. @param undo by which the user can undo it */
  async insert(
    tx: NarrowTransaction,
    tenantId: string,
    appKey: string,
    sub: string,
    userId: string,
    undo?: { undoHash: Buffer; undoDays: number },
  ): Promise<void> {
    await tx.repository(EmbedUser).insert({
      tenantId,
      appKey,
      sub,
      userId,
      ...(undo && { undoHash: undo.undoHash, undoExpiresAt: secondsFromNow(undo.undoDays * 24 * 3600) }),
    });
  }

  /** Holds the links of a user that can still be undone until the transaction ends. */
  async lockUndoable(tx: TenantTransaction, userId: string): Promise<EmbedUser[]> {
    return tx.repository(EmbedUser).find({
      where: { tenantId: tx.tenantId, userId, undoExpiresAt: FUTURE },
      order: { appKey: 'ASC', sub: 'ASC' },
      lock: FOR_UPDATE,
    });
  }

  async undo(tx: TenantTransaction, { appKey, sub }: Pick<EmbedUser, 'appKey' | 'sub'>): Promise<void> {
    await tx.repository(EmbedUser).update({ tenantId: tx.tenantId, appKey, sub }, undone());
  }

  /** Undoes the links of a user that were made from a time on, by the host's word or by an administrator. */
  async undoSince(tx: TenantTransaction, userId: string, since: Date): Promise<void> {
    const links = { tenantId: tx.tenantId, userId, linkedAt: MoreThanOrEqual(since), undoneAt: IsNull() };
    await tx.repository(EmbedUser).update(links, undone());
  }

  /** Maps a host user and replaces an existing mapping, also one that was undone. */
  async link(tx: TenantTransaction, appKey: string, sub: string, userId: string): Promise<void> {
    await tx
      .repository(EmbedUser)
      .createQueryBuilder()
      .insert()
      .values({ appKey, sub, userId, undoHash: null, undoExpiresAt: null, linkedAt: secondsFromNow(0), undoneAt: null })
      .orUpdate(['user_id', 'undo_hash', 'undo_expires_at', 'linked_at', 'undone_at'], ['tenant_id', 'app_key', 'sub'])
      .execute();
  }
}

const undone = () => ({ undoHash: null, undoExpiresAt: null, undoneAt: secondsFromNow(0) });

/** All that a mint needs (migrations/tables/functions.sql). $1: client id, $2: hash of the secret, $3: sub, $4: address, $5: name. */
export const READ_EMBED_MINT = `
  SELECT app_key AS "appKey", tenant_id AS "tenantId", secret_hash AS "secretHash",
    previous_secret_hash AS "previousSecretHash", allowed_origins AS "allowedOrigins", scopes,
    link_users_by AS "linkUsersBy", issuer_roles AS "issuerRoles", user_id AS "userId", user_email AS "userEmail",
    user_roles AS "userRoles", user_status AS "userStatus", undone, by_address AS "byAddress", belongs_elsewhere AS "belongsElsewhere", conflicts,
    conflicts_reset_seconds AS "conflictsResetSeconds", address_taken AS "addressTaken", outdated, ended
  FROM read_embed_mint($1, $2, $3, $4, $5)`;

/**
 * The same for many mints, of those that are plain: no row for any other (migrations/tables/functions.sql).
 * $1: client ids, $2: hashes of the secrets, $3: subs, $4: normalised addresses, $5: names. `position` counts from 1.
 */
export const READ_KNOWN_EMBED_MINTS = `
  SELECT position::int AS position, app_key AS "appKey", tenant_id AS "tenantId", secret_hash AS "secretHash",
    NULL::bytea AS "previousSecretHash", allowed_origins AS "allowedOrigins", scopes, link_users_by AS "linkUsersBy",
    issuer_roles AS "issuerRoles", user_id AS "userId", user_email AS "userEmail", user_roles AS "userRoles",
    user_status AS "userStatus", undone, by_address AS "byAddress", belongs_elsewhere AS "belongsElsewhere", NULL::int AS conflicts, NULL::float8 AS "conflictsResetSeconds",
    false AS "addressTaken", false AS outdated, false AS ended
  FROM read_known_embed_mints($1, $2, $3, $4, $5)`;

/** Compared against for an unknown client id, so that it takes as long as a wrong secret. */
const NO_SECRET = hashSecret(newSecret());

export interface Presented {
  clientId: string;
  fingerprint: string;
  sub: string;
  /** Normalised. */
  email: string;
  name: string;
}

/** What identifies a mint: client id, hash of the secret, sub, normalised address, name. */
type Key = readonly [clientId: string, secretHash: Buffer, sub: string, email: string, name: string];

interface Row extends MintClient {
  secretHash: Buffer;
  previousSecretHash: Buffer | null;
  userId: string | null;
  userEmail: string | null;
  userRoles: string[] | null;
  userStatus: UserStatus | null;
  undone: boolean | null;
  byAddress: boolean | null;
  belongsElsewhere: boolean | null;
  conflicts: number | null;
  conflictsResetSeconds: number | null;
  addressTaken: boolean | null;
  outdated: boolean | null;
  ended: boolean | null;
}

/** The user that a `sub` is mapped to, and what is known of the address that came with it. */
export interface KnownHostUser {
  id: string;
  email: string;
  roles: string[];
  status: UserStatus;
  undone: boolean;
  /** True when the host has made the link, by the address of the user. */
  byAddress: boolean;
  /** True when the presented address is not the user's, and a person who is in other workspaces only has proven it. */
  belongsElsewhere: boolean;
  /** The app's conflicts in the current hour; read only when the presented address is not the user's. */
  conflicts: { used: number; resetSeconds: number } | null;
  /** True when the presented address is not the user's, whom the host has brought, because another user of the workspace has it. */
  addressTaken: boolean;
  /** True when the host says another name of the user whom it has brought, or an address that is free. */
  outdated: boolean;
}

/**
 * Reads what a mint is decided on; a known user is read under a lock that ends with it. Mints of the same turn of the event loop
 * are read with one statement, as long as they are plain: the others, which are few, follow one by one.
 */
@Injectable()
export class EmbedMintRepository {
  private readonly reads = new Batches<Key, Row | undefined>({
    executeBatch: (keys) => this.readPlain(keys),
    executeOne: (key) => this.readAny(key),
  });

  constructor(private readonly database: Database) {}

  /**
   * @throws PlatformError INVALID_EMBED_CREDENTIALS, the same for an unknown id and a wrong secret; EMBED_APP_ENDED for an app that
   *   is revoked, or that the workspace of its publisher has uninstalled
   */
  async read({ clientId, fingerprint, sub, email, name }: Presented): Promise<{
    client: MintClient;
    user: KnownHostUser | null;
  }> {
    const secretHash = hashOfFingerprint(fingerprint);
    const key = [clientId, secretHash, sub, email, name] as const;
    const row = await this.reads.run('mint', key);
    const isCurrent = isHash(row?.secretHash ?? NO_SECRET, secretHash);
    const isPrevious = isHash(row?.previousSecretHash ?? NO_SECRET, secretHash);
    if (!row || !(isCurrent || isPrevious)) throw new PlatformError('INVALID_EMBED_CREDENTIALS');
    if (row.ended) throw new PlatformError('EMBED_APP_ENDED');
    return { client: row, user: userOf(row) };
  }

  /** Nothing for a mint that is not plain. */
  private async readPlain(keys: readonly Key[]): Promise<Outcome<Row>[]> {
    const column = <Index extends 0 | 1 | 2 | 3 | 4>(index: Index) => keys.map((key) => key[index]);
    const parameters = [column(0), column(1), column(2), column(3), column(4)];
    const rows = await this.database.crossTenantStatement<Row & { position: number }>(
      READ_KNOWN_EMBED_MINTS,
      parameters,
    );
    const byPosition = new Map(rows.map((row) => [row.position - 1, row]));
    return keys.map((_, position) => {
      const result = byPosition.get(position);
      return result ? { result } : null;
    });
  }

  private async readAny(key: Key): Promise<Row | undefined> {
    const [row] = await this.database.crossTenantStatement<Row>(READ_EMBED_MINT, key);
    return row;
  }
}

function userOf(row: Row): KnownHostUser | null {
  const { userId, userEmail, userRoles, userStatus, conflicts, conflictsResetSeconds } = row;
  // A mapping without its user: they were erased while the function read.
  if (userId === null || userEmail === null || !userRoles || !userStatus) return null;
  return {
    id: userId,
    email: userEmail,
    roles: userRoles,
    status: userStatus,
    undone: row.undone === true,
    byAddress: row.byAddress === true,
    belongsElsewhere: row.belongsElsewhere === true,
    conflicts: conflicts === null ? null : { used: conflicts, resetSeconds: conflictsResetSeconds ?? 0 },
    addressTaken: row.addressTaken === true,
    outdated: row.outdated === true,
  };
}
