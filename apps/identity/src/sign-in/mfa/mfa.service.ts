import { createHmac, hkdfSync, randomInt, timingSafeEqual } from 'node:crypto';
import type { Principal } from '@crm/context';
import { PlatformError } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { Limiter, LimiterStore } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { PasswordService } from '../../accounts/password/password.service.js';
import type { User } from '../../accounts/user/user.entity.js';
import { UserRepository } from '../../accounts/user/user.repository.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../../config.js';
import { MailService } from '../../mail/mail.service.js';
import { packIds, unpackIds } from '../../secrets/packed-ids.js';
import { SignInLimit } from '../limit/sign-in-limit.js';
import { MfaChallengeRepository } from './mfa-challenge.repository.js';

/** Six digits as the specification asks; five tries of a million codes in ten minutes leave a guesser 1 in 200,000. */
const CODE_DIGITS = 6;
const MAX_TRIES = 5;
export const CHALLENGE_SECONDS = 600;

/** Codes sent to one user in 15 minutes: a stolen password neither floods a mailbox nor buys many tries. */
const CHALLENGES = { name: 'sign-in-code', points: 5, windowSeconds: 15 * 60 };

export interface MfaRequired {
  mfaRequired: true;
  challengeId: string;
  expiresIn: number;
}

/** The second factor: a code sent by e-mail after the password was right. */
@Injectable()
export class MfaService {
  private readonly macKey: Buffer;
  private readonly limit: Limiter;

  constructor(
    private readonly database: Database,
    private readonly challenges: MfaChallengeRepository,
    private readonly users: UserRepository,
    private readonly mails: MailService,
    private readonly passwords: PasswordService,
    private readonly signIns: SignInLimit,
    limits: LimiterStore,
    @Inject(IDENTITY_CONFIG) config: IdentityConfig,
  ) {
    this.limit = new Limiter(limits, CHALLENGES, 'Too many codes were asked for');
    this.macKey = Buffer.from(
      hkdfSync('sha256', Buffer.from(config.keyEncryptionKey, 'base64'), '', 'identity.mfa-code', 32),
    );
  }

  /**
   * Sends a code to the user.
   * @throws PlatformError RATE_LIMITED
   */
  async challenge(user: User): Promise<MfaRequired> {
    await this.limit.consume(user.id);
    const id = newId();
    const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
    await this.database.transaction(user.tenantId, async (tx) => {
      await this.challenges.replace(tx, {
        id,
        userId: user.id,
        codeMac: this.mac(id, code),
        expiresAt: new Date(Date.now() + CHALLENGE_SECONDS * 1000),
      });
      await this.mails.queue(tx, user.tenantId, {
        recipient: user.email,
        subject: 'Your sign-in code',
        body: `Your sign-in code is ${code}\n\nIt is valid for ten minutes. If you did not sign in, change your password.\n`,
        validSeconds: CHALLENGE_SECONDS,
      });
    });
    return { mfaRequired: true, challengeId: packIds(user.tenantId, id), expiresIn: CHALLENGE_SECONDS };
  }

  /**
   * @returns the user whose code it is
   * @throws PlatformError INVALID_CREDENTIALS for a wrong code, an unknown, expired or spent challenge
   */
  async verify(challengeId: string, code: string): Promise<User> {
    const [tenantId, id] = unpackIds(challengeId, 2) ?? [];
    if (!tenantId || !id) throw refused();
    // A transaction of its own: the try counts even though the answer is an error.
    const challenge = await this.database.transaction(tenantId, (tx) => this.challenges.takeTry(tx, id, MAX_TRIES));
    if (!challenge || !timingSafeEqual(challenge.codeMac, this.mac(id, code))) throw refused();
    return this.database.transaction(tenantId, async (tx) => {
      const first = await this.challenges.delete(tx, id);
      const user = first ? await this.users.find(tx, challenge.userId) : null;
      if (user?.status !== 'active') throw refused();
      return user;
    });
  }

  /**
   * Turns the second factor on or off.
   * @param password of the user; a stolen access token must not be enough
   * @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED
   */
  async setEnabled(principal: Principal, enabled: boolean, password: string): Promise<void> {
    const { tenantId, userId } = principal;
    await this.signIns.attempt(`mfa:${userId}`, userId, async () => {
      const user = await this.database.transaction(tenantId, (tx) => this.users.find(tx, userId));
      const right = await this.passwords.matches(user?.passwordHash, password);
      if (!right) throw new PlatformError('INVALID_CREDENTIALS', 'The password is wrong');
    });
    await this.database.transaction(tenantId, (tx) => this.users.update(tx, userId, { mfaEnabled: enabled }));
  }

  private mac(id: string, code: string): Buffer {
    return createHmac('sha256', this.macKey).update(`${id}.${code}`).digest();
  }
}

const refused = () => new PlatformError('INVALID_CREDENTIALS', 'The code is wrong or no longer valid');
