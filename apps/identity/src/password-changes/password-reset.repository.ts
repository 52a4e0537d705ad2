import { secondsFromNow, type TenantTransaction, type Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { FUTURE, type NewLink } from '../tenant-row.js';
import { PasswordReset } from './password-reset.entity.js';

@Injectable()
export class PasswordResetRepository {
  async insert(tx: TenantTransaction, { validSeconds, ...reset }: NewLink<PasswordReset>): Promise<void> {
    await tx.repository(PasswordReset).insert({ ...reset, expiresAt: secondsFromNow(validSeconds) });
  }

  /** @returns null for one that has expired or was used */
  async find(tx: Transaction, tenantId: string, id: string): Promise<PasswordReset | null> {
    return tx.repository(PasswordReset).findOneBy({ tenantId, id, expiresAt: FUTURE });
  }

  async deleteOfUser(tx: Transaction, tenantId: string, userId: string): Promise<void> {
    await tx.repository(PasswordReset).delete({ tenantId, userId });
  }
}
