import { secondsFromNow, type TenantTransaction, type Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { Raw } from 'typeorm';
import { PasswordReset } from './password-reset.entity.js';

export interface NewPasswordReset extends Pick<PasswordReset, 'id' | 'userId' | 'secretHash'> {
  validSeconds: number;
}

@Injectable()
export class PasswordResetRepository {
  async insert(tx: TenantTransaction, { validSeconds, ...reset }: NewPasswordReset): Promise<void> {
    await tx.repository(PasswordReset).insert({ ...reset, expiresAt: secondsFromNow(validSeconds) });
  }

  /** @returns null for one that has expired or was used */
  async find(tx: TenantTransaction, id: string): Promise<PasswordReset | null> {
    const expiresAt = Raw((column) => `${column} > now()`);
    return tx.repository(PasswordReset).findOneBy({ tenantId: tx.tenantId, id, expiresAt });
  }

  /** No link that was sent to the user is valid any more. */
  async deleteOfUser(tx: Transaction, tenantId: string, userId: string): Promise<void> {
    await tx.repository(PasswordReset).delete({ tenantId, userId });
  }
}
