import { secondsFromNow, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { FOR_UPDATE } from '../tenant-row.js';
import { IdentityProvider, type LastFailure } from './single-sign-on.entity.js';

export type ProviderRow = Omit<IdentityProvider, 'tenantId' | 'createdAt' | 'updatedAt'>;

@Injectable()
export class IdentityProviderRepository {
  /** In the order they were added, which is that of their ids. */
  async list(tx: TenantTransaction): Promise<IdentityProvider[]> {
    return tx.repository(IdentityProvider).find({ where: { tenantId: tx.tenantId }, order: { id: 'ASC' } });
  }

  async find(tx: TenantTransaction, id: string): Promise<IdentityProvider | null> {
    return tx.repository(IdentityProvider).findOneBy({ tenantId: tx.tenantId, id });
  }

  /** Like find, and holds the row until the transaction ends. */
  async lock(tx: TenantTransaction, id: string): Promise<IdentityProvider | null> {
    return tx.repository(IdentityProvider).findOne({ where: { tenantId: tx.tenantId, id }, lock: FOR_UPDATE });
  }

  async insert(tx: TenantTransaction, provider: ProviderRow): Promise<void> {
    await tx.repository(IdentityProvider).insert(provider);
  }

  async update(tx: TenantTransaction, { id, ...provider }: ProviderRow): Promise<void> {
    await tx
      .repository(IdentityProvider)
      .update({ tenantId: tx.tenantId, id }, { ...provider, updatedAt: secondsFromNow(0) });
  }

  async noteFailure(tx: TenantTransaction, id: string, lastFailure: LastFailure): Promise<void> {
    await tx.repository(IdentityProvider).update({ tenantId: tx.tenantId, id }, { lastFailure });
  }

  async delete(tx: TenantTransaction, id: string): Promise<void> {
    await tx.repository(IdentityProvider).delete({ tenantId: tx.tenantId, id });
  }
}
