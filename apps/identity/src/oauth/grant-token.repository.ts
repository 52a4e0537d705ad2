import { secondsFromNow, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { hashSecret } from '../secrets.js';
import { GRACE_SECONDS, type Rotation, rotationOfSpent, sealSuccessor } from '../sessions/refresh-token.repository.js';
import { GrantToken } from './oauth.entity.js';

/**
 * A refresh token of a grant. The successor of a spent one comes with it for a few seconds, as long as nobody has presented the
 * successor. $1: tenant, $2: hash of the token, $3: grant, $4: seconds in which the successor is given again.
 */
export const FIND_GRANT_TOKEN = `
  SELECT rotated_at IS NOT NULL AS "isSpent",
    CASE WHEN rotated_at > now() - make_interval(secs => $4) THEN sealed_successor END AS "sealedSuccessor"
    FROM oauth_refresh_token
   WHERE tenant_id = $1 AND token_hash = $2 AND grant_id = $3 AND expires_at > now()`;

/** Refresh tokens of apps. The caller holds the grant, so exchanges follow each other. */
@Injectable()
export class GrantTokenRepository {
  async insert(tx: TenantTransaction, token: string, grantId: string, validSeconds: number): Promise<void> {
    const expiresAt = secondsFromNow(validSeconds);
    await tx.repository(GrantToken).insert({ tokenHash: hashSecret(token), grantId, expiresAt });
  }

  /** Returns whether the token could be exchanged now. */
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
  ): Promise<Rotation> {
    const tokenHash = hashSecret(presented);
    const found = await this.find(tx, tokenHash, grantId);
    if (!found) return { outcome: 'unknown' };
    if (found.isSpent) return rotationOfSpent(presented, found.sealedSuccessor);
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
