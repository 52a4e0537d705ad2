import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { UserStatus } from '../people/people.entity.js';
import { hashOfFingerprint, hashSecret, isHash, newSecret } from '../secret.js';
import type { MintClient } from './embedding.entity.js';

/** Mints that are read in one statement. A batch of the broker has at most as many. */
const MAX_AT_ONCE = 64;

interface Waiting<Key, Row> {
  readonly key: Key;
  resolve(row: Row | undefined): void;
  reject(error: unknown): void;
}

/** Collects what is asked for in one turn of the event loop and reads it with one statement. */
class ReadTogether<Key, Row> {
  private waiting: Waiting<Key, Row>[] = [];

  /** @param read resolves to a row, or none, for each key by its position */
  constructor(private readonly read: (keys: readonly Key[]) => Promise<ReadonlyMap<number, Row>>) {}

  /** @throws what the reading of all of them throws */
  one(key: Key): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, resolve, reject });
      if (this.waiting.length === 1) setImmediate(() => this.flush());
      else if (this.waiting.length === MAX_AT_ONCE) this.flush();
    });
  }

  private flush(): void {
    const waiting = this.waiting;
    this.waiting = [];
    if (waiting.length === 0) return;
    this.read(waiting.map(({ key }) => key)).then(
      (rows) => {
        for (const [position, { resolve }] of waiting.entries()) resolve(rows.get(position));
      },
      (error: unknown) => {
        for (const { reject } of waiting) reject(error);
      },
    );
  }
}

/**
 * All that a mint needs to know, in one statement (migrations/tables/functions.ts). No row for an unknown client and
 * a wrong secret; no user for a `sub` that is not known.
 * $1: client id, $2: hash of the secret, $3: sub, $4: normalised address.
 */
export const READ_EMBED_MINT = `
  SELECT app_key AS "appKey", tenant_id AS "tenantId", secret_hash AS "secretHash",
    previous_secret_hash AS "previousSecretHash", allowed_origins AS "allowedOrigins", scopes,
    link_users_by AS "linkUsersBy", user_id AS "userId", user_email AS "userEmail", user_roles AS "userRoles",
    user_status AS "userStatus", undone, belongs_elsewhere AS "belongsElsewhere", conflicts,
    conflicts_reset_seconds AS "conflictsResetSeconds"
  FROM read_embed_mint($1, $2, $3, $4)`;

/**
 * The same for many mints, of those that are plain: no row for any other (migrations/tables/functions.ts).
 * $1: client ids, $2: hashes of the secrets, $3: subs, $4: normalised addresses. `position` counts from 1.
 */
export const READ_KNOWN_EMBED_MINTS = `
  SELECT position::int AS position, app_key AS "appKey", tenant_id AS "tenantId", secret_hash AS "secretHash",
    NULL::bytea AS "previousSecretHash", allowed_origins AS "allowedOrigins", scopes, link_users_by AS "linkUsersBy",
    user_id AS "userId", user_email AS "userEmail", user_roles AS "userRoles", user_status AS "userStatus", undone,
    belongs_elsewhere AS "belongsElsewhere", NULL::int AS conflicts, NULL::float8 AS "conflictsResetSeconds"
  FROM read_known_embed_mints($1, $2, $3, $4)`;

/** Compared against for an unknown client id, so that it takes as long as a wrong secret. */
const NO_SECRET = hashSecret(newSecret());

interface Presented {
  clientId: string;
  /** Of the secret. */
  fingerprint: string;
  sub: string;
  /** Normalised. */
  email: string;
}

/** What identifies a mint: client id, hash of the secret, sub, normalised address. */
type Key = readonly [clientId: string, secretHash: Buffer, sub: string, email: string];

interface Row extends MintClient {
  secretHash: Buffer;
  previousSecretHash: Buffer | null;
  userId: string | null;
  userEmail: string | null;
  userRoles: string[] | null;
  userStatus: UserStatus | null;
  undone: boolean | null;
  belongsElsewhere: boolean | null;
  conflicts: number | null;
  conflictsResetSeconds: number | null;
}

/** The user that a `sub` is mapped to, and what is known of the address that came with it. */
export interface KnownHostUser {
  id: string;
  email: string;
  roles: string[];
  status: UserStatus;
  /** Whether the user has undone the link. */
  undone: boolean;
  /** Whether the presented address belongs to a user of another workspace. */
  belongsElsewhere: boolean;
  /** Of the app, in the present hour; read only when the presented address is not the user's. */
  conflicts: { used: number; resetSeconds: number } | null;
}

/**
 * Reads what a mint is decided on; a known user is read under a lock that ends with it. Mints of the same turn of the event loop
 * are read with one statement, as long as they are plain: the others, which are few, follow one by one.
 */
@Injectable()
export class EmbedMintRepository {
  private readonly plain = new ReadTogether<Key, Row>((keys) => this.readPlain(keys));

  constructor(private readonly database: Database) {}

  /** @throws PlatformError INVALID_EMBED_CREDENTIALS, the same for an unknown id and a wrong secret */
  async read({ clientId, fingerprint, sub, email }: Presented): Promise<{
    client: MintClient;
    user: KnownHostUser | null;
  }> {
    const secretHash = hashOfFingerprint(fingerprint);
    const key = [clientId, secretHash, sub, email] as const;
    const row = (await this.plain.one(key)) ?? (await this.readAny(key));
    const isCurrent = isHash(row?.secretHash ?? NO_SECRET, secretHash);
    const isPrevious = isHash(row?.previousSecretHash ?? NO_SECRET, secretHash);
    if (!row || !(isCurrent || isPrevious)) throw new PlatformError('INVALID_EMBED_CREDENTIALS');
    return { client: row, user: userOf(row) };
  }

  private async readPlain(keys: readonly Key[]): Promise<Map<number, Row>> {
    const column = <Index extends 0 | 1 | 2 | 3>(index: Index) => keys.map((key) => key[index]);
    const parameters = [column(0), column(1), column(2), column(3)];
    const rows = await this.database.crossTenantStatement<Row & { position: number }>(
      READ_KNOWN_EMBED_MINTS,
      parameters,
    );
    return new Map(rows.map((row) => [row.position - 1, row]));
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
    belongsElsewhere: row.belongsElsewhere === true,
    conflicts: conflicts === null ? null : { used: conflicts, resetSeconds: conflictsResetSeconds ?? 0 },
  };
}
