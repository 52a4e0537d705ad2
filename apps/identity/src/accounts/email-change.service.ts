import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import {
  Database,
  inOtherTenant,
  inWorkspace,
  millisecondsOfId,
  type NarrowTransaction,
  newId,
  type TransactionOrigin,
} from '@crm/database';
import { addressKey } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail, byUser } from '../audit/audit-trail.service.js';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { EmbedUserRepository } from '../embedding/embedding.repository.js';
import { MailService } from '../mail/mail.service.js';
import { EmailClaimRepository, type EmailHolder } from '../people/email.repository.js';
import type { User } from '../people/people.entity.js';
import { TenantRepository, UserRepository } from '../people/people.repository.js';
import { normaliseEmail } from '../people/people.service.js';
import { PersonRepository } from '../people/person.repository.js';
import { PersonService } from '../people/person.service.js';
import { hashSecret, isSecret, newSecret, packToken, unpackToken } from '../secrets.js';
import { AccessRemovalService } from '../sessions/access-removal.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { SessionService } from '../sessions/session.service.js';
import { AuthenticatorService } from '../sign-in/authenticator.service.js';
import type { MfaRequired } from '../sign-in/mfa.service.js';
import { PasskeyParts } from '../sign-in/passkey.service.js';
import { isMfaRequired, ReauthenticationService } from '../sign-in/step-up.service.js';
import { ProviderLinkRepository } from '../single-sign-on/single-sign-on.repository.js';
import type { EmailChangeInput } from './accounts.dto.js';
import type { EmailChange } from './accounts.entity.js';
import {
  addressTakenMail,
  CONFIRM_SECONDS,
  confirmationMail,
  emailChangedMail,
  UNDO_SECONDS,
} from './accounts.mail.js';
import { EmailChangeRepository, PasswordResetRepository } from './accounts.repository.js';
import { AfterResponse } from './after-response.service.js';
import { EmailChangeLimit } from './limits.js';
import { MembershipRemovalService } from './membership-removal.service.js';
import { PasswordResetService } from './password-change.service.js';

/** The change holds in every workspace of the person. */
@Injectable()
export class EmailChangeService {
  constructor(
    private readonly database: Database,
    private readonly changes: EmailChangeRepository,
    private readonly limit: EmailChangeLimit,
    private readonly users: UserRepository,
    private readonly persons: PersonRepository,
    private readonly tenants: TenantRepository,
    private readonly claims: EmailClaimRepository,
    private readonly resets: PasswordResetRepository,
    private readonly reauthentication: ReauthenticationService,
    private readonly mails: MailService,
    private readonly trail: AuditTrail,
    private readonly afterResponse: AfterResponse,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * Neither the outcome nor its time shows whether the new address has an account.
   * @returns what a second call must answer; undefined when the mail is on its way
   * @throws PlatformError EMAIL_NOT_VERIFIED, INVALID_CREDENTIALS, STEP_UP_REQUIRED, VALIDATION_FAILED, RATE_LIMITED
   */
  async request(principal: Principal, wanted: EmailChangeInput): Promise<MfaRequired | undefined> {
    await this.limit.requests.consume(principal.userId);
    const personId = await this.database.crossTenant((tx) => this.persons.personOf(tx, principal.userId));
    if (personId === undefined) {
      throw new PlatformError('EMAIL_NOT_VERIFIED', 'Verify your current address first by resetting your password');
    }
    const user = await this.reauthentication.proveForPerson(principal, wanted);
    if (isMfaRequired(user)) return user;
    const newEmail = normaliseEmail(wanted.email);
    if (newEmail === user.email) throw sameAddress();
    this.afterResponse.run('email change', () => this.store(principal, user, personId, newEmail));
    return undefined;
  }

  /** @throws PlatformError INVALID_EMAIL_CHANGE, EMAIL_TAKEN, SINGLE_SIGN_ON_REQUIRED, RATE_LIMITED */
  async confirm(token: string, origin: RequestOrigin): Promise<void> {
    const { tenantId, id, secret } = await this.take(token, origin.address);
    const undoSecret = newSecret();
    await inWorkspace(this.database, { ...origin, tenantId }, async (tx) => {
      const asked = await this.changes.find(tx, tenantId, id);
      if (!asked || !isSecret(asked.secretHash, secret)) throw invalid();
      const { userId, oldEmail, newEmail } = asked;
      await this.holdAddresses(tx, [oldEmail, newEmail]);
      const personId = await this.persons.personOf(tx, userId);
      const users = personId === undefined ? [] : await this.persons.memberships(tx, personId);
      for (const each of users) {
        const held = await inOtherTenant(tx, each.tenantId, () => this.users.hold(tx, each.tenantId, each.userId));
        if (each.userId === userId && (held?.email !== oldEmail || held.status === 'disabled')) throw invalid();
      }
      const change = await this.changes.lock(tx, tenantId, id);
      if (!change || change.confirmedAt || users.length === 0) throw invalid();
      const known = await this.persons.findAddress(tx, newEmail);
      if (known && known.personId !== personId) throw new PlatformError('EMAIL_TAKEN');
      // An address that the person had before is still kept for them.
      await this.persons.moveAddress(tx, oldEmail, newEmail, UNDO_SECONDS);
      await this.claims.endOthers(tx, newEmail, userId);
      for (const each of users) await inOtherTenant(tx, each.tenantId, () => this.move(tx, each, newEmail));
      await this.changes.confirm(tx, change, hashSecret(undoSecret), UNDO_SECONDS);
      const link = `${this.config.service.baseUrl}/email-change/undo#token=${packToken(tenantId, id, undoSecret)}`;
      await this.mails.queue(tx, tenantId, emailChangedMail(oldEmail, newEmail, link));
    });
  }

  /** In one order, so that two changes cannot deadlock. */
  async holdAddresses(tx: NarrowTransaction, emails: readonly string[]): Promise<void> {
    for (const email of [...new Set(emails)].sort()) await this.persons.holdAddress(tx, email);
  }

  private async move(tx: NarrowTransaction, user: EmailHolder, newEmail: string): Promise<void> {
    const { tenantId, userId } = user;
    const other = await this.users.findByEmail(tx, tenantId, newEmail);
    if (other) {
      // Anyone who confirms is in the workspace, and can leave it or ask its administrators.
      const workspace = await this.tenants.findAsNarrow(tx, tenantId);
      throw new PlatformError(
        'EMAIL_TAKEN',
        `Another user of your workspace ${workspace?.name} already uses this address`,
      );
    }
    const neededProvider = await this.users.needsProvider(tx, tenantId, userId);
    await this.users.changeEmail(tx, user, newEmail);
    if (neededProvider && !(await this.users.needsProvider(tx, tenantId, userId))) {
      const workspace = await this.tenants.findAsNarrow(tx, tenantId);
      const detail = `Your workspace ${workspace?.name} requires single sign-on. Keep an address of one of its domains`;
      throw new PlatformError('SINGLE_SIGN_ON_REQUIRED', detail);
    }
    // They were sent to the old address.
    await this.resets.deleteOfUser(tx, tenantId, userId);
    this.trail.record(tx, byUser('email.changed', userId));
  }

  /** @throws PlatformError INVALID_EMAIL_CHANGE, RATE_LIMITED */
  async take(token: string, address: string): Promise<{ tenantId: string; id: string; secret: string }> {
    await this.limit.tokens.consume(addressKey(address));
    const presented = unpackToken(token);
    if (!presented) throw invalid();
    return presented;
  }

  private async store(principal: Principal, user: User, personId: string, newEmail: string): Promise<void> {
    if (!(await this.limit.mails.admits(newEmail))) return;
    const { tenantId, id: userId, email: oldEmail } = user;
    const known = await this.database.crossTenant((tx) => this.persons.findAddress(tx, newEmail));
    const isTaken = known !== null && known.personId !== personId;
    const id = newId();
    const secret = newSecret();
    const change = { id, userId, oldEmail, newEmail, secretHash: hashSecret(secret) };
    const link = `${this.config.service.baseUrl}/email-change#token=${packToken(tenantId, id, secret)}`;
    await this.database.transaction(principal, async (tx) => {
      // No mail to an address of someone who was shut out between their proof and now.
      const current = await this.users.lock(tx, userId);
      if (current?.signInEpoch !== user.signInEpoch) return;
      // Neither the trail nor an export tells whether the address is taken: then nobody is sent the secret.
      this.trail.record(tx, { action: 'email.change_requested', subject: { kind: 'user', id: userId } });
      await this.changes.replacePending(tx, { ...change, validSeconds: CONFIRM_SECONDS });
      await this.mails.queue(tx, tenantId, isTaken ? addressTakenMail(newEmail) : confirmationMail(newEmail, link));
    });
  }
}

const invalid = () => new PlatformError('INVALID_EMAIL_CHANGE');

function sameAddress(): PlatformError {
  const detail = 'This is already the address';
  return new PlatformError('VALIDATION_FAILED', undefined, {
    errors: [{ pointer: '/email', code: 'SAME_EMAIL', detail }],
  });
}

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
    if (!known) throw invalid();
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
    throw invalid();
  }
  return change;
}
