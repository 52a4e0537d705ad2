import { REFRESH_TOKEN_SECONDS } from '@crm/contracts';
import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** Whose token it is. */
export interface RefreshTokenOwner {
  sessionId: string;
  tenantId: string;
  userId: string;
}

/** What a presented token turned out to be. `reused`: it was exchanged before, so somebody has a copy. */
export type Rotation = { outcome: 'rotated' | 'reused'; owner: RefreshTokenOwner } | { outcome: 'unknown' };

const OWNER = 'session_id AS "sessionId", tenant_id AS "tenantId", user_id AS "userId"';

@Injectable()
export class RefreshTokenRepository {
  async insert(tx: NarrowTransaction, tokenHash: Buffer, owner: RefreshTokenOwner): Promise<void> {
    await tx.query(
      `INSERT INTO refresh_token (token_hash, session_id, tenant_id, user_id, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
      [tokenHash, owner.sessionId, owner.tenantId, owner.userId, REFRESH_TOKEN_SECONDS],
    );
  }

  /**
   * Exchanges a token for its successor. Exchanged tokens stay until they expire, so that a copy is recognised; of two
   * exchanges at once one wins and the other is a reuse.
   */
  async rotate(tx: NarrowTransaction, presentedHash: Buffer, successorHash: Buffer): Promise<Rotation> {
    const [owner] = await tx.query<RefreshTokenOwner>(
      `UPDATE refresh_token SET rotated_at = now()
       WHERE token_hash = $1 AND rotated_at IS NULL AND expires_at > now() RETURNING ${OWNER}`,
      [presentedHash],
    );
    if (owner) {
      await this.insert(tx, successorHash, owner);
      return { outcome: 'rotated', owner };
    }
    const [previous] = await tx.query<RefreshTokenOwner>(
      `SELECT ${OWNER} FROM refresh_token WHERE token_hash = $1 AND rotated_at IS NOT NULL`,
      [presentedHash],
    );
    return previous ? { outcome: 'reused', owner: previous } : { outcome: 'unknown' };
  }

  async deleteOfSessions(tx: NarrowTransaction, sessionIds: readonly string[]): Promise<void> {
    await tx.query('DELETE FROM refresh_token WHERE session_id = ANY ($1::uuid[])', [sessionIds]);
  }
}
