import { type Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import {
  Database,
  inOtherTenant,
  inWorkspace,
  type NarrowTransaction,
  newId,
  type TransactionOrigin,
} from '@crm/database';
import { addressKey, Limiter, LimiterStore } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail, byUser, SYSTEM } from '../audit/audit-trail.service.js';
import { type RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { MailService } from '../mail/mail.service.js';
import type { EmailHolder } from '../people/email.repository.js';
import { type User } from '../people/people.entity.js';
import { UserRepository } from '../people/people.repository.js';
import { normaliseEmail, TenantService } from '../people/people.service.js';
import { PersonRepository } from '../people/person.repository.js';
import { PersonService } from '../people/person.service.js';
import { hashSecret, isSecret, newSecret, packToken, unpackToken } from '../secrets.js';
import { AccessRemovalService } from '../sessions/access-removal.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { DeviceTokens } from '../sign-in/device-tokens.js';
import { type MfaRequired } from '../sign-in/mfa.service.js';
import { PasskeyParts } from '../sign-in/passkey.service.js';
import { assertAnother, PasswordPolicy, PasswordService } from '../sign-in/password.service.js';
import { isMfaRequired, ReauthenticationService } from '../sign-in/step-up.service.js';
import {
  type PasswordChangeInput,
  type PasswordResetCompletionInput,
  type PasswordResetCompletionView,
} from './accounts.dto.js';
import { type PasswordReset } from './accounts.entity.js';
import { type AccountLink, chooseAccountMail, passwordChangedMail, RESET_SECONDS, resetMail } from './accounts.mail.js';
import { PasswordResetRepository } from './accounts.repository.js';
import { AfterResponse } from './after-response.service.js';
import { InvitationService } from './invitation.service.js';
import { PasswordResetLimit } from './limits.js';

interface NewPassword {
  deviceToken: string | undefined;
}

/** Calls of one user in 15 minutes: each costs up to two hashes and a look into the list of known passwords. */
export const CHANGES = { name: 'password-change', points: 20, windowSeconds: 15 * 60 };

@Injectable()
export class PasswordChangeService {
  private readonly limit: Limiter;

  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly tenants: TenantService,
    private readonly reauthentication: ReauthenticationService,
    private readonly passwords: PasswordService,
    private readonly policy: PasswordPolicy,
    private readonly persons: PersonRepository,
    private readonly people: PersonService,
    private readonly accessRemoval: AccessRemovalService,
    private readonly revocations: RevocationService,
    private readonly mails: MailService,
    private readonly trail: AuditTrail,
    private readonly devices: DeviceTokens,
    limits: LimiterStore,
  ) {
    this.limit = new Limiter(limits, CHANGES, 'Too many password changes. Try again later');
  }

  /**
   * In every workspace of a person. The session of the call stays; the others end.
   * @returns what a second call must answer, or the new token of the device
   * @throws PlatformError INVALID_CREDENTIALS, STEP_UP_REQUIRED, WEAK_PASSWORD, CONFLICT when it was changed in the meantime,
   * RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async change(principal: Principal, change: PasswordChangeInput): Promise<MfaRequired | NewPassword> {
    const { tenantId, userId, sessionId } = principal;
    await this.limit.consume(userId);
    const { email, isLocal } = await this.assertAcceptable(principal, change);
    const proven = await this.reauthentication.proveForPerson(principal, {
      ...change,
      password: change.currentPassword,
    });
    if (isMfaRequired(proven)) return proven;
    const passwordHash = await this.passwords.hash(change.newPassword, userId);
    const passwordKey = isLocal ? await this.passwords.claimKey(email, change.newPassword, userId) : undefined;
    await inWorkspace(this.database, principal, async (tx) => {
      await this.persons.holdAddress(tx, email);
      const user = await this.users.hold(tx, tenantId, userId);
      const isStillLocal = (await this.persons.personOf(tx, userId)) === undefined;
      if (
        isStillLocal !== isLocal ||
        user?.status !== 'active' ||
        user.passwordHash !== proven.passwordHash ||
        user.email !== email
      ) {
        throw new PlatformError('CONFLICT', 'The password has changed since. Try again');
      }
      const users = await this.people.setPasswordOf(tx, { tenantId, userId }, passwordHash, passwordKey);
      for (const each of users) {
        const keptId = each.userId === userId ? sessionId : undefined;
        await inOtherTenant(tx, each.tenantId, () => this.accessRemoval.signOut(tx, each, keptId));
      }
      this.trail.record(tx, { action: 'password.changed', subject: { kind: 'user', id: userId } });
      await this.mails.queue(tx, tenantId, passwordChangedMail(proven, HOW));
    });
    await this.revocations.publishPending();
    return { deviceToken: this.devices.issue({ id: userId, passwordHash }) };
  }

  private async assertAcceptable({ tenantId, userId }: Principal, change: PasswordChangeInput) {
    assertAnother(change.currentPassword, change.newPassword);
    const { user, tenant } = await this.database.transaction(tenantId, async (tx) => ({
      user: await this.users.get(tx, userId),
      tenant: await this.tenants.view(tx),
    }));
    await this.policy.assertAcceptable(change.newPassword, { ...user, workspace: tenant.name }, '/newPassword');
    const personId = await this.database.crossTenant((tx) => this.persons.personOf(tx, userId));
    return { email: user.email, isLocal: personId === undefined };
  }
}

const HOW =
  'the password of your account was changed by somebody who knew the previous one. All other sessions have ended.';

/** Accounts of an address that one mail has links for. */
const MOST_LINKS = 10;

/**
 * A link proves the mailbox alone: the second factor of a person stays on. The first link that is used ends all of them, and
 * anyone who has used an account before its address was proven is shut out.
 */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly database: Database,
    private readonly resets: PasswordResetRepository,
    private readonly invitations: InvitationService,
    private readonly limit: PasswordResetLimit,
    private readonly users: UserRepository,
    private readonly persons: PersonRepository,
    private readonly people: PersonService,
    private readonly tenants: TenantService,
    private readonly passwords: PasswordService,
    private readonly policy: PasswordPolicy,
    private readonly accessRemoval: AccessRemovalService,
    private readonly revocations: RevocationService,
    private readonly mails: MailService,
    private readonly trail: AuditTrail,
    private readonly afterResponse: AfterResponse,
    private readonly devices: DeviceTokens,
    private readonly factors: PasskeyParts,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /** Neither outcome nor time shows whether there is an account. @throws PlatformError RATE_LIMITED, SERVICE_UNAVAILABLE */
  async request(email: string, origin: RequestOrigin): Promise<void> {
    await this.limit.requests.consume(addressKey(origin.address));
    this.afterResponse.run('password reset', async () => {
      const address = normaliseEmail(email);
      if (await this.limit.mails.admits(address)) await this.sendTo(address, origin);
    });
  }

  /** To the person who has the address; otherwise, for each account that has it, a link in one mail, or the invitation again. */
  async sendTo(email: string, origin: RequestOrigin): Promise<void> {
    const { personId, users } = await this.database.crossTenant(async (tx) => {
      const known = await this.persons.findAddress(tx, email);
      if (known?.isReserved) return { users: [] };
      if (!known) return { users: await this.persons.localsOf(tx, email) };
      return { personId: known.personId, users: await this.persons.memberships(tx, known.personId) };
    });
    const most = personId === undefined ? MOST_LINKS : 1;
    const links: AccountLink[] = [];
    let invited = 0;
    for (const { tenantId, userId } of users) {
      if (links.length + invited === most) break;
      await this.database.transaction({ ...origin, tenantId }, async (tx) => {
        const user = await this.users.lock(tx, userId);
        // The mail goes to nobody but who has asked.
        if (!user || user.email !== email) return;
        if (personId === undefined && user.status === 'invited') {
          invited += 1;
          await this.invitations.sendAgain(tx, user);
          return;
        }
        if (!canHavePassword(user)) return;
        const [id, secret] = [newId(), newSecret()];
        await this.resets.insert(tx, { id, userId, secretHash: hashSecret(secret), validSeconds: RESET_SECONDS });
        // A fragment reaches the page but not the log of a server.
        const link = `${this.config.service.baseUrl}/password-reset#token=${packToken(tenantId, id, secret)}`;
        links.push({ workspace: (await this.tenants.view(tx)).name, link });
        // A workspace with a local account learns nothing of the address: not even that nobody has proven it.
        if (personId === undefined) return;
        await this.mails.queue(tx, tenantId, resetMail(user, link));
        this.trail.record(tx, { ...byUser('password.reset_requested', userId), actor: SYSTEM });
      });
    }
    const [first] = users;
    if (personId !== undefined || !first || links.length === 0) return;
    await this.database.transaction(first.tenantId, (tx) =>
      this.mails.queue(tx, first.tenantId, chooseAccountMail(email, links)),
    );
  }

  /**
   * Nothing is hashed for a token that is not valid.
   * @returns with a token for the device: its holder gets in while others guess
   * @throws PlatformError INVALID_PASSWORD_RESET, WEAK_PASSWORD, CONFLICT while the workspace is being closed, RATE_LIMITED,
   * SERVICE_UNAVAILABLE
   */
  async complete(
    { token, password, removePasskeys = false }: PasswordResetCompletionInput,
    { address, ...more }: RequestOrigin,
  ): Promise<NewPassword & PasswordResetCompletionView> {
    await this.limit.completions.consume(addressKey(address));
    const presented = unpackToken(token);
    if (!presented) throw invalid();
    const { tenantId, id, secret } = presented;
    const origin = { address, ...more, tenantId };
    const { user, workspace } = await this.database.transaction(tenantId, async (tx) => {
      const reset = await this.resets.find(tx, tenantId, id);
      const found = reset && (await this.users.find(tx, reset.userId));
      return { user: assertValid(reset, secret, found), workspace: (await this.tenants.view(tx)).name };
    });
    await this.policy.assertAcceptable(password, { ...user, workspace });
    const passwordHash = await this.passwords.hash(password, address);
    const users = await inWorkspace(this.database, origin, async (tx) => {
      await this.persons.holdAddress(tx, user.email);
      // Who waited finds the link gone.
      const held = await this.users.hold(tx, tenantId, user.id);
      assertValid(await this.resets.find(tx, tenantId, id), secret, held && { ...user, ...held });
      if (held?.email !== user.email) throw invalid();
      return this.set(tx, user, passwordHash);
    });
    await this.revocations.publishPending();
    return {
      ...(await this.countPasskeys(origin, users, removePasskeys)),
      deviceToken: this.devices.issue({ id: user.id, passwordHash }),
    };
  }

  /** @returns the users whose password it is */
  private async set(tx: NarrowTransaction, user: User, passwordHash: string): Promise<EmailHolder[]> {
    const { tenantId, id: userId, email } = user;
    let personId = await this.persons.personOf(tx, userId);
    if (personId === undefined) {
      await this.accessRemoval.removeAccess(tx, { tenantId, userId });
      personId = await this.people.prove(tx, email, { tenantId, userId });
      // The links of the other accounts were for anyone who proves the address first.
      for (const local of await this.persons.localsOf(tx, email)) {
        await this.resets.deleteOfUser(tx, local.tenantId, local.userId);
      }
    }
    const users = await this.people.setPassword(tx, personId, passwordHash);
    // Where the person was last, a provider or a host may sign them in, and not the password.
    await this.persons.noteUse(tx, personId, { tenantId, userId });
    for (const each of users) await inOtherTenant(tx, each.tenantId, () => this.accessRemoval.signOut(tx, each));
    await this.mails.queue(tx, tenantId, passwordChangedMail(user, HOW_BY_MAIL));
    this.trail.record(tx, byUser('password.reset', userId));
    return users;
  }

  private async countPasskeys(origin: TransactionOrigin, users: readonly EmailHolder[], remove: boolean) {
    const counted = { passkeys: 0, passkeysRemoved: 0 };
    for (const { tenantId, userId } of users) {
      await this.database.transaction({ ...origin, tenantId }, async (tx) => {
        // Every change of what belongs to a user locks the user.
        await this.users.lock(tx, userId);
        const removed = remove ? await this.factors.removeAll(tx, userId) : [];
        for (const { name } of removed)
          await this.factors.notices.send(tx, userId, { change: 'passkey-removed', name });
        counted.passkeys += (await this.factors.passkeys.list(tx, userId)).length;
        counted.passkeysRemoved += removed.length;
      });
    }
    return counted;
  }
}

const HOW_BY_MAIL =
  'a new password was set for your account with a link from a mail. All your sessions have ended; sign in with the new password.';

const invalid = () => new PlatformError('INVALID_PASSWORD_RESET');

/** An invited user accepts the invitation instead, which is sent again; others are signed in by their host or their identity provider. */
const canHavePassword = ({ status, origin }: User): boolean =>
  status === 'active' && origin !== 'embed' && origin !== 'identity_provider';

function assertValid(reset: PasswordReset | null, secret: string, user: User | null): User {
  if (!reset || !isSecret(reset.secretHash, secret) || !user || !canHavePassword(user)) throw invalid();
  return user;
}
