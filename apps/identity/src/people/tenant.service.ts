import type { Principal } from '@crm/access';
import {
  type Plan,
  PlatformError,
  STORAGE_LIMITS,
  type StorageKind,
  type StorageLimits,
  type TenantView,
} from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { actingOperator, recordOperatorAct } from '@crm/operator-audit';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { type Tenant } from './people.entity.js';
import { TenantRepository, type TenantSettings } from './tenant.repository.js';
import { assertKnown } from './workspace-settings.js';

/** People of a workspace who are told what was decided about it: a workspace with thousands of administrators is no mailing list. */
export const MAX_NOTIFIED_ADMINISTRATORS = 50;

export interface PlanChange {
  readonly plan?: Plan | undefined;
  readonly limits?: { readonly [Kind in StorageKind]?: number | null } | undefined;
}

/** What the plan allows, unless operators have set something else for the workspace. */
export const limitsOf = ({ plan, limits }: Pick<Tenant, 'plan' | 'limits'>): StorageLimits => ({
  ...STORAGE_LIMITS[plan],
  ...limits,
});

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

  /** Like {@link get}, with the storage limits. */
  async getWithLimits(tenantId: string): Promise<TenantView> {
    return this.database.transaction(tenantId, async (tx) => {
      const view = await this.view(tx);
      return { ...view, limits: limitsOf((await this.tenants.find(tx)) as Tenant) };
    });
  }

  /**
   * What there is already stays; limits count at the next write or installation.
   * @param limits null for that of the plan; what is left out stays
   * @throws PlatformError OWN_WORKSPACE, NOT_FOUND
   */
  async setPlan(operator: Principal, tenantId: string, { plan, limits }: PlanChange): Promise<TenantView> {
    if (operator.linkedTenantId === tenantId) throw new PlatformError('OWN_WORKSPACE');
    return this.database.transaction({ ...operator, tenantId }, async (tx) => {
      const before = await this.view(tx);
      const set = (await this.tenants.lock(tx))?.limits ?? {};
      const after: Partial<StorageLimits> = Object.fromEntries(
        Object.entries({ ...set, ...limits }).flatMap(([kind, limit]) => (limit === null ? [] : [[kind, limit]])),
      );
      await this.tenants.change(tx, { plan: plan ?? before.plan, limits: after });
      const subject = { kind: 'workspace', id: tenantId } as const;
      if (plan)
        this.trail.record(tx, { action: 'workspace.plan_changed', subject, detail: { from: before.plan, to: plan } });
      if (limits) this.trail.record(tx, { action: 'workspace.limits_changed', subject, detail: after });
      await recordOperatorAct(tx, {
        operator: actingOperator(operator),
        act: 'tenant.set-plan',
        subject: { kind: 'tenant', id: tenantId, name: before.name },
        before: { plan: before.plan, limits: set },
        after: { plan: plan ?? before.plan, limits: after },
      });
      return this.view(tx);
    });
  }

  /** @throws PlatformError VALIDATION_FAILED */
  async change(principal: Principal, { name, ...input }: Partial<TenantSettings>): Promise<TenantView> {
    const changes = { ...(name !== undefined && { name: name.trim() }), ...input };
    assertKnown(changes);
    return this.database.transaction(principal, async (tx) => {
      const before = await this.view(tx);
      const changed = Object.entries(changes).filter(([key, value]) => before[key as keyof TenantView] !== value);
      if (changed.length === 0) return before;
      await this.tenants.change(tx, changes);
      this.trail.record(tx, {
        action: 'workspace.changed',
        subject: { kind: 'workspace', id: tx.tenantId },
        detail: { changed: changed.map(([key]) => key) },
      });
      return this.view(tx);
    });
  }

  /** The tenant in context as other services and clients see it. */
  async view(tx: TenantTransaction): Promise<TenantView> {
    const tenant = await this.tenants.find(tx);
    if (!tenant || tenant.closedAt) throw new PlatformError('NOT_FOUND', 'Workspace not found');
    const { id, name, plan, timeZone, country, currency, language } = tenant;
    return { id, name, plan, timeZone, country, currency, language, verified: tenant.verifiedAt !== null };
  }
}

export function assertVerified(tenant: Pick<TenantView, 'verified'>): void {
  if (tenant.verified !== false) return;
  throw new PlatformError('EMAIL_NOT_VERIFIED', "Verify the workspace's email address first");
}
