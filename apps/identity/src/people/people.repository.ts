import { PlatformError } from '@crm/contracts';
import {
  type Database,
  type NarrowTransaction,
  secondsFromNow,
  TENANT_OF_STATEMENT,
  type TenantTransaction,
  type Transaction,
} from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { ArrayContains, In, Like, Not, Raw } from 'typeorm';
import { type Page, pageById } from '../pages.js';
import { FOR_UPDATE } from '../tenant-row.js';
import type { EmailHolder } from './email.repository.js';
import { REMOVED_DOMAIN, Tenant, User, type UserOrigin, type UserStatus } from './people.entity.js';

/**
 * SQL: whether the workspace requires single sign-on of a row of `app_user`, so that neither password nor passkey of theirs is
 * accepted. Not of owners, nor of guests, whom its provider cannot know: no domain that it has proven is theirs, and they never
 * came that way. Without any proven domain nobody is a guest. $1: tenant.
 */
const NEEDS_PROVIDER = `(NOT 'owner' = ANY (roles)
  AND EXISTS (SELECT 1 FROM sign_in_policy p WHERE p.tenant_id = $1::uuid AND p.single_sign_on = 'required')
  AND (EXISTS (SELECT 1 FROM mail_domain d WHERE d.tenant_id = $1::uuid AND d.verified_at IS NOT NULL
                                             AND d.domain = substring(email FROM '[^@]*$'))
    OR EXISTS (SELECT 1 FROM provider_link l WHERE l.tenant_id = $1::uuid AND l.user_id = app_user.id)
    OR NOT EXISTS (SELECT 1 FROM mail_domain d WHERE d.tenant_id = $1::uuid AND d.verified_at IS NOT NULL)))`;

/** $1: tenant, $2: user. */
const READ_NEEDS_PROVIDER = `
  SELECT ${NEEDS_PROVIDER} AS "needsProvider" FROM app_user WHERE tenant_id = $1::uuid AND id = $2::uuid`;

/** A user whose password is to be checked, by itself in one round trip. $1: tenant, $2: user. */
export const READ_SIGN_IN_USER = `
  SELECT u.* FROM ${TENANT_OF_STATEMENT}, LATERAL (
    SELECT tenant_id AS "tenantId", id, email, roles, status, origin, password_hash AS "passwordHash", mfa_enabled AS "mfaEnabled",
        sign_in_epoch AS "signInEpoch", initial_password AS "initialPassword",
        EXISTS (SELECT 1 FROM tenant_suspension s WHERE s.tenant_id = $1::uuid AND s.reinstated_at IS NULL) AS "isSuspended",
        ${NEEDS_PROVIDER} AS "needsProvider"
      FROM app_user WHERE tenant_id = $1::uuid AND id = $2::uuid AND tenant.id IS NOT NULL OFFSET 0) AS u`;

/**
 * Who is told what concerns a workspace: its active administrators. When there are too many, one of
 * them who is named comes first, then owners, then those who came first. Their rows are held in the order in which changes of
 * users take them, owners first, so that nobody who is being erased gets a mail that the erasure does not see.
 * $1: tenant, $2: the user who is named, or null, $3: limit.
 */
export const HOLD_ADMINISTRATORS_TO_TELL = `
  WITH told AS MATERIALIZED (
    SELECT id FROM app_user
     WHERE tenant_id = $1 AND status = 'active' AND roles && ARRAY['owner', 'admin']
     ORDER BY (id = $2) IS TRUE DESC, roles @> ARRAY['owner'] DESC, id LIMIT $3)
  SELECT u.id, u.email, u.name, u.roles FROM told JOIN app_user u ON u.tenant_id = $1 AND u.id = told.id
   WHERE u.status = 'active' AND u.roles && ARRAY['owner', 'admin']
   ORDER BY u.roles @> ARRAY['owner'] DESC, u.id FOR KEY SHARE OF u`;

/** Rights that stay until the transaction ends. $1: tenant, $2: user, $3: epoch of the proof; null without one. */
export const LOCK_USER_FOR_ISSUE = `
  SELECT tenant_id AS "tenantId", id, email, name, roles, status FROM app_user
   WHERE tenant_id = $1 AND id = $2 AND ($3::integer IS NULL OR sign_in_epoch = $3::integer) FOR SHARE`;

export type NewUser = Pick<User, 'id' | 'email' | 'name' | 'roles' | 'status' | 'origin' | 'passwordHash'> &
  Partial<Pick<User, 'initialPassword'>>;

export type SignInUser = Pick<
  User,
  | 'tenantId'
  | 'id'
  | 'email'
  | 'roles'
  | 'status'
  | 'origin'
  | 'passwordHash'
  | 'mfaEnabled'
  | 'signInEpoch'
  | 'initialPassword'
> & {
  readonly isSuspended: boolean;
  /** True when the workspace requires single sign-on of them, so that their password is not accepted. */
  readonly needsProvider: boolean;
};

export type HeldUser = Pick<User, 'tenantId' | 'id' | 'email' | 'status' | 'passwordHash'>;

export type IssueUser = Pick<User, 'tenantId' | 'id' | 'email' | 'name' | 'roles' | 'status'>;

export interface UserFilter {
  /** How a word of the name or of the address begins. */
  readonly q?: string;
  readonly ids?: readonly string[];
  readonly status?: UserStatus;
}

const beginsWord = (start: string) =>
  Raw((column) => `(${column} ILIKE :start OR ${column} ILIKE :word)`, { start: `${start}%`, word: `% ${start}%` });

@Injectable()
export class UserRepository {
  async insert(tx: NarrowTransaction, tenantId: string, user: NewUser): Promise<void> {
    await tx.repository(User).insert({ tenantId, ...user });
  }

  /** What the narrow role may read of a user, in the context of their tenant. */
  async findContact(
    tx: NarrowTransaction,
    tenantId: string,
    id: string,
  ): Promise<Pick<User, 'id' | 'email' | 'roles' | 'status'> | null> {
    const select = { tenantId: true, id: true, email: true, roles: true, status: true } as const;
    return tx.repository(User).findOne({ select, where: { tenantId, id } });
  }

  /** Holds a user until the transaction of the narrow role ends, before what belongs to them, as {@link lock} does. */
  async hold(tx: NarrowTransaction, tenantId: string, id: string): Promise<HeldUser | null> {
    const select = { tenantId: true, id: true, email: true, status: true, passwordHash: true } as const;
    return tx.repository(User).findOne({ select, where: { tenantId, id }, lock: FOR_UPDATE });
  }

  async find(tx: TenantTransaction, id: string): Promise<User | null> {
    return tx.repository(User).findOneBy({ tenantId: tx.tenantId, id });
  }

  /** @throws PlatformError NOT_FOUND */
  async get(tx: TenantTransaction, id: string): Promise<User> {
    const user = await this.find(tx, id);
    if (!user) throw new PlatformError('NOT_FOUND', 'User not found');
    return user;
  }

  /** Returns whether their workspace requires single sign-on of a user; also for the narrow role, in the context of the tenant. */
  async needsProvider(tx: Transaction, tenantId: string, id: string): Promise<boolean> {
    const [user] = await tx.query<{ needsProvider: boolean }>(READ_NEEDS_PROVIDER, [tenantId, id]);
    return user?.needsProvider ?? false;
  }

  async readForSignIn(database: Database, { tenantId, userId }: EmailHolder): Promise<SignInUser | null> {
    const [user] = await database.read<SignInUser>(tenantId, READ_SIGN_IN_USER, [userId]);
    return user ?? null;
  }

  async lock(tx: TenantTransaction, id: string): Promise<User | null> {
    return tx.repository(User).findOne({ where: { tenantId: tx.tenantId, id }, lock: FOR_UPDATE });
  }

  /** @param epoch in which they have proven who they are; null is returned when it is over */
  async lockForIssue(tx: TenantTransaction, id: string, epoch?: number): Promise<IssueUser | null> {
    const [user] = await tx.queryPrepared<IssueUser>(LOCK_USER_FOR_ISSUE, [tx.tenantId, id, epoch ?? null]);
    return user ?? null;
  }

  async update(tx: TenantTransaction, id: string, changes: Partial<Omit<User, 'tenantId' | 'id'>>): Promise<void> {
    await tx.repository(User).update({ tenantId: tx.tenantId, id }, { ...changes });
  }

  /** By the narrow role, which changes who signs in with it too. */
  async changeEmail(tx: NarrowTransaction, { tenantId, userId }: EmailHolder, email: string): Promise<void> {
    await tx.repository(User).update({ tenantId, id: userId }, { email });
  }

  /** By the narrow role, in the context of the user's tenant. Hosts and providers sign in their users without a password. */
  async setPassword(
    tx: NarrowTransaction,
    { tenantId, userId }: EmailHolder,
    passwordHash: string | null,
  ): Promise<void> {
    const signsInHere = Not(In<UserOrigin>(['embed', 'identity_provider']));
    await tx
      .repository(User)
      .update({ tenantId, id: userId, origin: signsInHere }, { passwordHash, initialPassword: false });
  }

  /** By the narrow role, in the context of the user's tenant: of someone who has accepted an invitation. */
  async activate(tx: NarrowTransaction, { tenantId, userId }: EmailHolder): Promise<void> {
    await tx.repository(User).update({ tenantId, id: userId, status: 'invited' }, { status: 'active' });
  }

  async readPassword(tx: NarrowTransaction, tenantId: string, id: string): Promise<string | null> {
    const user = await tx
      .repository(User)
      .findOne({ select: { tenantId: true, id: true, passwordHash: true }, where: { tenantId, id } });
    return user?.passwordHash ?? null;
  }

  /** Whom an administrator, a registration or a provider has given an address in a workspace. @param email normalised */
  async findByEmail(tx: NarrowTransaction, tenantId: string, email: string): Promise<EmailHolder | null> {
    const where = { tenantId, email, origin: Not<UserOrigin>('embed') };
    const user = await tx.repository(User).findOne({ select: { tenantId: true, id: true }, where });
    return user && { tenantId, userId: user.id };
  }

  /** What a host says of its user, by the narrow role. Users whom others have added stay as they are. */
  async followHost(
    tx: NarrowTransaction,
    { tenantId, userId }: EmailHolder,
    changes: Partial<Pick<User, 'name' | 'email'>>,
  ): Promise<void> {
    await tx.repository(User).update({ tenantId, id: userId, origin: 'embed' }, changes);
  }

  /** Like {@link findByEmail}; when nobody else has it, finds the first whom a host has brought with it. */
  async findByAddress(tx: NarrowTransaction, tenantId: string, email: string): Promise<EmailHolder | null> {
    const holder = await this.findByEmail(tx, tenantId, email);
    if (holder) return holder;
    const where = { tenantId, email, origin: 'embed' as const };
    const user = await tx
      .repository(User)
      .findOne({ select: { tenantId: true, id: true }, where, order: { id: 'ASC' } });
    return user && { tenantId, userId: user.id };
  }

  /** Those of the ids that users have. */
  async listPresent(tx: TenantTransaction, ids: readonly string[]): Promise<string[]> {
    const where = { tenantId: tx.tenantId, id: In([...ids]) };
    const users = await tx.repository(User).find({ select: { tenantId: true, id: true }, where });
    return users.map(({ id }) => id);
  }

  /** Whom administrators and providers have added and nobody has removed. */
  async count(tx: Pick<NarrowTransaction, 'repository'>, tenantId: string): Promise<number> {
    const where = { tenantId, origin: Not<UserOrigin>('embed'), email: Not(Like(`%${REMOVED_DOMAIN}`)) };
    return tx.repository(User).countBy(where);
  }

  async list(tx: TenantTransaction, { q, ids, status }: UserFilter, page: ListPage): Promise<Page<User>> {
    const some = { tenantId: tx.tenantId, ...(status && { status }), ...(ids && { id: In([...ids]) }) };
    const start = q?.trim().replace(/[\\%_]/g, '\\$&');
    const where = start ? ['name', 'email'].map((column) => ({ ...some, [column]: beginsWord(start) })) : some;
    return pageById(tx.repository(User), 'ASC', where, page);
  }

  /** Owners first; they stay until the transaction ends. @param first comes first when there are more than the limit */
  async holdAdministratorsToTell(
    tx: TenantTransaction,
    limit: number,
    first: string | null = null,
  ): Promise<Pick<User, 'id' | 'email' | 'name' | 'roles'>[]> {
    return tx.query(HOLD_ADMINISTRATORS_TO_TELL, [tx.tenantId, first, limit]);
  }

  /** Locks and counts the owners that can still sign in, so that two of them cannot step down at once. */
  async lockActiveOwners(tx: TenantTransaction): Promise<number> {
    const owners = await tx.repository(User).find({
      select: { tenantId: true, id: true },
      where: { tenantId: tx.tenantId, status: 'active', roles: ArrayContains(['owner']) },
      order: { id: 'ASC' },
      lock: FOR_UPDATE,
    });
    return owners.length;
  }
}

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
