import { PlatformError } from '@crm/contracts';
import {
  Database,
  inOtherTenant,
  inWorkspace,
  millisecondsOfId,
  type NarrowTransaction,
  type TransactionOrigin,
} from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail, byUser } from '../audit/audit-trail.service.js';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { EmbedUserRepository } from '../embedding/embed-user.repository.js';
import { MembershipRemovalService } from '../memberships/membership-removal.service.js';
import { PasskeyParts } from '../passkeys/passkey-parts.js';
import { PasswordResetRepository } from '../password-changes/password-reset.repository.js';
import { PasswordResetService } from '../password-changes/password-reset.service.js';
import { type EmailHolder } from '../people/email-claim.repository.js';
import { PersonRepository } from '../people/person.repository.js';
import { PersonService } from '../people/person.service.js';
import { UserRepository } from '../people/user.repository.js';
import { AuthenticatorService } from '../second-factor/authenticator.service.js';
import { isSecret } from '../secrets.js';
import { AccessRemovalService } from '../sessions/access-removal.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { SessionService } from '../sessions/session.service.js';
import { ProviderLinkRepository } from '../single-sign-on/provider-link.repository.js';
import type { EmailChange } from './email-change.entity.js';
import { EmailChangeRepository } from './email-change.repository.js';
import { EmailChangeService, invalidEmailChange } from './email-change.service.js';

/** Who changed the address knew the password: neither that is worth anything afterwards, nor what was set up since. */
@Injectable()
export class EmailChangeUndoService {
  constructor(
    private readonly database: Database,
    private readonly requests: EmailChangeService,
    private readonly changes: EmailChangeRepository,
    private readonly users: UserRepository,
    private readonly persons: PersonRepository,
    private readonly people: PersonService,
    private readonly resets: PasswordResetRepository,
    private readonly newPasswords: PasswordResetService,
    private readonly sessions: SessionService,
    private readonly accessRemoval: AccessRemovalService,
    private readonly removals: MembershipRemovalService,
    private readonly revocations: RevocationService,
    private readonly authenticators: AuthenticatorService,
    private readonly trail: AuditTrail,
    private readonly passkeys: PasskeyParts,
    private readonly providerLinks: ProviderLinkRepository,
    private readonly hostUsers: EmbedUserRepository,
  ) {}

  /** Can be repeated until the address is back. @throws PlatformError INVALID_EMAIL_CHANGE, RATE_LIMITED, CONFLICT */
  async undo(token: string, origin: RequestOrigin): Promise<void> {
    const { tenantId, id, secret } = await this.requests.take(token, origin.address);
    const link = { id, secret };
    const { oldEmail, users } = await inWorkspace(this.database, { ...origin, tenantId }, async (tx) => {
      const held = await this.hold(tx, tenantId, link);
      return { ...held, users: await this.people.setPassword(tx, held.personId, null) };
    });
    const since = new Date(millisecondsOfId(id));
    for (const user of users) await this.removeAccess({ ...origin, tenantId: user.tenantId }, user.userId, since);
    await this.giveBack({ ...origin, tenantId }, link);
    await this.revocations.publishPending();
    await this.newPasswords.sendTo(oldEmail, origin);
  }

  /** Whose address it was, though they may have left the workspace since. What concerns any address of theirs waits. */
  private async hold(tx: NarrowTransaction, tenantId: string, { id, secret }: Link) {
    const { oldEmail } = assertUndoable(await this.changes.find(tx, tenantId, id), secret);
    const known = await this.persons.findAddress(tx, oldEmail);
    if (!known) throw invalidEmailChange();
    const { personId } = known;
    const addresses = await this.persons.addresses(tx, personId);
    await this.requests.holdAddresses(tx, addresses);
    assertUndoable(await this.changes.lock(tx, tenantId, id), secret);
    const held = await this.persons.addresses(tx, personId);
    if (held.join() !== addresses.join()) {
      throw new PlatformError('CONFLICT', 'The address changed while this request ran. Try again');
    }
    return { personId, oldEmail };
  }

  private async removeAccess(origin: TransactionOrigin, userId: string, since: Date): Promise<void> {
    const ended = await this.database.transaction(origin, async (tx) => {
      await this.users.lock(tx, userId);
      await this.resets.deleteOfUser(tx, origin.tenantId, userId);
      const isRemoved = await this.authenticators.removeSince(tx, userId, since);
      if (isRemoved) this.trail.record(tx, byUser('authenticator.removed', userId));
      // No mail: until the address is given back, it would go to the one who took it.
      await this.passkeys.removeAll(tx, userId);
      await this.providerLinks.deleteSince(tx, userId, since);
      await this.hostUsers.undoSince(tx, userId, since);
      await this.revocations.record(tx, 'user', userId);
      return this.sessions.endAllWithin(tx, userId);
    });
    await this.sessions.forget(ended);
  }

  private async giveBack(origin: TransactionOrigin, link: Link): Promise<void> {
    const { tenantId } = origin;
    await inWorkspace(this.database, origin, async (tx) => {
      const { personId, oldEmail } = await this.hold(tx, tenantId, link);
      const brought = await this.changes.deleteSince(tx, personId, link.id);
      for (const user of await this.persons.memberships(tx, personId)) {
        await inOtherTenant(tx, user.tenantId, () => this.giveBackTo(tx, user, oldEmail));
      }
      // A password may have been set since the first was ended.
      const users = await this.people.setPassword(tx, personId, null);
      const user = users.find((each) => each.tenantId === tenantId) ?? users[0];
      if (user) await this.persons.returnAddress(tx, personId, oldEmail, { brought, user });
    });
  }

  /** In a workspace that the thief has entered since, someone else may have the address: there the membership ends. */
  private async giveBackTo(tx: NarrowTransaction, user: EmailHolder, oldEmail: string): Promise<void> {
    const other = await this.users.findByEmail(tx, user.tenantId, oldEmail);
    if (other && other.userId !== user.userId) {
      const present = await this.removals.holdAddress(tx, user);
      await this.removals.remove(tx, await this.removals.hold(tx, user, present), false);
      return;
    }
    await this.users.changeEmail(tx, user, oldEmail);
    await this.accessRemoval.signOut(tx, user);
    this.trail.record(tx, byUser('email.change_undone', user.userId));
  }
}

type Link = Pick<EmailChange, 'id'> & { readonly secret: string };

function assertUndoable(change: EmailChange | null, secret: string): EmailChange {
  if (!change?.confirmedAt || !change.undoHash || !isSecret(change.undoHash, secret)) {
    throw invalidEmailChange();
  }
  return change;
}
