import { type Database, type NarrowTransaction, newId, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { ArrayContains, In, IsNull, Not } from 'typeorm';
import { hasChangedOne } from '../tenant-row.js';
import type { EmailHolder } from './email-claim.repository.js';
import { SignInEmail } from './people.entity.js';
import { LocalAccount, Membership, Person } from './person.entity.js';

/** Held until the transaction ends, before every row: what is decided about an address follows each other. $1: address. */
export const HOLD_ADDRESS = "SELECT pg_advisory_xact_lock(hashtextextended('address:' || $1, 0))";

/** An address that its person has given up counts until the change can no longer be undone. $1: address. */
export const FIND_ADDRESS = `
  SELECT person_id AS "personId", reserved_until IS NOT NULL AS "isReserved" FROM sign_in_email
   WHERE email = $1`;

/** $1: address, $2: tenant, $3: user, $4: person. */
export const PROVE_ADDRESS = `
  INSERT INTO sign_in_email (email, tenant_id, user_id, person_id, proven_at) VALUES ($1, $2, $3, $4, now())`;

/** In one order, so that changes of several users of a person cannot deadlock. $1: person. */
export const LIST_MEMBERSHIPS = `
  SELECT tenant_id AS "tenantId", user_id AS "userId" FROM membership WHERE person_id = $1 ORDER BY tenant_id`;

/** The newest account of an address that has a password. $1: address, $2: password key, $3: tenant; null for any. */
export const FIND_LOCAL_BY_KEY = `
  SELECT tenant_id AS "tenantId", user_id AS "userId" FROM local_account
   WHERE email = $1 AND password_key = $2 AND ($3::uuid IS NULL OR tenant_id = $3::uuid)
   ORDER BY created_at DESC LIMIT 1`;

/** The member whom an address signs in to a workspace. $1: address, $2: tenant. */
export const FIND_MEMBERSHIP = `
  SELECT m.tenant_id AS "tenantId", m.user_id AS "userId", s.user_id AS "lastUserId", s.person_id AS "personId"
    FROM sign_in_email s JOIN membership m ON m.person_id = s.person_id AND m.tenant_id = $2
   WHERE s.email = $1 AND s.reserved_until IS NULL`;

/** A user who signs in with an address, and the person who they are. $1: address, $2: user. */
export const FIND_ACCOUNT = `
  SELECT m.tenant_id AS "tenantId", m.user_id AS "userId", m.person_id AS "personId"
    FROM sign_in_email s JOIN membership m ON m.person_id = s.person_id
   WHERE s.email = $1 AND s.reserved_until IS NULL AND m.user_id = $2
   UNION ALL
  SELECT tenant_id, user_id, NULL FROM local_account WHERE email = $1 AND user_id = $2`;

/** Selects whether an address is that of a member of a workspace, or kept for one who has given it up. $1: address, $2: tenant. */
export const IS_OF_MEMBER = `
  SELECT 1 FROM sign_in_email s JOIN membership m ON m.person_id = s.person_id
   WHERE s.email = $1 AND m.tenant_id = $2`;

/** Moves an address that the person had before too. $1: present address, $2: new address. */
export const MOVE_ADDRESS = `
  INSERT INTO sign_in_email (email, tenant_id, user_id, person_id, proven_at)
  SELECT $2, tenant_id, user_id, person_id, now() FROM sign_in_email WHERE email = $1
  ON CONFLICT (email) DO UPDATE
     SET tenant_id = EXCLUDED.tenant_id, user_id = EXCLUDED.user_id, person_id = EXCLUDED.person_id,
         proven_at = EXCLUDED.proven_at, reserved_until = NULL
   WHERE sign_in_email.person_id = EXCLUDED.person_id`;

/** $1: user. */
export const FIND_PERSON_OF_USER = `SELECT person_id AS "personId" FROM membership WHERE user_id = $1`;

/** Notes that a person has used a workspace. $1: person, $2: tenant, $3: user. */
export const NOTE_WORKSPACE_USED = `
  UPDATE sign_in_email SET tenant_id = $2, user_id = $3
   WHERE person_id = $1 AND reserved_until IS NULL AND tenant_id <> $2`;

/** What a person is offered, in the order in which it came. $1: person. */
export const LIST_OFFERS = `
  SELECT l.tenant_id AS "tenantId", l.user_id AS "userId"
    FROM sign_in_email s JOIN local_account l ON l.email = s.email
   WHERE s.person_id = $1 AND s.reserved_until IS NULL AND l.declined_at IS NULL
   ORDER BY l.created_at, l.user_id`;

/** The membership that the holder of an address has used last. $1: address. */
export const FIND_SIGN_IN_HOLDER = `
  SELECT tenant_id AS "tenantId", user_id AS "userId", user_id AS "lastUserId", person_id AS "personId"
    FROM sign_in_email WHERE email = $1 AND reserved_until IS NULL`;

/** $1: person, $2: tenant. */
export const NOTE_LEFT = `
  UPDATE person SET left_tenants = array_append(left_tenants, $2::uuid) WHERE id = $1 AND NOT $2::uuid = ANY (left_tenants)`;

export interface SignInHolder extends EmailHolder {
  /** Whom the person has been last. */
  readonly lastUserId: string;
  /** Null for a local account. */
  readonly personId: string | null;
}

export interface ProvenAddress {
  readonly personId: string;
  /** True when the person has given it up: they do not sign in with it, and nobody is to be taken for them by it. */
  readonly isReserved: boolean;
}

/** Persons, their memberships, and the accounts of unproven addresses. */
@Injectable()
export class PersonRepository {
  async holdAddress(tx: NarrowTransaction, email: string): Promise<void> {
    await tx.query(HOLD_ADDRESS, [email]);
  }

  /** @returns null for an address that nobody has proven */
  async findAddress(tx: NarrowTransaction, email: string): Promise<ProvenAddress | null> {
    return (await tx.query<ProvenAddress>(FIND_ADDRESS, [email]))[0] ?? null;
  }

  /** Those that the person has given up, too. */
  async addresses(tx: NarrowTransaction, personId: string): Promise<string[]> {
    const addresses = await tx.repository(SignInEmail).find({ where: { personId }, order: { email: 'ASC' } });
    return addresses.map(({ email }) => email);
  }

  async insert(tx: NarrowTransaction, email: string, user: EmailHolder): Promise<string> {
    const id = newId();
    await tx.repository(Person).insert({ id });
    await tx.query(PROVE_ADDRESS, [email, user.tenantId, user.userId, id]);
    return id;
  }

  async delete(tx: NarrowTransaction, id: string): Promise<void> {
    await tx.repository(Person).delete({ id });
  }

  /** The person stays in other workspaces. */
  async noteLeft(tx: NarrowTransaction, id: string, tenantId: string): Promise<void> {
    await tx.query(NOTE_LEFT, [id, tenantId]);
  }

  async hasLeft(tx: NarrowTransaction, id: string, tenantId: string): Promise<boolean> {
    return tx.repository(Person).existsBy({ id, leftTenants: ArrayContains([tenantId]) });
  }

  async addMembership(tx: NarrowTransaction, personId: string, user: EmailHolder): Promise<void> {
    await tx.repository(Membership).insert({ personId, tenantId: user.tenantId, userId: user.userId });
  }

  /** The user that a person is in a workspace. */
  async memberOf(tx: NarrowTransaction, personId: string, tenantId: string): Promise<EmailHolder | null> {
    return tx.repository(Membership).findOneBy({ personId, tenantId });
  }

  /** In the order of tenants. */
  async memberships(tx: NarrowTransaction, personId: string): Promise<EmailHolder[]> {
    return tx.query<EmailHolder>(LIST_MEMBERSHIPS, [personId]);
  }

  /** @returns undefined for a local account */
  async personOf(tx: NarrowTransaction, userId: string): Promise<string | undefined> {
    return (await tx.query<{ personId: string }>(FIND_PERSON_OF_USER, [userId]))[0]?.personId;
  }

  async noteUse(tx: NarrowTransaction, personId: string, user: EmailHolder): Promise<void> {
    await tx.query(NOTE_WORKSPACE_USED, [personId, user.tenantId, user.userId]);
  }

  async offers(tx: NarrowTransaction, personId: string): Promise<EmailHolder[]> {
    return tx.query<EmailHolder>(LIST_OFFERS, [personId]);
  }

  async addLocal(tx: NarrowTransaction, account: Omit<LocalAccount, 'declinedAt' | 'createdAt'>): Promise<void> {
    await tx.repository(LocalAccount).insert(account);
  }

  async findLocal(tx: NarrowTransaction, userId: string): Promise<LocalAccount | null> {
    return tx.repository(LocalAccount).findOneBy({ userId });
  }

  /** The newest first. */
  async localsOf(tx: NarrowTransaction, email: string): Promise<EmailHolder[]> {
    const where = { email };
    return tx.repository(LocalAccount).find({
      select: { tenantId: true, userId: true },
      where,
      order: { createdAt: 'DESC', userId: 'ASC' },
    });
  }

  async changeLocal(
    tx: NarrowTransaction,
    userId: string,
    changes: Partial<Pick<LocalAccount, 'passwordKey' | 'declinedAt'>>,
  ): Promise<boolean> {
    return hasChangedOne(await tx.repository(LocalAccount).update({ userId }, changes));
  }

  /** A local account that no person is offered. */
  async decline(tx: NarrowTransaction, userId: string): Promise<void> {
    await this.changeLocal(tx, userId, { declinedAt: new Date() });
  }

  async deleteLocal(tx: NarrowTransaction, userId: string): Promise<boolean> {
    return hasChangedOne(await tx.repository(LocalAccount).delete({ userId }));
  }

  async isOfMember(tx: NarrowTransaction, email: string, tenantId: string): Promise<boolean> {
    return (await tx.query(IS_OF_MEMBER, [email, tenantId])).length > 0;
  }

  /** The former address signs nobody in and is nobody else's for so long; with 0 it is free at once. */
  async moveAddress(tx: NarrowTransaction, from: string, to: string, keptSeconds: number): Promise<void> {
    await tx.query(MOVE_ADDRESS, [from, to]);
    const former = { email: from };
    if (keptSeconds === 0) await tx.repository(SignInEmail).delete(former);
    else await tx.repository(SignInEmail).update(former, { reservedUntil: secondsFromNow(keptSeconds) });
  }

  /** Undoes {@link moveAddress}. @param brought the addresses that the person has had since, besides the present one */
  async returnAddress(
    tx: NarrowTransaction,
    personId: string,
    to: string,
    { brought, user }: { brought: readonly string[]; user: EmailHolder },
  ): Promise<void> {
    const addresses = tx.repository(SignInEmail);
    await addresses.delete([
      { personId, email: Not(to), reservedUntil: IsNull() },
      { personId, email: In(brought.filter((email) => email !== to)) },
    ]);
    await addresses.update({ email: to, personId }, { ...user, reservedUntil: null });
  }

  /** In a separate transaction and one round trip, like the next four. @param tenantId undefined for any workspace */
  async findLocalByKey(database: Database, email: string, key: Buffer, tenantId?: string) {
    return (await database.crossTenantStatement<EmailHolder>(FIND_LOCAL_BY_KEY, [email, key, tenantId ?? null]))[0];
  }

  async findHolder(database: Database, email: string): Promise<SignInHolder | undefined> {
    return (await database.crossTenantStatement<SignInHolder>(FIND_SIGN_IN_HOLDER, [email]))[0];
  }

  async findMembership(database: Database, email: string, tenantId: string): Promise<SignInHolder | undefined> {
    return (await database.crossTenantStatement<SignInHolder>(FIND_MEMBERSHIP, [email, tenantId]))[0];
  }

  async findAccount(database: Database, email: string, userId: string) {
    type Account = Omit<SignInHolder, 'lastUserId'>;
    return (await database.crossTenantStatement<Account>(FIND_ACCOUNT, [email, userId]))[0];
  }
}
