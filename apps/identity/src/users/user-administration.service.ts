import type { Principal } from '@crm/access';
import { EVENTS, PlatformError } from '@crm/contracts';
import { appendEvent, Database, type TenantTransaction } from '@crm/database';
import { idPosition, type ListAnswer, listAnswer, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { AuditDetail } from '../audit/audit-entry.entity.js';
import { AuditTrail, type NewAuditEntry } from '../audit/audit-trail.service.js';
import { isRemoved, shownAddress, type User, type UserStatus } from '../people/people.entity.js';
import { PersonRepository } from '../people/person.repository.js';
import { UserRepository } from '../people/user.repository.js';
import { assertGrantable } from '../people/user.service.js';
import { RoleService } from '../roles/role.service.js';
import { RecentProof } from '../sessions/recent-proof.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { SessionService } from '../sessions/session.service.js';
import type { UserChangeInput, UserListQuery } from './user.dto.js';

type Changed = Pick<User, 'id' | 'name' | 'roles' | 'status'>;

const haveRolesChanged = (before: Pick<User, 'roles'>, after: Pick<User, 'roles'>): boolean =>
  [...before.roles].sort().join() !== [...after.roles].sort().join();

/** What the audit trail has of a change of a user; nothing for what stays as it was. Names are not stored: they identify people. */
function changesOf(before: Changed, after: Changed, opened: AuditDetail): NewAuditEntry[] {
  const subject = { kind: 'user', id: before.id } as const;
  const entries: NewAuditEntry[] = [];
  if (before.name !== after.name) entries.push({ action: 'user.renamed', subject });
  if (haveRolesChanged(before, after)) {
    entries.push({ action: 'user.roles_changed', subject, detail: { from: before.roles, to: after.roles, ...opened } });
  }
  if (before.status !== after.status) {
    entries.push({ action: after.status === 'disabled' ? 'user.disabled' : 'user.enabled', subject });
  }
  return entries;
}

@Injectable()
export class UserAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly persons: PersonRepository,
    private readonly sessions: SessionService,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
    private readonly proof: RecentProof,
    private readonly roles: RoleService,
  ) {}

  /** @throws PlatformError INVALID_QUERY for a cursor of another tenant or list */
  async list(tenantId: string, { q, ids, status, ...query }: UserListQuery): Promise<ListAnswer<User>> {
    const filter = { q, ids, status };
    const page = parsePage(query, { tenantId, list: 'users', filter: JSON.stringify(filter) });
    const { rows, counted } = await this.database.transaction(tenantId, (tx) => this.users.list(tx, filter, page));
    return listAnswer(rows, page, counted, idPosition);
  }

  async get(tenantId: string, id: string): Promise<User> {
    return this.database.transaction(tenantId, (tx) => this.users.get(tx, id));
  }

  /**
   * A change of roles cuts off the access tokens; disabling ends the sessions as well.
   * @throws PlatformError STEP_UP_REQUIRED, NOT_FOUND, ROLE_NOT_GRANTABLE, CONFLICT for the last owner; VALIDATION_FAILED,
   * SERVICE_UNAVAILABLE as add
   */
  async change(principal: Principal, id: string, change: UserChangeInput): Promise<User> {
    const roles = change.roles && [...new Set(change.roles)];
    if (roles) assertGrantable(principal, roles);
    const { tenantId } = principal;
    const admitted = change.roles ? await this.roles.admit(tenantId, change.roles) : [];
    const isOwn = id === principal.userId;
    const opened = roles && isOwn ? await this.roles.describeOpened(tenantId, roles, principal.roles) : {};
    const isMember = (await this.database.crossTenant((tx) => this.persons.personOf(tx, id))) !== undefined;
    const ended = await this.database.transaction(principal, async (tx) => {
      const owners = await this.users.lockActiveOwners(tx);
      const user = await this.users.lock(tx, id);
      if (!user) throw new PlatformError('NOT_FOUND', 'User not found');
      assertGrantable(principal, user.roles);
      const isRaised = roles?.some((role) => !user.roles.includes(role));
      if (isRaised) await this.proof.assertWithin(tx, principal);
      await this.roles.hold(tx, tenantId, admitted);
      const after = { ...user, ...change, roles: roles ?? user.roles, status: statusAfter(user, isMember, change) };
      if (isActiveOwner(user) && !isActiveOwner(after) && owners === 1) {
        throw new PlatformError('CONFLICT', 'A workspace needs at least one owner');
      }
      if (isRemoved(user) && change.status === 'active') {
        throw new PlatformError('CONFLICT', 'The user was removed. Invite the address again');
      }
      if (user.status === 'invited' && change.status === 'active') {
        throw new PlatformError('CONFLICT', 'An invited user becomes active by accepting the invitation');
      }
      await this.users.update(tx, id, { name: after.name, roles: after.roles, status: after.status });
      for (const entry of changesOf(user, after, opened)) this.trail.record(tx, entry);
      return this.cutOff(tx, user, after);
    });
    await this.sessions.forget(ended);
    return this.get(tenantId, id);
  }

  private async cutOff(tx: TenantTransaction, before: User, after: User): Promise<string[]> {
    const disabled = after.status === 'disabled' && before.status !== 'disabled';
    if (disabled || haveRolesChanged(before, after)) await this.revocations.record(tx, 'user', before.id);
    if (!disabled) return [];
    await appendEvent(tx, EVENTS['user.disabled'], {
      subject: before.id,
      data: { userId: before.id, email: shownAddress(before), name: after.name },
    });
    return this.sessions.endAllWithin(tx, before.id);
  }
}

function statusAfter(user: User, isMember: boolean, change: UserChangeInput): UserStatus {
  // Who has proven the address sets a password by mail. Host users and those of an identity provider never have one.
  const isLetIn = isMember || ['embed', 'identity_provider'].includes(user.origin);
  const waitsForPassword = user.passwordHash === null && !isLetIn;
  return change.status === 'active' && waitsForPassword ? 'invited' : (change.status ?? user.status);
}

const isActiveOwner = (user: Pick<User, 'roles' | 'status'>): boolean =>
  user.status === 'active' && user.roles.includes('owner');
