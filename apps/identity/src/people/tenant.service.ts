import type { Principal } from '@crm/access';
import { type Plan, PlatformError, type TenantView } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { actingOperator, recordOperatorAct } from '@crm/operator-audit';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { TenantRepository } from './tenant.repository.js';

@Injectable()
export class TenantService {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantRepository,
    private readonly trail: AuditTrail,
  ) {}

  async get(tenantId: string): Promise<TenantView> {
    return this.database.transaction(tenantId, (tx) => this.view(tx));
  }

  /** Objects that it has stay; the limit counts at the next install. @throws PlatformError NOT_FOUND */
  async setPlan(operator: Principal, tenantId: string, plan: Plan): Promise<TenantView> {
    return this.database.transaction({ ...operator, tenantId }, async (tx) => {
      const before = await this.view(tx);
      await this.tenants.setPlan(tx, plan);
      this.trail.record(tx, {
        action: 'workspace.plan_changed',
        subject: { kind: 'workspace', id: tenantId },
        detail: { from: before.plan, to: plan },
      });
      await recordOperatorAct(tx, {
        operator: actingOperator(operator),
        act: 'tenant.set-plan',
        subject: { kind: 'tenant', id: tenantId, name: before.name },
        before: { plan: before.plan },
        after: { plan },
      });
      return this.view(tx);
    });
  }

  /** The tenant in context as other services and clients see it. */
  async view(tx: TenantTransaction): Promise<TenantView> {
    const tenant = await this.tenants.find(tx);
    if (!tenant || tenant.closedAt) throw new PlatformError('NOT_FOUND', 'There is no such workspace');
    const { id, name, plan, timeZone, country } = tenant;
    return { id, name, plan, timeZone, country, verified: tenant.verifiedAt !== null };
  }
}

export function assertVerified(tenant: Pick<TenantView, 'verified'>): void {
  if (tenant.verified !== false) return;
  throw new PlatformError('EMAIL_NOT_VERIFIED', 'Verify the address that the workspace was registered with first');
}
