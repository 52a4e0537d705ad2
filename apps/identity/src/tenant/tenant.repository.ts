import type { Plan } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { Tenant } from './tenant.entity.js';

@Injectable()
export class TenantRepository {
  async insert(tx: TenantTransaction, tenant: Omit<Tenant, 'id'>): Promise<void> {
    await tx.manager.insert(Tenant, { ...tenant, id: tx.tenantId });
  }

  /** The tenant in context, or null when there is none with this id. */
  async find(tx: TenantTransaction): Promise<Tenant | null> {
    return tx.manager.findOneBy(Tenant, { id: tx.tenantId });
  }

  /** @returns whether the tenant exists */
  async setPlan(tx: TenantTransaction, plan: Plan): Promise<boolean> {
    const rows = await tx.query<{ id: string }>(
      'UPDATE tenant SET plan = $2, updated_at = now() WHERE tenant_id = $1 RETURNING tenant_id AS id',
      [tx.tenantId, plan],
    );
    return rows.length > 0;
  }
}
