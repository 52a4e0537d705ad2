import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { UserStatus } from '../people/user.entity.js';
import { hashOfFingerprint, hashSecret, isHash, newSecret } from '../secret.js';
import type { MintClient } from './embed-client.entity.js';
import { READ_EMBED_MINT, READ_KNOWN_EMBED_MINTS } from './embed-mint.sql.js';
import { ReadTogether } from './read-together.js';

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
