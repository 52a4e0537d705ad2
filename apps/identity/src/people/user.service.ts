import type { Principal } from '@crm/access';
import { EVENTS, mayGrantRole, PlatformError } from '@crm/contracts';
import { appendEvent, DAY_SECONDS, Database, type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { shownAddress, withoutAddress } from './people.entity.js';
import { PersonRepository } from './person.repository.js';
import { type NewUser, UserRepository } from './user.repository.js';

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
