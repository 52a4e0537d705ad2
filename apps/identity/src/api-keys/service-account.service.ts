import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { AuditAction } from '../audit/audit-actions.js';
import type { AuditDetail } from '../audit/audit-entry.entity.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { TenantRepository } from '../people/people.repository.js';
import { assertGrantable } from '../people/people.service.js';
import { RoleService } from '../roles/role.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import type { ServiceAccountChangeInput, ServiceAccountInput } from './api-key.dto.js';
import type { ServiceAccount } from './api-key.entity.js';
import { ServiceAccountRepository } from './api-key.repository.js';
import { ApiKeyEnding } from './api-key-ending.js';
import { assertScopesGrantable } from './grantable-scopes.js';

export const ACCOUNTS_PER_TENANT = 100;

/** The service accounts of a tenant, as its administrators make and change them. */
@Injectable()
export class ServiceAccountService {
  constructor(
    private readonly database: Database,
    private readonly accounts: ServiceAccountRepository,
    private readonly tenants: TenantRepository,
    private readonly keys: ApiKeyEnding,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
    private readonly roles: RoleService,
  ) {}

  /** Lists the accounts, oldest first. @throws PlatformError INVALID_QUERY for a cursor of another tenant or list */
  async list(tenantId: string, query: ListQuery): Promise<ListAnswer<ServiceAccount>> {
    const page = parsePage(query, { tenantId, list: 'service-accounts' });
    const { rows, counted } = await this.database.transaction(tenantId, (tx) => this.accounts.list(tx, page));
    return listAnswer(rows, page, counted, idPosition);
  }

  /** @throws PlatformError NOT_FOUND, also for an account of another tenant */
  async get(tenantId: string, id: string): Promise<ServiceAccount> {
    return this.database.transaction(tenantId, (tx) => this.require(tx, id));
  }

  /** @throws PlatformError ROLE_NOT_GRANTABLE, VALIDATION_FAILED for an unknown role, SCOPE_NOT_GRANTABLE, API_KEY_LIMIT_EXCEEDED */
  async add(principal: Principal, { name, roles, scopes }: ServiceAccountInput): Promise<ServiceAccount> {
    assertServiceRoles(principal, roles);
    assertScopesGrantable(roles, scopes);
    const admitted = await this.roles.admit(principal.tenantId, roles);
    return this.database.transaction(principal, async (tx) => {
      // Accounts of a tenant are made one after the other, so that no two of them are the last that is allowed.
      await this.tenants.lock(tx);
      if ((await this.accounts.count(tx)) >= ACCOUNTS_PER_TENANT) {
        throw new PlatformError(
          'API_KEY_LIMIT_EXCEEDED',
          `A workspace can have up to ${ACCOUNTS_PER_TENANT} service accounts`,
        );
      }
      const account = { id: newId(), name: name.trim(), roles: [...new Set(roles)], scopes: [...scopes] };
      await this.roles.hold(tx, tx.tenantId, admitted);
      await this.accounts.insert(tx, { ...account, createdBy: principal.userId });
      this.record(tx, 'service_account.added', account.id, { roles: account.roles, scopes: account.scopes });
      return this.require(tx, account.id);
    });
  }

  /**
   * Changes name, roles, scopes or status. Tokens with the rights of before are cut off; the keys stay.
   * @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, VALIDATION_FAILED for an unknown role, SCOPE_NOT_GRANTABLE
   */
  async change(principal: Principal, id: string, change: ServiceAccountChangeInput): Promise<ServiceAccount> {
    const admitted = change.roles ? await this.roles.admit(principal.tenantId, change.roles) : [];
    const changed = await this.database.transaction(principal, async (tx) => {
      const before = await this.hold(tx, principal, id);
      const after = {
        name: change.name?.trim() ?? before.name,
        roles: [...new Set(change.roles ?? before.roles)],
        scopes: [...(change.scopes ?? before.scopes)],
        status: change.status ?? before.status,
      };
      assertServiceRoles(principal, after.roles);
      // What was allowed to it before may stay, as it does when a role is taken away from a user.
      if (change.roles ?? change.scopes) assertScopesGrantable(after.roles, after.scopes);
      await this.roles.hold(tx, tx.tenantId, admitted);
      await this.accounts.update(tx, id, after);
      await this.revocations.record(tx, 'user', id);
      this.record(tx, 'service_account.changed', id, {
        rolesFrom: before.roles,
        rolesTo: after.roles,
        scopesFrom: before.scopes,
        scopesTo: after.scopes,
        statusFrom: before.status,
        statusTo: after.status,
        renamed: before.name !== after.name,
      });
      return { ...before, ...after };
    });
    await this.revocations.publishPending();
    return changed;
  }

  /** Removes an account; its keys end. @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE */
  async remove(principal: Principal, id: string): Promise<void> {
    await this.database.transaction(principal, async (tx) => {
      await this.hold(tx, principal, id);
      const keys = await this.keys.endAllWithin(tx, id);
      await this.accounts.delete(tx, id);
      this.record(tx, 'service_account.removed', id, { keys });
    });
    await this.revocations.publishPending();
  }

  /** Holds the account. @throws PlatformError NOT_FOUND; ROLE_NOT_GRANTABLE above the principal's role */
  async hold(tx: TenantTransaction, principal: Principal, id: string): Promise<ServiceAccount> {
    const account = await this.accounts.lock(tx, id);
    if (!account) throw notFound();
    assertGrantable(principal, account.roles);
    return account;
  }

  private record(tx: TenantTransaction, action: AuditAction, id: string, detail: AuditDetail): void {
    this.trail.record(tx, { action, subject: { kind: 'service_account', id }, detail });
  }

  private async require(tx: TenantTransaction, id: string): Promise<ServiceAccount> {
    const account = await this.accounts.find(tx, id);
    if (!account) throw notFound();
    return account;
  }
}

const notFound = () => new PlatformError('NOT_FOUND', 'Service account not found');

/** What only owners may do needs a person. */
function assertServiceRoles(principal: Principal, roles: readonly string[]): void {
  assertGrantable(principal, roles);
  if (roles.includes('owner')) throw new PlatformError('ROLE_NOT_GRANTABLE', "A service account can't be an owner");
}
