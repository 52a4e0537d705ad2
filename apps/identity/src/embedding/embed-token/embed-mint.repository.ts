import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { UserStatus } from '../../accounts/user/user.entity.js';
import { hashSecret, isSecret, newSecret } from '../../secrets/secret.js';
import type { MintClient } from '../embed-client/embed-client.entity.js';
import { READ_EMBED_MINT } from './embed-mint.sql.js';

/** Compared against for an unknown client id, so that it takes as long as a wrong secret. */
const NO_SECRET = hashSecret(newSecret());

interface Presented {
  clientId: string;
  clientSecret: string;
  sub: string;
  /** Normalised. */
  email: string;
}

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

/** Reads what a mint is decided on, in one round trip; a known user is read under a lock that ends with it. */
@Injectable()
export class EmbedMintRepository {
  constructor(private readonly database: Database) {}

  /** @throws PlatformError INVALID_EMBED_CREDENTIALS, the same for an unknown id and a wrong secret */
  async read({ clientId, clientSecret, sub, email }: Presented): Promise<{
    client: MintClient;
    user: KnownHostUser | null;
  }> {
    const parameters = [clientId, hashSecret(clientSecret), sub, email];
    const [row] = await this.database.crossTenantStatement<Row>(READ_EMBED_MINT, parameters);
    const isCurrent = isSecret(row?.secretHash ?? NO_SECRET, clientSecret);
    const isPrevious = isSecret(row?.previousSecretHash ?? NO_SECRET, clientSecret);
    if (!row || !(isCurrent || isPrevious)) throw new PlatformError('INVALID_EMBED_CREDENTIALS');
    return { client: row, user: userOf(row) };
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
