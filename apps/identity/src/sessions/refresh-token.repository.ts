import type { Database, NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { hashSecret, newSecret } from '../secret.js';
import { RefreshToken } from './refresh-token.entity.js';
import { FIND_SPENT_REFRESH_TOKEN, ROTATE_REFRESH_TOKEN, STORE_REFRESH_TOKEN } from './refresh-token.sql.js';
import { openSuccessor, sealSuccessor } from './sealed-successor.js';

/** How long a client that lost the answer is given the same successor again. */
export const GRACE_SECONDS = 10;

/** Whose token it is. */
export type RefreshTokenOwner = Pick<RefreshToken, 'sessionId' | 'tenantId' | 'userId'>;

/**
 * What a presented token turned out to be. `reused`: it was exchanged before and its successor was used, or too long ago, so
 * two parties hold it.
 */
export type Rotation =
  | { outcome: 'rotated'; owner: RefreshTokenOwner; successor: string }
  | { outcome: 'reused'; owner: RefreshTokenOwner }
  | { outcome: 'unknown' };

/** Which tokens are accepted: those of users and those of operators are refreshed at different addresses. */
export type RefreshTokenKind = 'users' | 'operators';

@Injectable()
export class RefreshTokenRepository {
  /** Stores a token in a transaction of its own and one round trip. */
  async store(
    database: Database,
    tokenHash: Buffer,
    { sessionId, tenantId, userId }: RefreshTokenOwner,
    validSeconds: number,
  ): Promise<void> {
    await database.crossTenantStatement(STORE_REFRESH_TOKEN, [tokenHash, sessionId, tenantId, userId, validSeconds]);
  }

  /**
   * Exchanges a token for its successor. Exchanged tokens stay until they expire, so that a copy is recognised. Whoever
   * presents a token at the same time as another, or again within ten seconds, gets the same successor, until it is used.
   */
  async rotate(
    tx: NarrowTransaction,
    presented: string,
    kind: RefreshTokenKind,
    validSeconds: number,
  ): Promise<Rotation> {
    const hash = hashSecret(presented);
    const operators = kind === 'operators';
    const successor = newSecret();
    const [owner] = await tx.queryPrepared<RefreshTokenOwner>(ROTATE_REFRESH_TOKEN, [
      hash,
      hashSecret(successor),
      validSeconds,
      sealSuccessor(presented, successor),
      PLATFORM_TENANT,
      operators,
    ]);
    if (owner) return { outcome: 'rotated', owner, successor };
    const [spent] = await tx.query<RefreshTokenOwner & { sealedSuccessor: Buffer | null }>(FIND_SPENT_REFRESH_TOKEN, [
      hash,
      GRACE_SECONDS,
      PLATFORM_TENANT,
      operators,
    ]);
    if (!spent) return { outcome: 'unknown' };
    const { sealedSuccessor, ...of } = spent;
    return sealedSuccessor
      ? { outcome: 'rotated', owner: of, successor: openSuccessor(presented, sealedSuccessor) }
      : { outcome: 'reused', owner: of };
  }

  async deleteOfSessions(tx: NarrowTransaction, sessionIds: readonly string[]): Promise<void> {
    await tx.repository(RefreshToken).delete({ sessionId: Any([...sessionIds]) });
  }
}
