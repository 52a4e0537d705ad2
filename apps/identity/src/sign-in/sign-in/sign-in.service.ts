import { PlatformError, type TokenPair } from '@crm/contracts';
import { Database, NO_TENANT } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { PasswordService } from '../../accounts/password/password.service.js';
import { normaliseEmail } from '../../accounts/user/email-address.js';
import { EmailClaimRepository } from '../../accounts/user/email-claim.repository.js';
import { type EmailHolder, SignInEmailRepository } from '../../accounts/user/sign-in-email.repository.js';
import type { User } from '../../accounts/user/user.entity.js';
import { UserRepository } from '../../accounts/user/user.repository.js';
import { SessionService, type SignInOrigin } from '../../sessions/session/session.service.js';
import { SignInLimit } from '../limit/sign-in-limit.js';
import { type MfaRequired, MfaService } from '../mfa/mfa.service.js';

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
  ) {}

  /**
   * Finds the user by e-mail address and password. Neither the answer nor the time it takes distinguishes an unknown address, a
   * wrong password, an invited and a disabled user.
   * @param address where the attempt comes from
   * @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED
   */
  async authenticate(email: string, password: string, address: string): Promise<User> {
    const account = normaliseEmail(email);
    return this.limit.attempt(`user:${account}`, address, async () => {
      for (const candidate of await this.candidates(account)) {
        const user = await this.database.transaction(candidate.tenantId, (tx) => this.users.find(tx, candidate.userId));
        const right = await this.passwords.matches(user?.passwordHash, password);
        if (right && user?.status === 'active') return user;
      }
      throw new PlatformError('INVALID_CREDENTIALS');
    });
  }

  /**
   * Opens a session for a user whose password was right, or asks for the second factor where it is on.
   * @throws PlatformError INVALID_CREDENTIALS when the user was disabled in the meantime, RATE_LIMITED when too many codes
   *   were asked for
   */
  async admit(user: User, origin: SignInOrigin): Promise<TokenPair | MfaRequired> {
    return user.mfaEnabled ? this.mfa.challenge(user) : this.sessions.open(user.tenantId, user.id, origin);
  }

  /** @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED */
  async verifyCode(challengeId: string, code: string, origin: SignInOrigin): Promise<TokenPair> {
    return this.limit.attempt(`challenge:${challengeId}`, origin.address, async () => {
      const user = await this.mfa.verify(challengeId, code);
      return this.sessions.open(user.tenantId, user.id, origin);
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
