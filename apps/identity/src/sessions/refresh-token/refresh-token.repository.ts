import { REFRESH_TOKEN_SECONDS } from '@crm/contracts';
import { type NarrowTransaction, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { Any, IsNull, Not } from 'typeorm';
import { RefreshToken } from './refresh-token.entity.js';
import { ROTATE_REFRESH_TOKEN } from './refresh-token.sql.js';

/** Whose token it is. */
export type RefreshTokenOwner = Pick<RefreshToken, 'sessionId' | 'tenantId' | 'userId'>;

/** What a presented token turned out to be. `reused`: it was exchanged before, so it has been copied. */
export type Rotation = { outcome: 'rotated' | 'reused'; owner: RefreshTokenOwner } | { outcome: 'unknown' };

@Injectable()
export class RefreshTokenRepository {
  async insert(tx: NarrowTransaction, tokenHash: Buffer, owner: RefreshTokenOwner): Promise<void> {
    await tx.repository(RefreshToken).insert({ tokenHash, ...owner, expiresAt: secondsFromNow(REFRESH_TOKEN_SECONDS) });
  }

  /**
   * Exchanges a token for its successor. Exchanged tokens stay until they expire, so that a copy is recognised; of two
   * exchanges at once one wins and the other is a reuse.
   */
  async rotate(tx: NarrowTransaction, presentedHash: Buffer, successorHash: Buffer): Promise<Rotation> {
    const [owner] = await tx.query<RefreshTokenOwner>(ROTATE_REFRESH_TOKEN, [
      presentedHash,
      successorHash,
      REFRESH_TOKEN_SECONDS,
    ]);
    if (owner) return { outcome: 'rotated', owner };
    const spent = await tx.repository(RefreshToken).findOneBy({ tokenHash: presentedHash, rotatedAt: Not(IsNull()) });
    return spent ? { outcome: 'reused', owner: spent } : { outcome: 'unknown' };
  }

  async deleteOfSessions(tx: NarrowTransaction, sessionIds: readonly string[]): Promise<void> {
    await tx.repository(RefreshToken).delete({ sessionId: Any([...sessionIds]) });
  }
}
