import { PlatformError, type TokenPair } from '@crm/contracts';
import { Database, NO_TENANT } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { PasswordService } from '../../accounts/password/password.service.js';
import { normaliseEmail } from '../../accounts/user/email-address.js';
import { SignInEmailRepository } from '../../accounts/user/sign-in-email.repository.js';
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
    private readonly passwords: PasswordService,
    private readonly limit: SignInLimit,
    private readonly sessions: SessionService,
    private readonly mfa: MfaService,
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
      const user = await this.findByEmail(account);
      const right = await this.passwords.matches(user?.passwordHash, password, address);
      if (!right || user?.status !== 'active') throw new PlatformError('INVALID_CREDENTIALS');
      await this.renewHash(user, password);
      return user;
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

  /** Replaces a hash that was made with parameters of another day, unless the password was changed in the meantime. */
  private async renewHash({ tenantId, id, passwordHash }: User, password: string): Promise<void> {
    const renewed = passwordHash === null ? undefined : await this.passwords.rehash(passwordHash, password);
    if (renewed === undefined) return;
    await this.database.transaction(tenantId, async (tx) => {
      const user = await this.users.lock(tx, id);
      if (user?.passwordHash === passwordHash) await this.users.update(tx, id, { passwordHash: renewed });
    });
  }

  /** Takes the same time for an address without an account. */
  private async findByEmail(email: string): Promise<User | null> {
    const account = await this.database.crossTenant((tx) => this.emails.find(tx, email));
    const { tenantId, userId } = account ?? { tenantId: NO_TENANT, userId: NO_TENANT };
    return this.database.transaction(tenantId, (tx) => this.users.find(tx, userId));
  }
}
