import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { MfaChallenge } from './mfa-challenge.entity.js';
import { TAKE_TRY } from './mfa-challenge.sql.js';

@Injectable()
export class MfaChallengeRepository {
  /** Adds a challenge; it replaces the user's others, so that one code is valid at a time. */
  async replace(tx: TenantTransaction, challenge: Omit<MfaChallenge, 'tenantId' | 'attempts'>): Promise<void> {
    await tx.repository(MfaChallenge).delete({ tenantId: tx.tenantId, userId: challenge.userId });
    await tx.repository(MfaChallenge).insert({ ...challenge, attempts: 0 });
  }

  /** Counts one more try. @returns the challenge, or null when it does not exist, has expired or has no try left */
  async takeTry(tx: TenantTransaction, id: string, maxTries: number): Promise<MfaChallenge | null> {
    const [challenge] = await tx.query<MfaChallenge>(TAKE_TRY, [tx.tenantId, id, maxTries]);
    return challenge ?? null;
  }

  /** @returns whether it existed: of two right answers at once only one opens a session */
  async delete(tx: TenantTransaction, id: string): Promise<boolean> {
    const { affected } = await tx.repository(MfaChallenge).delete({ tenantId: tx.tenantId, id });
    return affected === 1;
  }
}
