import { secondsFromNow, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { hashSecret } from '../secret.js';
import { openSuccessor, sealSuccessor } from '../sessions/sealed-successor.js';
import { FIND_GRANT_TOKEN } from './grant.sql.js';
import { GrantToken } from './grant-token.entity.js';

/** How long a client that lost the answer is given the same successor again; the same as for sessions. */
const GRACE_SECONDS = 10;

/** What a presented token turned out to be. `reused`: two parties hold it (RFC 9700, section 4.14.2). */
export type TokenRotation = { outcome: 'rotated'; successor: string } | { outcome: 'reused' } | { outcome: 'unknown' };

/** Refresh tokens of apps. The caller holds the grant, so exchanges follow each other. */
@Injectable()
export class GrantTokenRepository {
  async insert(tx: TenantTransaction, token: string, grantId: string, validSeconds: number): Promise<void> {
    const expiresAt = secondsFromNow(validSeconds);
    await tx.repository(GrantToken).insert({ tokenHash: hashSecret(token), grantId, expiresAt });
  }

  /** Whether the token could be exchanged now. */
  async isUsable(tx: TenantTransaction, token: string, grantId: string): Promise<boolean> {
    return (await this.find(tx, hashSecret(token), grantId))?.isSpent === false;
  }

  async exists(tx: TenantTransaction, token: string, grantId: string): Promise<boolean> {
    return (await this.find(tx, hashSecret(token), grantId)) !== undefined;
  }

  /**
   * Exchanges a token for its successor. Who presents it again within ten seconds gets the same successor, until that is used.
   */
  async rotate(
    tx: TenantTransaction,
    presented: string,
    grantId: string,
    { successor, validSeconds }: { successor: string; validSeconds: number },
  ): Promise<TokenRotation> {
    const tokenHash = hashSecret(presented);
    const found = await this.find(tx, tokenHash, grantId);
    if (!found) return { outcome: 'unknown' };
    if (found.isSpent) {
      const { sealedSuccessor } = found;
      if (!sealedSuccessor) return { outcome: 'reused' };
      return { outcome: 'rotated', successor: openSuccessor(presented, sealedSuccessor) };
    }
    const tokens = tx.repository(GrantToken);
    const { tenantId } = tx;
    // The client has this token, because it presents it: what led to it is forgotten.
    await tokens.update({ tenantId, grantId, sealedSuccessor: Not(IsNull()) }, { sealedSuccessor: null });
    const sealedSuccessor = sealSuccessor(presented, successor);
    await tokens.update({ tenantId, grantId, tokenHash }, { rotatedAt: secondsFromNow(0), sealedSuccessor });
    await this.insert(tx, successor, grantId, validSeconds);
    return { outcome: 'rotated', successor };
  }

  private async find(tx: TenantTransaction, tokenHash: Buffer, grantId: string) {
    const [row] = await tx.query<{ isSpent: boolean; sealedSuccessor: Buffer | null }>(FIND_GRANT_TOKEN, [
      tx.tenantId,
      tokenHash,
      grantId,
      GRACE_SECONDS,
    ]);
    return row;
  }
}
