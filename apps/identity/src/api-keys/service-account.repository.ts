import { type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { type Page, pageById } from '../pages.js';
import { FOR_UPDATE } from '../tenant-row.js';
import { ServiceAccount } from './api-key.entity.js';

export type NewServiceAccount = Pick<ServiceAccount, 'id' | 'name' | 'roles' | 'scopes' | 'createdBy'>;

export type ServiceAccountColumns = Pick<ServiceAccount, 'name' | 'roles' | 'scopes' | 'status'>;

@Injectable()
export class ServiceAccountRepository {
  async insert(tx: TenantTransaction, account: NewServiceAccount): Promise<void> {
    await tx.repository(ServiceAccount).insert({ tenantId: tx.tenantId, ...account });
  }

  async find(tx: TenantTransaction, id: string): Promise<ServiceAccount | null> {
    return tx.repository(ServiceAccount).findOneBy({ tenantId: tx.tenantId, id });
  }

  /** Like find, and holds the row until the transaction ends, so that two changes of one account follow each other. */
  async lock(tx: TenantTransaction, id: string): Promise<ServiceAccount | null> {
    return tx.repository(ServiceAccount).findOne({ where: { tenantId: tx.tenantId, id }, lock: FOR_UPDATE });
  }

  /** Like find, and keeps the account as it is until the transaction ends: for anyone who issues rights from the row. */
  async lockForIssue(tx: TenantTransaction, id: string): Promise<ServiceAccount | null> {
    const where = { tenantId: tx.tenantId, id };
    return tx.repository(ServiceAccount).findOne({ where, lock: { mode: 'pessimistic_read' } });
  }

  async update(tx: TenantTransaction, id: string, changes: ServiceAccountColumns): Promise<void> {
    await tx.repository(ServiceAccount).update({ tenantId: tx.tenantId, id }, changes);
  }

  async delete(tx: TenantTransaction, id: string): Promise<void> {
    await tx.repository(ServiceAccount).delete({ tenantId: tx.tenantId, id });
  }

  async count(tx: TenantTransaction): Promise<number> {
    return tx.repository(ServiceAccount).countBy({ tenantId: tx.tenantId });
  }

  async list(tx: TenantTransaction, page: ListPage): Promise<Page<ServiceAccount>> {
    return pageById(tx.repository(ServiceAccount), 'ASC', { tenantId: tx.tenantId }, page);
  }
}
