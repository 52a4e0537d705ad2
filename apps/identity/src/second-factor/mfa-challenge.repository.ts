import { type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { FUTURE, hasChangedOne } from '../tenant-row.js';
import { MfaChallenge } from './second-factor.entity.js';

/** $1: tenant, $2: challenge, $3: tries that it has. */
export const TAKE_TRY = `
  UPDATE mfa_challenge SET attempts = attempts + 1
   WHERE tenant_id = $1 AND id = $2 AND attempts < $3 AND expires_at > now()
  RETURNING id`;

@Injectable()
export class MfaChallengeRepository {
  /** Adds a challenge; it replaces the user's others, so that one is valid at a time. */
  async replace(tx: TenantTransaction, challenge: Omit<MfaChallenge, 'tenantId' | 'attempts'>): Promise<void> {
    await tx.repository(MfaChallenge).delete({ tenantId: tx.tenantId, userId: challenge.userId });
    await tx.repository(MfaChallenge).insert({ ...challenge, attempts: 0 });
  }

  async find(tx: TenantTransaction, id: string): Promise<MfaChallenge | null> {
    return tx.repository(MfaChallenge).findOneBy({ tenantId: tx.tenantId, id, expiresAt: FUTURE });
  }

  async takeTry(tx: TenantTransaction, id: string, maxTries: number): Promise<boolean> {
    return (await tx.query(TAKE_TRY, [tx.tenantId, id, maxTries])).length === 1;
  }

  /** @returns whether it existed: of two right answers at once only one opens a session */
  async delete(tx: TenantTransaction, id: string): Promise<boolean> {
    return hasChangedOne(await tx.repository(MfaChallenge).delete({ tenantId: tx.tenantId, id }));
  }
}
