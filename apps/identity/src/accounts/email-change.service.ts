import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, inWorkspace, millisecondsOfId, newId, type TransactionOrigin } from '@crm/database';
import { addressKey } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail, byUser } from '../audit/audit-trail.service.js';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { EmbedUserRepository } from '../embedding/embedding.repository.js';
import { MailService } from '../mail/mail.service.js';
import { SignInEmailRepository } from '../people/email.repository.js';
import type { User } from '../people/people.entity.js';
import { UserRepository } from '../people/people.repository.js';
import { assertVerified, normaliseEmail, TenantService } from '../people/people.service.js';
import { hashSecret, isSecret, newSecret, packToken, unpackToken } from '../secrets.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { SessionService } from '../sessions/session.service.js';
import { AuthenticatorService } from '../sign-in/authenticator.service.js';
import type { MfaRequired } from '../sign-in/mfa.service.js';
import { PasskeyParts } from '../sign-in/passkey.service.js';
import { isMfaRequired, ReauthenticationService } from '../sign-in/step-up.service.js';
import { ProviderLinkRepository } from '../single-sign-on/single-sign-on.repository.js';
import type { EmailChangeInput } from './accounts.dto.js';
import type { EmailChange } from './accounts.entity.js';
import { CONFIRM_SECONDS, changedMail, confirmationMail, takenMail, UNDO_SECONDS } from './accounts.mail.js';
import { EmailChangeRepository, PasswordResetRepository } from './accounts.repository.js';
import { AfterResponse } from './after-response.service.js';
import { EmailChangeLimit } from './limits.js';
import { PasswordResetService } from './password-change.service.js';

@Injectable()
export class EmailChangeService {
  constructor(
    private readonly database: Database,
    private readonly changes: EmailChangeRepository,
    private readonly limit: EmailChangeLimit,
    private readonly users: UserRepository,
    private readonly tenants: TenantService,
    private readonly emails: SignInEmailRepository,
    private readonly resets: PasswordResetRepository,
    private readonly reauthentication: ReauthenticationService,
    private readonly mails: MailService,
    private readonly trail: AuditTrail,
    private readonly afterResponse: AfterResponse,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * Whether the new address has an account shows neither in the outcome nor in its time.
   * @returns what a second call must answer; undefined when the mail is on its way
   * @throws PlatformError EMAIL_NOT_VERIFIED, INVALID_CREDENTIALS, STEP_UP_REQUIRED, VALIDATION_FAILED, RATE_LIMITED
   */
  async request(principal: Principal, wanted: EmailChangeInput): Promise<MfaRequired | undefined> {
    await this.limit.requests.consume(principal.userId);
    // A claim of an address that nobody has proven cannot be turned into one of another address.
    assertVerified(await this.tenants.get(principal.tenantId));
    const user = await this.reauthentication.prove(principal, wanted);
    if (isMfaRequired(user)) return user;
    const newEmail = normaliseEmail(wanted.email);
    if (newEmail === user.email) throw sameAddress();
    this.afterResponse.run('e-mail change', () => this.store(principal, user, newEmail));
    return undefined;
  }

  /** @throws PlatformError INVALID_EMAIL_CHANGE, EMAIL_TAKEN, RATE_LIMITED */
  async confirm(token: string, origin: RequestOrigin): Promise<void> {
    const { tenantId, id, secret } = await this.take(token, origin.address);
    const undoSecret = newSecret();
    await inWorkspace(this.database, { ...origin, tenantId }, async (tx) => {
      const holder = await this.changes.findUserOf(tx, tenantId, id);
      if (holder !== null) await this.users.hold(tx, tenantId, holder);
      const change = await this.changes.lock(tx, tenantId, id);
      if (!change || change.confirmedAt || !isSecret(change.secretHash, secret)) throw invalid();
      const { userId, oldEmail, newEmail } = change;
      const user = { tenantId, userId };
      const claimed = await this.emails.claim(tx, newEmail, user);
      if (claimed.userId !== userId) throw new PlatformError('EMAIL_TAKEN');
      // An address that the user had before is still reserved for them.
      await this.emails.activate(tx, newEmail, user);
      await this.emails.reserve(tx, oldEmail, user, UNDO_SECONDS);
      const changed = await this.users.changeEmail(tx, { tenantId, id: userId, email: oldEmail }, newEmail);
      if (!changed) throw invalid();
      await this.changes.confirm(tx, change, hashSecret(undoSecret), UNDO_SECONDS);
      this.trail.record(tx, byUser('email.changed', userId));
      // They were sent to the old address.
      await this.resets.deleteOfUser(tx, tenantId, userId);
      const link = `${this.config.service.baseUrl}/email-change/undo#token=${packToken(tenantId, id, undoSecret)}`;
      await this.mails.queue(tx, tenantId, changedMail(oldEmail, newEmail, link));
    });
  }

  /** @throws PlatformError INVALID_EMAIL_CHANGE, RATE_LIMITED */
  async take(token: string, address: string): Promise<{ tenantId: string; id: string; secret: string }> {
    await this.limit.tokens.consume(addressKey(address));
    const presented = unpackToken(token);
    if (!presented) throw invalid();
    return presented;
  }

  private async store(principal: Principal, user: User, newEmail: string): Promise<void> {
    if (!(await this.limit.mails.admits(newEmail))) return;
    const { tenantId, id: userId, email: oldEmail } = user;
    const holder = await this.database.crossTenant((tx) => this.emails.find(tx, newEmail));
    if (holder) {
      await this.database.transaction(tenantId, (tx) => this.mails.queue(tx, tenantId, takenMail(newEmail)));
      return;
    }
    const id = newId();
    const secret = newSecret();
    const change = { id, userId, oldEmail, newEmail, secretHash: hashSecret(secret) };
    const link = `${this.config.service.baseUrl}/email-change#token=${packToken(tenantId, id, secret)}`;
    await this.database.transaction(principal, async (tx) => {
      // No link to an address of somebody who was shut out between their proof and now.
      const current = await this.users.lock(tx, userId);
      if (current?.signInEpoch !== user.signInEpoch) return;
      this.trail.record(tx, { action: 'email.change_requested', subject: { kind: 'user', id: userId } });
      await this.changes.replacePending(tx, { ...change, validSeconds: CONFIRM_SECONDS });
      await this.mails.queue(tx, tenantId, confirmationMail(newEmail, link));
    });
  }
}

const invalid = () => new PlatformError('INVALID_EMAIL_CHANGE');

function sameAddress(): PlatformError {
  const detail = 'This is the present address';
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
    private readonly emails: SignInEmailRepository,
    private readonly resets: PasswordResetRepository,
    private readonly newPasswords: PasswordResetService,
    private readonly sessions: SessionService,
    private readonly revocations: RevocationService,
    private readonly authenticators: AuthenticatorService,
    private readonly trail: AuditTrail,
    private readonly passkeys: PasskeyParts,
    private readonly providerLinks: ProviderLinkRepository,
    private readonly hostUsers: EmbedUserRepository,
  ) {}

  /** Can be repeated until the address is back. @throws PlatformError INVALID_EMAIL_CHANGE, RATE_LIMITED */
  async undo(token: string, origin: RequestOrigin): Promise<void> {
    const { tenantId, id, secret } = await this.requests.take(token, origin.address);
    const userId = await this.shutOut({ ...origin, tenantId }, id, secret);
    await this.giveBack({ ...origin, tenantId }, id, secret);
    await this.database.transaction(tenantId, async (tx) => {
      const user = await this.users.lock(tx, userId);
      if (user?.status === 'active') await this.newPasswords.send(tx, user);
    });
  }

  private async shutOut(origin: TransactionOrigin, id: string, secret: string): Promise<string> {
    const { tenantId } = origin;
    const { userId, ended } = await this.database.transaction(origin, async (tx) => {
      const change = assertUndoable(await this.changes.find(tx, id), secret);
      await this.users.lock(tx, change.userId);
      await this.users.update(tx, change.userId, { passwordHash: null });
      await this.resets.deleteOfUser(tx, tenantId, change.userId);
      const since = new Date(millisecondsOfId(change.id));
      const isRemoved = await this.authenticators.removeSince(tx, change.userId, since);
      if (isRemoved) this.trail.record(tx, byUser('authenticator.removed', change.userId));
      // No mail: until the address is given back, it would go to whoever took it.
      await this.passkeys.removeAll(tx, change.userId);
      await this.providerLinks.deleteSince(tx, change.userId, since);
      await this.hostUsers.undoSince(tx, change.userId, since);
      await this.revocations.record(tx, 'user', change.userId);
      return { userId: change.userId, ended: await this.sessions.endAllWithin(tx, change.userId) };
    });
    await this.sessions.forget(ended);
    return userId;
  }

  private async giveBack(origin: TransactionOrigin, id: string, secret: string): Promise<void> {
    const { tenantId } = origin;
    await inWorkspace(this.database, origin, async (tx) => {
      const change = assertUndoable(await this.changes.lock(tx, tenantId, id), secret);
      const { userId, oldEmail } = change;
      const brought = await this.changes.deleteSince(tx, change);
      const user = { tenantId, userId };
      await this.emails.release(
        tx,
        brought.filter((email) => email !== oldEmail),
        user,
      );
      await this.emails.activate(tx, oldEmail, user);
      await this.users.changeEmail(tx, { tenantId, id: userId }, oldEmail);
      this.trail.record(tx, byUser('email.change_undone', userId));
    });
  }
}

function assertUndoable(change: EmailChange | null, secret: string): EmailChange {
  if (!change?.confirmedAt || !change.undoHash || !isSecret(change.undoHash, secret)) {
    throw invalid();
  }
  return change;
}
