import { type Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { addressKey, Limiter, LimiterStore } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail, byUser, SYSTEM } from '../audit/audit-trail.service.js';
import { type RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { MailService } from '../mail/mail.service.js';
import { EmailClaimRepository, SignInEmailRepository } from '../people/email.repository.js';
import { type User } from '../people/people.entity.js';
import { UserRepository } from '../people/people.repository.js';
import { normaliseEmail, TenantService } from '../people/people.service.js';
import { hashSecret, isSecret, newSecret, packToken, unpackToken } from '../secrets.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { SessionService } from '../sessions/session.service.js';
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
import { passwordChangedMail, RESET_SECONDS, resetMail } from './accounts.mail.js';
import { PasswordResetRepository } from './accounts.repository.js';
import { AfterResponse } from './after-response.service.js';
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
    private readonly resets: PasswordResetRepository,
    private readonly claims: EmailClaimRepository,
    private readonly sessions: SessionService,
    private readonly mails: MailService,
    private readonly trail: AuditTrail,
    private readonly devices: DeviceTokens,
    limits: LimiterStore,
  ) {
    this.limit = new Limiter(limits, CHANGES, 'The password was changed too often');
  }

  /**
   * The session of the call stays; the others end.
   * @returns what a second call must answer, or the new token of the device
   * @throws PlatformError INVALID_CREDENTIALS, WEAK_PASSWORD, CONFLICT when it was changed in the meantime,
   * RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async change(principal: Principal, change: PasswordChangeInput): Promise<MfaRequired | NewPassword> {
    const { tenantId, userId, sessionId } = principal;
    await this.limit.consume(userId);
    const { email, isClaim } = await this.assertAcceptable(principal, change);
    const proven = await this.reauthentication.prove(principal, { ...change, password: change.currentPassword });
    if (isMfaRequired(proven)) return proven;
    const passwordHash = await this.passwords.hash(change.newPassword, userId);
    const claimKey = isClaim ? await this.passwords.claimKey(email, change.newPassword, userId) : undefined;
    const ended = await this.database.transaction(principal, async (tx) => {
      const user = await this.users.lock(tx, userId);
      if (user?.status !== 'active' || user.passwordHash !== proven.passwordHash) {
        throw new PlatformError('CONFLICT', 'The password was changed in the meantime');
      }
      await this.users.update(tx, userId, { passwordHash });
      await this.resets.deleteOfUser(tx, tenantId, userId);
      this.trail.record(tx, { action: 'password.changed', subject: { kind: 'user', id: userId } });
      await this.mails.queue(tx, tenantId, passwordChangedMail(user, HOW));
      return sessionId ? this.sessions.endOthersWithin(tx, userId, sessionId) : this.sessions.endAllWithin(tx, userId);
    });
    // Only now, so that a change that was refused leaves the claim where its password finds it.
    if (claimKey) await this.database.crossTenant((tx) => this.claims.replaceKey(tx, userId, claimKey));
    await this.sessions.forget(ended);
    return { deviceToken: this.devices.issue({ id: userId, passwordHash }) };
  }

  private async assertAcceptable({ tenantId, userId }: Principal, change: PasswordChangeInput) {
    assertAnother(change.currentPassword, change.newPassword);
    const { user, tenant } = await this.database.transaction(tenantId, async (tx) => ({
      user: await this.users.get(tx, userId),
      tenant: await this.tenants.view(tx),
    }));
    await this.policy.assertAcceptable(change.newPassword, { ...user, workspace: tenant.name }, '/newPassword');
    return { email: user.email, isClaim: tenant.verified === false };
  }
}

const HOW =
  'the password of your account was changed by somebody who knew the previous one. All other sessions have ended.';

/** A link proves the mailbox alone: the second factor stays on. The first link that is used ends all of them. */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly database: Database,
    private readonly resets: PasswordResetRepository,
    private readonly limit: PasswordResetLimit,
    private readonly users: UserRepository,
    private readonly emails: SignInEmailRepository,
    private readonly tenants: TenantService,
    private readonly passwords: PasswordService,
    private readonly policy: PasswordPolicy,
    private readonly sessions: SessionService,
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
    this.afterResponse.run('password reset', () => this.sendTo(normaliseEmail(email), origin));
  }

  async send(tx: TenantTransaction, user: User): Promise<void> {
    const id = newId();
    const secret = newSecret();
    const secretHash = hashSecret(secret);
    await this.resets.insert(tx, { id, userId: user.id, secretHash, validSeconds: RESET_SECONDS });
    // A fragment reaches the page but not the log of a server.
    const link = `${this.config.service.baseUrl}/password-reset#token=${packToken(user.tenantId, id, secret)}`;
    await this.mails.queue(tx, user.tenantId, resetMail(user, link));
  }

  /**
   * Nothing is hashed for a token that is not valid.
   * @returns with a token for the device: its holder gets in while others guess
   * @throws PlatformError INVALID_PASSWORD_RESET, WEAK_PASSWORD, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async complete(
    { token, password, removePasskeys = false }: PasswordResetCompletionInput,
    origin: RequestOrigin,
  ): Promise<NewPassword & PasswordResetCompletionView> {
    const { address } = origin;
    await this.limit.completions.consume(addressKey(address));
    const presented = unpackToken(token);
    if (!presented) throw invalid();
    const { tenantId, id, secret } = presented;
    const { user, workspace } = await this.database.transaction(tenantId, async (tx) => {
      const reset = await this.resets.find(tx, id);
      const found = reset && (await this.users.find(tx, reset.userId));
      return { user: assertValid(reset, secret, found), workspace: (await this.tenants.view(tx)).name };
    });
    await this.policy.assertAcceptable(password, { ...user, workspace });
    const passwordHash = await this.passwords.hash(password, address);
    const { ended, ...counted } = await this.database.transaction({ ...origin, tenantId }, async (tx) => {
      // Who waited for the lock finds the link gone.
      const locked = await this.users.lock(tx, user.id);
      assertValid(await this.resets.find(tx, id), secret, locked);
      await this.resets.deleteOfUser(tx, tenantId, user.id);
      await this.users.update(tx, user.id, { passwordHash });
      await this.mails.queue(tx, tenantId, passwordChangedMail(user, HOW_BY_MAIL));
      this.trail.record(tx, byUser('password.reset', user.id));
      await this.revocations.record(tx, 'user', user.id);
      const removed = removePasskeys ? await this.factors.removeAll(tx, user.id) : [];
      for (const { name } of removed) await this.factors.notices.send(tx, user.id, { change: 'passkey-removed', name });
      const passkeys = (await this.factors.passkeys.list(tx, user.id)).length;
      return { passkeys, passkeysRemoved: removed.length, ended: await this.sessions.endAllWithin(tx, user.id) };
    });
    await this.sessions.forget(ended);
    return { ...counted, deviceToken: this.devices.issue({ id: user.id, passwordHash }) };
  }

  private async sendTo(email: string, origin: RequestOrigin): Promise<void> {
    if (!(await this.limit.mails.admits(email))) return;
    const holder = await this.database.crossTenant((tx) => this.emails.find(tx, email));
    if (!holder) return;
    await this.database.transaction({ ...origin, tenantId: holder.tenantId }, async (tx) => {
      const user = await this.users.lock(tx, holder.userId);
      if (!user || !canHavePassword(user)) return;
      await this.send(tx, user);
      this.trail.record(tx, { ...byUser('password.reset_requested', user.id), actor: SYSTEM });
    });
  }
}

const HOW_BY_MAIL =
  'a new password was set for your account with a link from a mail. All your sessions have ended; sign in with the new password.';

const invalid = () => new PlatformError('INVALID_PASSWORD_RESET');

/** An invited user accepts the invitation instead; others are signed in by their host or their identity provider. */
const canHavePassword = ({ status, origin }: User): boolean =>
  status === 'active' && origin !== 'embed' && origin !== 'identity_provider';

function assertValid(reset: PasswordReset | null, secret: string, user: User | null): User {
  if (!reset || !isSecret(reset.secretHash, secret) || !user || !canHavePassword(user)) throw invalid();
  return user;
}
