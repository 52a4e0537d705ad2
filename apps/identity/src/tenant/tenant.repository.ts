import type { Plan } from '@crm/contracts';
import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { Tenant } from './tenant.entity.js';

@Injectable()
export class TenantRepository {
  /** Adds a tenant in the transaction that adds its owner. */
  async insert(tx: NarrowTransaction, { id, name, plan, timeZone, country }: Tenant): Promise<void> {
    await tx.query('INSERT INTO tenant (tenant_id, name, plan, time_zone, country) VALUES ($1, $2, $3, $4, $5)', [
      id,
      name,
      plan,
      timeZone,
      country,
    ]);
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
