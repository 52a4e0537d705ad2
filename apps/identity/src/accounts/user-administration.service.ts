import type { Principal } from '@crm/access';
import { EVENTS, PlatformError } from '@crm/contracts';
import {
  appendEvent,
  assertQuotaLeft,
  Database,
  headerCall,
  IdempotencyService,
  inWorkspace,
  type NarrowTransaction,
  newId,
  type QuotaRule,
  type TenantTransaction,
  takeQuota,
} from '@crm/database';
import { idPosition, type ListAnswer, listAnswer, parsePage } from '@crm/http';
import { Limiter, LimiterStore } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import type { AuditDetail } from '../audit/audit-entry.entity.js';
import { AuditTrail, type NewAuditEntry } from '../audit/audit-trail.service.js';
import { notingRefusal, RefusedActs } from '../audit/refused-acts.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { isRemoved, shownAddress, type User, type UserStatus } from '../people/people.entity.js';
import { UserRepository } from '../people/people.repository.js';
import {
  assertGrantable,
  assertVerified,
  normaliseEmail,
  TenantService,
  USER_QUOTA,
  UserService,
} from '../people/people.service.js';
import { PersonRepository } from '../people/person.repository.js';
import { RoleService } from '../roles/role.service.js';
import { RecentProof } from '../sessions/proof.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { SessionService } from '../sessions/session.service.js';
import { SignInPolicyRepository } from '../sign-in/factor.repository.js';
import { LocalPasswords } from '../sign-in/local-passwords.js';
import { PasswordMarks, PasswordPolicy, PasswordService } from '../sign-in/password.service.js';
import { DomainService } from '../single-sign-on/domain.service.js';
import { UsageService } from '../usage/usage.service.js';
import type { UserChangeInput, UserInput, UserListQuery } from './accounts.dto.js';
import { InvitationService } from './invitation.service.js';

type Changed = Pick<User, 'id' | 'name' | 'roles' | 'status'>;

const sorted = (roles: readonly string[]): string[] => [...roles].sort();

/** What the audit trail has of a change of a user; nothing for what stays as it was. Names are not stored: they identify people. */
function changesOf(before: Changed, after: Changed, opened: AuditDetail): NewAuditEntry[] {
  const subject = { kind: 'user', id: before.id } as const;
  const entries: NewAuditEntry[] = [];
  if (before.name !== after.name) entries.push({ action: 'user.renamed', subject });
  if (sorted(before.roles).join() !== sorted(after.roles).join()) {
    entries.push({ action: 'user.roles_changed', subject, detail: { from: before.roles, to: after.roles, ...opened } });
  }
  if (before.status !== after.status) {
    entries.push({ action: after.status === 'disabled' ? 'user.disabled' : 'user.enabled', subject });
  }
  return entries;
}

/** Repeated invitations of one user in an hour, so that nobody can flood the mailbox of the user. */
const INVITATIONS_AGAIN = { name: 'invitation', points: 5, windowSeconds: 3600 };

/** Passwords that the administrators of a tenant set in an hour: each is looked at and hashed. Others are invited. */
export const PASSWORDS_SET = { name: 'user-password', points: 300, windowSeconds: 3600 };

@Injectable()
export class UserAdministrationService {
  private readonly invitationLimit: Limiter;
  private readonly passwordLimit: Limiter;

  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly persons: PersonRepository,
    private readonly additions: UserService,
    private readonly passwords: PasswordService,
    private readonly invitations: InvitationService,
    private readonly sessions: SessionService,
    private readonly revocations: RevocationService,
    private readonly idempotency: IdempotencyService,
    private readonly passwordMarks: PasswordMarks,
    private readonly policy: PasswordPolicy,
    private readonly localPasswords: LocalPasswords,
    private readonly tenants: TenantService,
    private readonly signInPolicies: SignInPolicyRepository,
    private readonly domains: DomainService,
    private readonly trail: AuditTrail,
    private readonly refusals: RefusedActs,
    private readonly proof: RecentProof,
    private readonly usage: UsageService,
    private readonly roles: RoleService,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
    limits: LimiterStore,
  ) {
    this.invitationLimit = new Limiter(
      limits,
      INVITATIONS_AGAIN,
      'Too many invitations sent to this user. Try again later',
    );
    this.passwordLimit = new Limiter(
      limits,
      PASSWORDS_SET,
      'Too many users were added with a password. Invite them instead',
    );
  }

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
   * Nothing tells whether the address has an account elsewhere.
   * @param key makes a repeated call return the same user
   * @throws PlatformError ROLE_NOT_GRANTABLE, EMAIL_NOT_VERIFIED, VALIDATION_FAILED, LOCAL_PASSWORDS_REFUSED, WEAK_PASSWORD, RATE_LIMITED,
   * STORAGE_LIMIT_REACHED, SERVICE_UNAVAILABLE for a role that only the marketplace knows,
   * EMAIL_TAKEN for the address of another user of the workspace, IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED
   */
  async add(principal: Principal, addition: UserInput, key?: string): Promise<User> {
    const { tenantId } = principal;
    const roles = [...new Set(addition.roles)];
    assertGrantable(principal, roles);
    const body = { ...addition, password: addition.password && this.passwordMarks.of(addition.password) };
    const call = headerCall(principal, 'POST /api/tenant/users', key, body);
    // First: a quota that has run out since does not refuse a repetition.
    const earlier =
      call && (await this.database.transaction(tenantId, (tx) => this.idempotency.findRecordId(tx, call)));
    if (earlier) return this.get(tenantId, earlier);
    const admitted = await this.roles.admit(tenantId, addition.roles);
    const quota = await this.admitAddition(principal);
    await this.assertCanSignIn(tenantId, addition.email, roles);
    const password = await this.hash(principal, addition);
    const user = {
      id: newId(),
      email: normaliseEmail(addition.email),
      name: addition.name.trim(),
      roles,
      status: password ? ('active' as const) : ('invited' as const),
      origin: 'administrator' as const,
      initialPassword: password !== undefined && this.localPasswords.areInitial,
      passwordHash: password?.hash ?? null,
    };
    const invitation = user.status === 'invited' ? await this.invitations.prepare(tenantId, user) : undefined;
    const create = async (tx: NarrowTransaction): Promise<string> => {
      await this.roles.hold(tx, tenantId, admitted);
      await this.additions.addLocal(tx, tenantId, user, password?.key);
      if (invitation) await this.invitations.send(tx, invitation);
      this.trail.record(tx, {
        action: invitation ? 'user.invited' : 'user.added',
        subject: { kind: 'user', id: user.id },
        detail: { roles },
      });
      // Last: others of the workspace who add a user wait from here on.
      await takeQuota(tx, tenantId, quota);
      await this.usage.assertUserLimit(tx, tenantId);
      return user.id;
    };
    const adding = inWorkspace(this.database, principal, async (tx) =>
      call ? (await this.idempotency.once(tx, call, () => create(tx))).recordId : create(tx),
    );
    const added = await notingRefusal(this.refusals, principal, quota, () => adding);
    await this.usage.noteUser(tenantId);
    return this.get(tenantId, added);
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

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, CONFLICT for a user who is not invited, RATE_LIMITED */
  async inviteAgain(principal: Principal, id: string): Promise<void> {
    const { tenantId } = principal;
    const user = await this.get(tenantId, id);
    assertGrantable(principal, user.roles);
    assertInvited(user);
    const quota = await this.admitAddition(principal);
    await this.invitationLimit.consume(id);
    const invitation = await this.invitations.prepare(tenantId, user);
    await this.database.transaction(principal, async (tx) => {
      // Checked again under the lock: the user can have accepted in the meantime.
      assertInvited(await this.users.lock(tx, id));
      await this.invitations.replace(tx, invitation);
      this.trail.record(tx, { action: 'user.invited_again', subject: { kind: 'user', id } });
      await takeQuota(tx, tenantId, quota);
    });
  }

  /** Someone whom no provider of the workspace can know would accept the invitation in vain. @throws PlatformError VALIDATION_FAILED */
  private async assertCanSignIn(tenantId: string, email: string, roles: readonly string[]): Promise<void> {
    // Owners sign in by a password.
    if (roles.includes('owner')) return;
    const isKnowable = await inWorkspace(
      this.database,
      tenantId,
      async (tx) =>
        !(await this.signInPolicies.requiresSingleSignOn(tx, tenantId)) ||
        (await this.domains.covers(tx, tenantId, normaliseEmail(email))),
    );
    if (isKnowable) return;
    const detail = 'The workspace requires single sign-on. Use an address of one of its verified domains';
    const errors = [{ pointer: '/email', code: 'SINGLE_SIGN_ON_REQUIRED', detail }];
    throw new PlatformError('VALIDATION_FAILED', undefined, { errors });
  }

  /** Before a password is hashed. @returns the quota to take @throws PlatformError EMAIL_NOT_VERIFIED, RATE_LIMITED */
  private async admitAddition(principal: Principal): Promise<QuotaRule> {
    const { tenantId } = principal;
    return this.database.transaction(tenantId, async (tx) => {
      const tenant = await this.tenants.view(tx);
      assertVerified(tenant);
      const limit = this.config.quotas.users[tenant.plan];
      const quota = { ...USER_QUOTA, limit };
      await notingRefusal(this.refusals, principal, quota, () => assertQuotaLeft(tx, tenantId, quota));
      return quota;
    });
  }

  private async cutOff(tx: TenantTransaction, before: User, after: User): Promise<string[]> {
    const disabled = after.status === 'disabled' && before.status !== 'disabled';
    const rolesChanged = [...before.roles].sort().join() !== [...after.roles].sort().join();
    if (disabled || rolesChanged) await this.revocations.record(tx, 'user', before.id);
    if (!disabled) return [];
    await appendEvent(tx, EVENTS['user.disabled'], {
      subject: before.id,
      data: { userId: before.id, email: shownAddress(before), name: after.name },
    });
    return this.sessions.endAllWithin(tx, before.id);
  }

  /** Tenants take turns, so that one that adds many users does not keep those of others from signing in. */
  private async hash({ tenantId }: Principal, addition: UserInput): Promise<{ hash: string; key: Buffer } | undefined> {
    const { email, password } = addition;
    if (password === undefined) return undefined;
    await this.localPasswords.assertAllowed(tenantId);
    await this.passwordLimit.consume(tenantId);
    const workspace = (await this.tenants.get(tenantId)).name;
    await this.policy.assertAcceptable(password, { ...addition, workspace });
    const hash = await this.passwords.hash(password, tenantId);
    return { hash, key: await this.passwords.claimKey(normaliseEmail(email), password, tenantId) };
  }
}

function assertInvited(user: User | null): void {
  if (user?.status !== 'invited') throw new PlatformError('CONFLICT', 'Only invited users can be invited again');
}

function statusAfter(user: User, isMember: boolean, change: UserChangeInput): UserStatus {
  // Who has proven the address sets a password by mail. Host users and those of an identity provider never have one.
  const isLetIn = isMember || ['embed', 'identity_provider'].includes(user.origin);
  const waitsForPassword = user.passwordHash === null && !isLetIn;
  return change.status === 'active' && waitsForPassword ? 'invited' : (change.status ?? user.status);
}

const isActiveOwner = (user: Pick<User, 'roles' | 'status'>): boolean =>
  user.status === 'active' && user.roles.includes('owner');
