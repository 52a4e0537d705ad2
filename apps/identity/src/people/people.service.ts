import { domainToASCII } from 'node:url';
import type { Principal } from '@crm/access';
import {
  EVENTS,
  mayGrantRole,
  type Plan,
  PlatformError,
  STORAGE_LIMITS,
  type StorageKind,
  type StorageLimits,
  type TenantView,
} from '@crm/contracts';
import { appendEvent, DAY_SECONDS, Database, type NarrowTransaction, type TenantTransaction } from '@crm/database';
import { EmailField, field, IdField, ListField, TextField } from '@crm/http';
import { actingOperator, recordOperatorAct } from '@crm/operator-audit';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { shownAddress, type Tenant, withoutAddress } from './people.entity.js';
import { type NewUser, TenantRepository, type TenantSettings, UserRepository } from './people.repository.js';
import { PersonRepository } from './person.repository.js';
import { assertKnown } from './workspace-settings.js';

/** Adds users. The address, the user and the event commit together or not at all. */
@Injectable()
export class UserService {
  constructor(
    private readonly users: UserRepository,
    private readonly persons: PersonRepository,
  ) {}

  /**
   * Adds a user whose address nobody has proven, which reserves it in the workspace alone.
   * @param passwordKey by which the password of the user signs in; null without a password
   * @throws PlatformError EMAIL_TAKEN for the address of another user of the workspace, or the one that they have given up
   */
  async addLocal(
    tx: NarrowTransaction,
    tenantId: string,
    user: NewUser,
    passwordKey: Buffer | null = null,
  ): Promise<void> {
    await this.persons.holdAddress(tx, user.email);
    const isTaken =
      (await this.users.findByEmail(tx, tenantId, user.email)) !== null ||
      (await this.persons.isOfMember(tx, user.email, tenantId));
    if (isTaken) throw new PlatformError('EMAIL_TAKEN', 'Another user of the workspace already uses this address');
    await this.insert(tx, tenantId, user);
    await this.persons.addLocal(tx, { userId: user.id, tenantId, email: user.email, passwordKey });
  }

  /** Adds a user whom a host signs in. They have no address where another user of the workspace has it. */
  async addHostUser(tx: NarrowTransaction, tenantId: string, user: NewUser): Promise<void> {
    const isFree = await this.isFree(tx, tenantId, user.email);
    await this.insert(tx, tenantId, isFree ? user : { ...user, email: withoutAddress(user.id) });
  }

  /** Returns whether no user of the workspace has an address. Holds it until the transaction ends. */
  async isFree(tx: NarrowTransaction, tenantId: string, email: string): Promise<boolean> {
    await this.persons.holdAddress(tx, email);
    return (
      (await this.users.findByAddress(tx, tenantId, email)) === null &&
      !(await this.persons.isOfMember(tx, email, tenantId))
    );
  }

  private async insert(tx: NarrowTransaction, tenantId: string, user: NewUser): Promise<void> {
    await this.users.insert(tx, tenantId, user);
    const data = { userId: user.id, email: shownAddress(user), name: user.name };
    await appendEvent(tx, EVENTS['user.created'], { tenantId, subject: user.id, data });
  }
}

export class UserSummaryView {
  @IdField() id: string;
  @EmailField({
    nullable: true,
    description: 'Null for a host user whose address belongs to another user of the workspace',
  })
  email: string | null;
  @TextField({ maxLength: 200 }) name: string;
  @ListField(field.text({ maxLength: 40 }), { example: ['member'] }) roles: string[];
}

/** Local parts are case-sensitive on paper (RFC 5321, section 2.4) but nowhere in practice. */
export function normaliseEmail(email: string): string {
  const text = email.trim().normalize('NFC').toLowerCase();
  const at = text.lastIndexOf('@');
  if (at < 0) return text;
  const domain = text.slice(at + 1);
  return `${text.slice(0, at)}@${domainToASCII(domain) || domain}`;
}

/** @throws PlatformError ROLE_NOT_GRANTABLE for a role above the principal's */
export function assertGrantable(principal: Principal, roles: readonly string[]): void {
  const refused = roles.find((role) => !mayGrantRole(principal.roles, role));
  if (refused !== undefined)
    throw new PlatformError('ROLE_NOT_GRANTABLE', `The role ${refused} is higher than your own`);
}

/** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE for a user with a role above the principal's */
export async function assertAdministered(database: Database, users: UserRepository, by: Principal, userId: string) {
  const { roles } = await database.transaction(by.tenantId, (tx) => users.get(tx, userId));
  assertGrantable(by, roles);
}

/** A quota of a workspace: those whom administrators add, and those whom a provider brings. */
export const USER_QUOTA = { name: 'users', windowSeconds: DAY_SECONDS, what: 'invitations and new users' };

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
