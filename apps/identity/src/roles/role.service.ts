import type { Principal } from '@crm/access';
import { invalidValues, isReservedRole, PlatformError, rpc, TENANT_ROLES } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import type { AuditDetail } from '../audit/audit-entry.entity.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { TenantRepository } from '../people/people.repository.js';
import type { WorkspaceTransaction } from '../tenant-row.js';
import type { RoleInput, RoleView } from './role.dto.js';
import { RoleRepository } from './role.repository.js';

export const ROLES_PER_TENANT = 100;

/** Packages may have longer ones. */
const LONGEST_LABEL = 100;

const isBuiltIn = (name: string): boolean => (TENANT_ROLES as readonly string[]).includes(name);

/**
 * Which roles a workspace has: the built-in ones, its own, and those of apps, which the marketplace knows. What someone has is known
 * too: it is the role of an app that is gone.
 */
@Injectable()
export class RoleService {
  constructor(
    private readonly database: Database,
    private readonly roles: RoleRepository,
    private readonly tenants: TenantRepository,
    private readonly trail: AuditTrail,
    private readonly rpc: Rpc,
  ) {}

  /** Built-in ones first, the others by name. @throws PlatformError SERVICE_UNAVAILABLE, DEADLINE_EXCEEDED without the marketplace */
  async list(tenantId: string): Promise<RoleView[]> {
    const [{ own, held }, brought] = await Promise.all([this.stored(tenantId), this.brought(tenantId)]);
    const others = new Map<string, RoleView>();
    const add = (name: string, label: string, origin: RoleView['origin']): RoleView => {
      const role = others.get(name) ?? { name, label, origin, appKeys: [] };
      others.set(name, role);
      return role;
    };
    for (const { name, label } of own) add(name, label, 'workspace');
    for (const { name, label, appKey } of brought) add(name, label.slice(0, LONGEST_LABEL), 'app').appKeys.push(appKey);
    for (const name of held) if (!isBuiltIn(name)) add(name, name, 'app');
    return [
      ...TENANT_ROLES.map(builtIn),
      ...[...others.values()].sort((one, other) => (one.name < other.name ? -1 : 1)),
    ];
  }

  /** @throws PlatformError VALIDATION_FAILED for a reserved name, CONFLICT; SERVICE_UNAVAILABLE, DEADLINE_EXCEEDED like list */
  async add(principal: Principal, input: RoleInput): Promise<RoleView> {
    const { tenantId } = principal;
    const { name } = input;
    if (isReservedRole(name)) {
      throw invalidValues({ pointer: '/name', code: 'RESERVED', detail: `The name ${name} is the platform's` });
    }
    const appKeys = (await this.brought(tenantId)).filter((role) => role.name === name).map(({ appKey }) => appKey);
    if (appKeys.length > 0) throw new PlatformError('CONFLICT', `The role ${name} is one of ${appKeys.join(', ')}`);
    const label = input.label.trim();
    await this.database.transaction(principal, async (tx) => {
      // Roles of a tenant are made one after the other, so that no two of them are the last that is allowed.
      await this.tenants.lock(tx);
      const own = await this.roles.list(tx);
      if (own.some((role) => role.name === name))
        throw new PlatformError('CONFLICT', `The role ${name} already exists`);
      if (own.length >= ROLES_PER_TENANT) {
        throw new PlatformError('CONFLICT', `A workspace can have up to ${ROLES_PER_TENANT} roles of its own`);
      }
      await this.roles.insert(tx, { name, label });
      this.trail.record(tx, { action: 'role.added', subject: { kind: 'role', id: name } });
    });
    return { name, label, origin: 'workspace', appKeys: [] };
  }

  /** @throws PlatformError NOT_FOUND, CONFLICT; SERVICE_UNAVAILABLE, DEADLINE_EXCEEDED while custom-objects does not answer */
  async remove(principal: Principal, name: string): Promise<void> {
    const { tenantId } = principal;
    await this.database.transaction(tenantId, (tx) => this.assertHeldByNobody(tx, name));
    const [field] = await this.fieldsOf(tenantId, [name], []);
    if (field !== undefined) throw new PlatformError('CONFLICT', `The field ${field} uses the role ${name}`);
    await this.database.transaction(principal, async (tx) => {
      // Again, under the lock: it can have been given meanwhile.
      await this.assertHeldByNobody(tx, name);
      await this.roles.delete(tx, name);
      this.trail.record(tx, { action: 'role.removed', subject: { kind: 'role', id: name } });
    });
  }

  /**
   * Before roles are given. Only for one that identity does not know itself the marketplace is asked.
   * @param pointer to the list in the body
   * @returns those to {@link hold} where they are given
   * @throws PlatformError VALIDATION_FAILED, which names those that the workspace does not have; SERVICE_UNAVAILABLE, DEADLINE_EXCEEDED
   */
  async admit(tenantId: string, roles: readonly string[], pointer = '/roles'): Promise<string[]> {
    const added = [...new Set(roles)].filter((name) => !isBuiltIn(name));
    if (added.length === 0) return [];
    const { own, held } = await this.stored(tenantId);
    const isOwn = (name: string) => own.some((role) => role.name === name);
    let unknown = added.filter((name) => !isOwn(name) && !held.includes(name));
    if (unknown.length > 0) {
      const brought = await this.brought(tenantId);
      unknown = unknown.filter((name) => !brought.some((role) => role.name === name));
    }
    if (unknown.length === 0) return added.filter(isOwn);
    throw invalidValues(
      ...unknown.map((name) => ({
        ...{ pointer: `${pointer}/${roles.indexOf(name)}`, code: 'UNKNOWN_ROLE' },
        detail: `Unknown role "${name}"`,
      })),
    );
  }

  /** In the transaction that gives roles. @throws PlatformError CONFLICT for one that was removed since */
  async hold(tx: WorkspaceTransaction, tenantId: string, admitted: readonly string[]): Promise<void> {
    if (admitted.length === 0 || (await this.roles.hold(tx, tenantId, admitted)) === admitted.length) return;
    throw new PlatformError('CONFLICT', 'A role was removed at the same time');
  }

  /**
   * What the trail says of someone who gives themselves roles: the fields that these open and those of before did not. A role is
   * also given while custom-objects does not answer.
   */
  async describeOpened(tenantId: string, given: readonly string[], before: readonly string[]): Promise<AuditDetail> {
    const added = given.filter((role) => !before.includes(role));
    if (added.length === 0) return {};
    try {
      const fields = await this.fieldsOf(tenantId, added, before);
      return fields.length > 0 ? { opensFields: true, fields } : {};
    } catch (error) {
      if (error instanceof PlatformError && AWAY.includes(error.code)) return { opensFields: 'unknown' };
      throw error;
    }
  }

  private async fieldsOf(tenantId: string, roles: readonly string[], held: readonly string[]): Promise<string[]> {
    const request = { tenantId, roles: [...roles], held: [...held] };
    return (await this.rpc.call(rpc.customObjects.listFieldsOfRoles, request)).fields;
  }

  private async brought(tenantId: string) {
    return (await this.rpc.call(rpc.marketplace.listRoles, { tenantId })).roles;
  }

  private stored(tenantId: string) {
    return this.database.transaction(tenantId, async (tx) => {
      const [own, held] = await Promise.all([this.roles.list(tx), this.roles.listHeld(tx)]);
      return { own, held };
    });
  }

  /** @throws PlatformError NOT_FOUND, CONFLICT */
  private async assertHeldByNobody(tx: TenantTransaction, name: string): Promise<void> {
    if (!(await this.roles.lock(tx, name))) throw new PlatformError('NOT_FOUND', 'Role not found');
    const holders = await this.roles.countHolders(tx, name);
    const detail = `Users, service accounts and identity providers that have the role: ${holders}`;
    if (holders > 0) throw new PlatformError('CONFLICT', detail);
  }
}

/** Codes of a neighbour that is not there. */
const AWAY: readonly string[] = ['SERVICE_UNAVAILABLE', 'DEADLINE_EXCEEDED'];

const builtIn = (name: string): RoleView => ({
  name,
  label: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  origin: 'builtin',
  appKeys: [],
});
