import { PlatformError } from '@crm/contracts';
import { Batches, Database, type Outcome } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { UserStatus } from '../people/people.entity.js';
import { hashOfFingerprint, hashSecret, isHash, newSecret } from '../secrets.js';
import { type MintClient } from './embedding.entity.js';

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
