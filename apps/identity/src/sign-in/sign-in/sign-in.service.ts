import { PlatformError, type TokenPair } from '@crm/contracts';
import { Database, NO_TENANT, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { PasswordService } from '../../accounts/password/password.service.js';
import { normaliseEmail } from '../../accounts/user/email-address.js';
import { EmailClaimRepository } from '../../accounts/user/email-claim.repository.js';
import { type EmailHolder, SignInEmailRepository } from '../../accounts/user/sign-in-email.repository.js';
import type { User } from '../../accounts/user/user.entity.js';
import { UserRepository } from '../../accounts/user/user.repository.js';
import { SessionService, type SignInOrigin } from '../../sessions/session/session.service.js';
import type { NewAuthenticator } from '../authenticator/authenticator.service.js';
import { SignInLimit } from '../limit/sign-in-limit.js';
import { type EnrolmentRequired, type MfaRequired, MfaService } from '../mfa/mfa.service.js';
import { SignInPolicyRepository } from '../policy/sign-in-policy.repository.js';

/** Signs users in by password and, where it is on, by a code. */
@Injectable()
export class SignInService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly emails: SignInEmailRepository,
    private readonly claims: EmailClaimRepository,
    private readonly passwords: PasswordService,
    private readonly limit: SignInLimit,
    private readonly sessions: SessionService,
    private readonly mfa: MfaService,
    private readonly policies: SignInPolicyRepository,
  ) {}

  /**
   * Finds the user by e-mail address and password. Neither the answer nor the time it takes distinguishes an unknown address, a
   * wrong password, an invited and a disabled user.
   * @param address where the attempt comes from
   * @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED, SERVICE_UNAVAILABLE while too many passwords are being checked
   */
  async authenticate(email: string, password: string, address: string): Promise<User> {
    const account = normaliseEmail(email);
    return this.limit.attempt(`user:${account}`, address, async () => {
      for (const candidate of await this.candidates(account)) {
        const user = await this.database.transaction(candidate.tenantId, (tx) => this.users.find(tx, candidate.userId));
        const right = await this.passwords.matches(user?.passwordHash, password, address);
        if (!right || user?.status !== 'active') continue;
        await this.renewHash(user, password);
        return user;
      }
      throw new PlatformError('INVALID_CREDENTIALS');
    });
  }

  /**
   * Opens a session for a user whose password was right, or asks for the second factor where it is on, or to set one up where
   * the workspace requires it. Where it requires single sign-on, only owners get in by a password.
   * @throws PlatformError SINGLE_SIGN_ON_REQUIRED; INVALID_CREDENTIALS when the user was disabled in the meantime, RATE_LIMITED when too many codes
   *   were asked for
   */
  async admit(user: User, origin: SignInOrigin): Promise<TokenPair | MfaRequired | EnrolmentRequired> {
    const demandOf = async (tx: TenantTransaction) => {
      const { secondFactor, singleSignOn } = await this.policies.read(tx);
      const isRefused = singleSignOn && !user.roles.includes('owner');
      return {
        mailCode: user.mfaEnabled,
        // An owner gets in when the identity provider fails, but never by a password alone.
        enrolment: secondFactor === 'required' || singleSignOn,
        refusal: isRefused ? new PlatformError('SINGLE_SIGN_ON_REQUIRED') : undefined,
      };
    };
    return (await this.mfa.begin(user, demandOf)) ?? this.sessions.open(user.tenantId, user.id, origin);
  }

  /** @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED */
  async verifyCode(challengeId: string, code: string, origin: SignInOrigin): Promise<TokenPair> {
    return this.limit.attempt(`challenge:${challengeId}`, origin.address, async () => {
      const { tenantId, id } = await this.mfa.verify('users', challengeId, code);
      return this.sessions.open(tenantId, id, origin);
    });
  }

  /** @throws PlatformError INVALID_CREDENTIALS for a token that is not valid, CONFLICT */
  async startEnrolment(token: string): Promise<NewAuthenticator> {
    const emailOf = async (tx: TenantTransaction, id: string) => (await this.activeUser(tx, id))?.email;
    return this.mfa.startEnrolment('users', token, emailOf);
  }

  /** @throws PlatformError INVALID_CREDENTIALS for a token that is not valid and for a wrong code, CONFLICT */
  async confirmEnrolment(
    token: string,
    code: string,
    origin: SignInOrigin,
  ): Promise<TokenPair & { recoveryCodes: string[] }> {
    const enrolled = (tx: TenantTransaction, id: string) => this.users.update(tx, id, { mfaEnabled: true });
    const { tenantId, id, recoveryCodes } = await this.mfa.confirmEnrolment('users', token, code, enrolled);
    return { ...(await this.sessions.open(tenantId, id, origin)), recoveryCodes };
  }

  private async activeUser(tx: TenantTransaction, id: string): Promise<User | null> {
    const user = await this.users.find(tx, id);
    return user?.status === 'active' ? user : null;
  }

  /** Replaces a hash that was made with parameters of another day, unless the password was changed in the meantime. */
  private async renewHash({ tenantId, id, passwordHash }: User, password: string): Promise<void> {
    const renewed = passwordHash === null ? undefined : await this.passwords.rehash(passwordHash, password);
    if (renewed === undefined) return;
    await this.database.transaction(tenantId, async (tx) => {
      const user = await this.users.lock(tx, id);
      if (user?.passwordHash === passwordHash) await this.users.update(tx, id, { passwordHash: renewed });
    });
  }

  /**
   * The user that an address belongs to, or nobody, which takes the same time, and then those who registered with it and have
   * not verified it: none of them is in the way of another.
   */
  private async candidates(email: string): Promise<EmailHolder[]> {
    const [holder, claims] = await this.database.crossTenant((tx) =>
      // Sent together: one round trip.
      Promise.all([this.emails.find(tx, email), this.claims.listForSignIn(tx, email)]),
    );
    return [holder ?? { tenantId: NO_TENANT, userId: NO_TENANT }, ...claims];
  }
}
