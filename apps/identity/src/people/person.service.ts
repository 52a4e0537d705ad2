import { PlatformError } from '@crm/contracts';
import { inOtherTenant, type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { EmailClaimRepository, type EmailHolder } from './email.repository.js';
import { TenantRepository, UserRepository } from './people.repository.js';
import { PersonRepository } from './person.repository.js';

/** Most workspaces of one person: a new password is written in each of them at once. */
export const MAX_MEMBERSHIPS = 50;

/**
 * Makes persons of proven addresses, and members of persons. Everything here runs as the narrow role, in the context of the
 * user's workspace, and takes its locks in one order: the address, then users in the order of their tenants.
 */
@Injectable()
export class PersonService {
  constructor(
    private readonly persons: PersonRepository,
    private readonly users: UserRepository,
    private readonly claims: EmailClaimRepository,
    private readonly tenants: TenantRepository,
  ) {}

  /**
   * The user has proven the address. Anyone who has proven it before is the person, whose password the user then has.
   * What else claims the address becomes an offer to the person, and its verification ends.
   * @returns the person
   * @throws PlatformError EMAIL_TAKEN while the address is kept for a person who has given it up, CONFLICT where the person is
   * another user of the workspace already, or is in too many
   */
  async prove(tx: NarrowTransaction, email: string, user: EmailHolder): Promise<string> {
    await this.persons.holdAddress(tx, email);
    const known = await this.persons.findAddress(tx, email);
    if (known?.isReserved) throw new PlatformError('EMAIL_TAKEN');
    if (known) return this.join(tx, known.personId, user);
    const personId = await this.persons.insert(tx, email, user);
    await this.enter(tx, personId, user);
    await this.claims.endOthers(tx, email, user.userId);
    return personId;
  }

  /** Makes the person a member as a user, in place of a local account. @throws PlatformError CONFLICT as {@link prove} */
  async join(tx: NarrowTransaction, personId: string, user: EmailHolder): Promise<string> {
    const memberships = await this.persons.memberships(tx, personId);
    if (memberships.some(({ userId }) => userId === user.userId)) return personId;
    if (memberships.some(({ tenantId }) => tenantId === user.tenantId)) {
      throw new PlatformError('CONFLICT', 'This person already has an account in this workspace');
    }
    if (memberships.length >= MAX_MEMBERSHIPS) {
      throw new PlatformError('CONFLICT', `A person can be in up to ${MAX_MEMBERSHIPS} workspaces`);
    }
    const passwordHash = await this.passwordOf(tx, memberships);
    if (passwordHash !== null) await this.users.setPassword(tx, user, passwordHash);
    await this.enter(tx, personId, user);
    if (passwordHash === null) await this.adoptPassword(tx, personId, user);
    return personId;
  }

  /** The same password in every workspace of the person, but where only a provider or a host signs in. */
  async setPassword(tx: NarrowTransaction, personId: string, passwordHash: string | null): Promise<EmailHolder[]> {
    const memberships = await this.persons.memberships(tx, personId);
    for (const user of memberships) {
      await inOtherTenant(tx, user.tenantId, () => this.users.setPassword(tx, user, passwordHash));
    }
    return memberships;
  }

  /** Sets it for the person who the user is, or for the local account alone. @returns the users who have it */
  async setPasswordOf(
    tx: NarrowTransaction,
    user: EmailHolder,
    passwordHash: string,
    passwordKey?: Buffer,
  ): Promise<EmailHolder[]> {
    const personId = await this.persons.personOf(tx, user.userId);
    if (personId !== undefined) return this.setPassword(tx, personId, passwordHash);
    await this.users.setPassword(tx, user, passwordHash);
    if (passwordKey) await this.persons.changeLocal(tx, user.userId, { passwordKey });
    return [user];
  }

  private async enter(tx: NarrowTransaction, personId: string, user: EmailHolder): Promise<void> {
    await this.persons.addMembership(tx, personId, user);
    const wasLocal = await this.persons.deleteLocal(tx, user.userId);
    if (!(await this.claims.delete(tx, user.userId))) return;
    if (!wasLocal) throw new PlatformError('CONFLICT', 'The workspace is being closed');
    // What a workspace that was registered with the address has waited for.
    await this.tenants.markVerified(tx, user.tenantId);
  }

  /** Who has had no password, as a provider has signed them in, has from now on the one of the user, and signs in by it here. */
  private async adoptPassword(tx: NarrowTransaction, personId: string, user: EmailHolder): Promise<void> {
    const own = await this.users.readPassword(tx, user.tenantId, user.userId);
    if (own === null) return;
    await this.setPassword(tx, personId, own);
    await this.persons.noteUse(tx, personId, user);
  }

  /** @param memberships of the person @returns null where only providers and hosts sign them in */
  async passwordOf(tx: NarrowTransaction, memberships: readonly EmailHolder[]): Promise<string | null> {
    return (await this.withPassword(tx, memberships))?.passwordHash ?? null;
  }

  /** @returns the first who signs in by the password; those whom only a provider or a host signs in have none */
  async withPassword(tx: NarrowTransaction, memberships: readonly EmailHolder[]) {
    for (const { tenantId, userId } of memberships) {
      const passwordHash = await inOtherTenant(tx, tenantId, () => this.users.readPassword(tx, tenantId, userId));
      if (passwordHash !== null) return { tenantId, userId, passwordHash };
    }
    return undefined;
  }
}
