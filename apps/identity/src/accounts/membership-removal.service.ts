import { EVENTS, PlatformError } from '@crm/contracts';
import { appendEvent, inOtherTenant, type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail, userActor } from '../audit/audit-trail.service.js';
import type { EmailHolder } from '../people/email.repository.js';
import { UserRepository } from '../people/people.repository.js';
import { PersonRepository } from '../people/person.repository.js';
import { PersonService } from '../people/person.service.js';
import { AccessRemovalService } from '../sessions/access-removal.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { ErasureRepository, type LeavingUser } from './personal-data.repository.js';

/** A user who is held until they have gone. */
export interface Leaver extends LeavingUser, Pick<EmailHolder, 'tenantId'> {
  /** Undefined for a local account. */
  readonly personId: string | undefined;
  readonly isLastOwner: boolean;
}

/**
 * What goes with a user of a workspace, and what becomes of the person. Locks are taken in the order of all changes: the address
 * ({@link holdAddress}), then users by the order of their tenants ({@link hold}). Afterwards the caller publishes the cut-offs.
 */
@Injectable()
export class MembershipRemovalService {
  constructor(
    private readonly users: UserRepository,
    private readonly persons: PersonRepository,
    private readonly people: PersonService,
    private readonly erasures: ErasureRepository,
    private readonly accessRemoval: AccessRemovalService,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
  ) {}

  /** In the context of the user's workspace. @returns the address @throws PlatformError NOT_FOUND */
  async holdAddress(tx: NarrowTransaction, { tenantId, userId }: EmailHolder): Promise<string> {
    const user = await this.users.findContact(tx, tenantId, userId);
    if (!user) throw userNotFound();
    await this.persons.holdAddress(tx, user.email);
    return user.email;
  }

  /** @param email whose address is held @throws PlatformError NOT_FOUND, CONFLICT when the address was changed meanwhile */
  async hold(tx: NarrowTransaction, { tenantId, userId }: EmailHolder, email: string): Promise<Leaver> {
    return inOtherTenant(tx, tenantId, async () => {
      const owners = await this.erasures.lockOwners(tx, tenantId);
      const user = await this.erasures.lockUser(tx, tenantId, userId);
      if (!user) throw userNotFound();
      if (user.email !== email)
        throw new PlatformError('CONFLICT', 'The address changed while this request ran. Try again');
      const personId = await this.persons.personOf(tx, userId);
      return { ...user, tenantId, personId, isLastOwner: owners.length === 1 && owners[0] === userId };
    });
  }

  /** @param bySelf then it is the user who acts, in whatever workspace */
  async erase(tx: NarrowTransaction, leaver: Leaver, bySelf: boolean): Promise<void> {
    const { tenantId, id: userId } = leaver;
    await this.delete(tx, leaver, () => {
      this.trail.record(tx, {
        action: 'user.erased',
        subject: { kind: 'user', id: userId },
        detail: { bySelf },
        ...(bySelf && { actor: userActor(userId) }),
      });
      // After the entry above, which has the address of someone who erases themselves.
      return inOtherTenant(tx, tenantId, () => this.trail.forgetOrigins(tx, userId));
    });
  }

  /** The name stays, by which records show who they are of; who never accepted an invitation goes with it. */
  async remove(tx: NarrowTransaction, leaver: Leaver, bySelf: boolean): Promise<void> {
    const { tenantId, id: userId, email, name, status, personId } = leaver;
    const record = () =>
      this.trail.record(tx, {
        action: bySelf ? 'user.left' : 'user.removed',
        subject: { kind: 'user', id: userId },
        ...(bySelf && { actor: userActor(userId) }),
      });
    if (status === 'invited' && personId === undefined) return this.delete(tx, leaver, async () => record());
    await inOtherTenant(tx, tenantId, async () => {
      await this.accessRemoval.removeAccess(tx, { tenantId, userId });
      await this.erasures.remove(tx, tenantId, leaver);
      record();
      if (status === 'disabled') return;
      await appendEvent(tx, EVENTS['user.disabled'], { tenantId, subject: userId, data: { userId, email, name } });
    });
    await this.endMembership(tx, leaver);
  }

  private async delete(tx: NarrowTransaction, leaver: Leaver, record: () => Promise<void>): Promise<void> {
    const { tenantId, id: userId } = leaver;
    await inOtherTenant(tx, tenantId, async () => {
      await this.erasures.erase(tx, tenantId, leaver);
      await this.revocations.record(tx, 'user', userId);
      await record();
      await appendEvent(tx, EVENTS['user.erased'], { tenantId, subject: userId, data: { userId } });
    });
    await this.endMembership(tx, leaver);
  }

  /** The address signs in to another workspace of the person; without one it is free, as nobody could sign in with it. */
  private async endMembership(tx: NarrowTransaction, { personId, id, tenantId }: Leaver): Promise<void> {
    if (personId === undefined) return;
    const others = await this.persons.memberships(tx, personId);
    const next = (await this.people.withPassword(tx, others)) ?? others[0];
    if (!next) return this.erasures.endPerson(tx, personId);
    await this.erasures.moveAddresses(tx, personId, id, next);
    await this.persons.noteLeft(tx, personId, tenantId);
  }
}

const userNotFound = () => new PlatformError('NOT_FOUND', 'User not found');

export const lastOwnerError = () =>
  new PlatformError('CONFLICT', 'A workspace needs at least one owner. Make someone else an owner first');
