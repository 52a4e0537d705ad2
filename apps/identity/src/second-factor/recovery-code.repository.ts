import { type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { hasChangedOne } from '../tenant-row.js';
import { RecoveryCode } from './second-factor.entity.js';

@Injectable()
export class RecoveryCodeRepository {
  async insert(tx: TenantTransaction, userId: string, hashes: readonly Buffer[]): Promise<void> {
    await tx.repository(RecoveryCode).insert(hashes.map((codeHash) => ({ tenantId: tx.tenantId, userId, codeHash })));
  }

  /** @returns whether it was there: of two uses at once one succeeds */
  async delete(tx: TenantTransaction, userId: string, codeHash: Buffer): Promise<boolean> {
    return hasChangedOne(await tx.repository(RecoveryCode).delete({ tenantId: tx.tenantId, userId, codeHash }));
  }

  async deleteOfUser(tx: TenantTransaction, userId: string): Promise<void> {
    await tx.repository(RecoveryCode).delete({ tenantId: tx.tenantId, userId });
  }

  async count(tx: TenantTransaction, userId: string): Promise<number> {
    return tx.repository(RecoveryCode).countBy({ tenantId: tx.tenantId, userId });
  }
}
