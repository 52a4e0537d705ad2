import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { MfaChallenge } from './mfa-challenge.entity.js';

@Injectable()
export class MfaRepository {
  /** Adds a challenge; it replaces the user's others, so that one code is valid at a time. */
  async replace(tx: TenantTransaction, challenge: Omit<MfaChallenge, 'tenantId' | 'attempts'>): Promise<void> {
    await tx.manager.delete(MfaChallenge, { tenantId: tx.tenantId, userId: challenge.userId });
    await tx.manager.insert(MfaChallenge, { ...challenge, tenantId: tx.tenantId, attempts: 0 });
  }

  /** Counts one more try and answers the challenge, or null when it does not exist, expired or has no try left. */
  async takeTry(tx: TenantTransaction, id: string, maxTries: number): Promise<MfaChallenge | null> {
    const rows = await tx.query<{ id: string }>(
      `UPDATE mfa_challenge SET attempts = attempts + 1
       WHERE tenant_id = $1 AND id = $2 AND attempts < $3 AND expires_at > now() RETURNING id`,
      [tx.tenantId, id, maxTries],
    );
    return rows.length > 0 ? tx.manager.findOneBy(MfaChallenge, { tenantId: tx.tenantId, id }) : null;
  }

  /** @returns whether it was there: of two right answers at once only one opens a session */
  async delete(tx: TenantTransaction, id: string): Promise<boolean> {
    const rows = await tx.query('DELETE FROM mfa_challenge WHERE tenant_id = $1 AND id = $2 RETURNING id', [
      tx.tenantId,
      id,
    ]);
    return rows.length > 0;
  }
}
