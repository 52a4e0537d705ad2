import { type NarrowTransaction, secondsFromNow, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { FOR_UPDATE } from '../tenant-row.js';
import { Tenant } from './people.entity.js';

/** What administrators choose. */
export type TenantSettings = Pick<Tenant, 'name' | 'timeZone' | 'country' | 'currency' | 'language'>;

/** And what operators do, or the platform itself. */
export type TenantChanges = Partial<TenantSettings & Pick<Tenant, 'plan' | 'limits' | 'storageToldAt'>>;

export type NewTenant = Pick<Tenant, 'id' | 'plan' | 'name' | 'timeZone' | 'country'>;

@Injectable()
export class TenantRepository {
  async insert(tx: NarrowTransaction, tenant: NewTenant, { verified }: { verified: boolean }): Promise<void> {
    await tx.repository(Tenant).insert({ ...tenant, verifiedAt: verified ? secondsFromNow(0) : null });
  }

  /** Like find, for the narrow role in the context of the tenant. */
  async findAsNarrow(tx: NarrowTransaction, id: string): Promise<Tenant | null> {
    return tx.repository(Tenant).findOneBy({ id });
  }

  async markVerified(tx: NarrowTransaction, id: string): Promise<void> {
    await tx.repository(Tenant).update({ id }, { verifiedAt: secondsFromNow(0) });
  }

  async close(tx: TenantTransaction): Promise<void> {
    await tx.repository(Tenant).update({ id: tx.tenantId }, { closedAt: secondsFromNow(0), name: 'Closed' });
  }

  async find(tx: TenantTransaction): Promise<Tenant | null> {
    return tx.repository(Tenant).findOneBy({ id: tx.tenantId });
  }

  /** Like find, and holds the row until the transaction ends, so that changes of the tenant's limits follow each other. */
  async lock(tx: TenantTransaction): Promise<Tenant | null> {
    return tx.repository(Tenant).findOne({ where: { id: tx.tenantId }, lock: FOR_UPDATE });
  }

  async change(tx: TenantTransaction, changes: TenantChanges): Promise<void> {
    await tx.repository(Tenant).update({ id: tx.tenantId }, { ...changes, updatedAt: secondsFromNow(0) });
  }
}
