import { PlatformError, type TokenPair } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { Limiter, LimiterStore } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { MailCodes } from '../guesses/mail-codes.js';
import { MailService } from '../mail/mail.service.js';
import { PasskeyRepository } from '../passkeys/passkey.repository.js';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { hashSecret, newSecret, packIds, packToken } from '../secrets.js';
import type { Precondition } from '../sessions/session-issuer.js';
import { AuthenticatorService } from './authenticator.service.js';
import { MfaChallengeRepository } from './mfa-challenge.repository.js';
import type { ChallengePurpose, MfaChallenge } from './second-factor.entity.js';

const CHALLENGE_SECONDS = 600;

/** Codes sent to one user in 15 minutes: a stolen password does not flood a mailbox. */
const CHALLENGES = { name: 'sign-in-code', points: 5, windowSeconds: 15 * 60 };

export interface MfaRequired {
  mfaRequired: true;
  challengeId: string;
  expiresIn: number;
  methods: ('mail' | 'authenticator' | 'recovery_code' | 'passkey')[];
}

export interface EnrolmentRequired {
  mfaEnrolmentRequired: true;
  enrolmentToken: string;
  expiresIn: number;
}

/** Someone else chose the password; nothing is kept for the sign-in that brings one of their own. */
export interface PasswordChangeRequired {
  passwordChangeRequired: true;
  expiresIn: 0;
}

/** The tokens, or what a sign-in still needs. */
export type SignInAnswer = TokenPair | Asked | PasswordChangeRequired;

type Asked = MfaRequired | EnrolmentRequired;

export type Enrolled = TokenPair & { recoveryCodes: string[] };

export interface Account {
  tenantId: string;
  id: string;
  email: string;
  signInEpoch: number;
  /** When a provider, or the session of a switch, has authenticated the user; null when nobody says. */
  authenticatedAt?: Date | null;
}

interface Demand {
  mailCode: boolean;
  enrolment: boolean;
  /** Why the password is not accepted although it is right. */
  refusal?: PlatformError | undefined;
  /** True when a sign-in with a passkey would be refused, so that it is not offered. */
  refusesPasskeys?: boolean;
}

type DemandOf = (tx: TenantTransaction) => Promise<Demand>;

interface Need {
  readonly factor: 'authenticator' | 'passkey' | 'mail' | 'enrolment';
  readonly offersPasskey: boolean;
}

@Injectable()
export class MfaRequestService {
  private readonly limit: Limiter;

  constructor(
    private readonly database: Database,
    private readonly challenges: MfaChallengeRepository,
    private readonly authenticators: AuthenticatorService,
    private readonly passkeys: PasskeyRepository,
    private readonly mails: MailService,
    private readonly mailCodes: MailCodes,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
    limits: LimiterStore,
  ) {
    this.limit = new Limiter(limits, CHALLENGES, 'Too many code requests');
  }

  /** @returns null when the password is enough @throws PlatformError RATE_LIMITED, or the refusal of the demand */
  async begin(account: Account, purpose: ChallengePurpose, demandOf: DemandOf): Promise<Asked | null> {
    const { needOf, ask } = this.before(account, purpose, demandOf);
    const need = await this.database.transaction(account.tenantId, needOf);
    return need && ask(need);
  }

  /** Like {@link begin}, in the transaction that opens the session. */
  before(account: Account, purpose: ChallengePurpose, demandOf: DemandOf): Precondition<Need, Asked> {
    return {
      needOf: (tx) => this.needOf(tx, account, demandOf),
      ask: (need) => this.ask(account, purpose, need),
    };
  }

  private async needOf(tx: TenantTransaction, { tenantId, id }: Account, demandOf: DemandOf): Promise<Need | null> {
    // Sent together: one round trip.
    const [hasAuthenticator, hasPasskey, demand] = await Promise.all([
      this.authenticators.isInUse(tx, id),
      this.passkeys.hasAny(tx, id),
      demandOf(tx),
    ]);
    if (demand.refusal) throw demand.refusal;
    const offersPasskey = hasPasskey && !demand.refusesPasskeys;
    // An authenticator takes the place of the mail: the weaker factor is no way around the stronger.
    if (hasAuthenticator) return { factor: 'authenticator', offersPasskey };
    if (demand.mailCode) return { factor: 'mail', offersPasskey };
    if (!demand.enrolment) return null;
    // Who has a passkey has a second factor: the password alone must not set up another one in its place.
    if (!hasPasskey) return { factor: 'enrolment', offersPasskey };
    return tenantId === PLATFORM_TENANT
      ? { factor: 'passkey', offersPasskey: true }
      : { factor: 'mail', offersPasskey };
  }

  private async ask(account: Account, purpose: ChallengePurpose, need: Need): Promise<Asked> {
    const { factor, offersPasskey } = need;
    const { tenantId, id: userId, email } = account;
    const id = newId();
    const store = (what: Pick<MfaChallenge, 'method'> & Partial<MfaChallenge>, tx: TenantTransaction) =>
      this.challenges.replace(tx, newChallenge(id, account, { purpose, ...what }));
    if (factor === 'enrolment') {
      // Otherwise a stolen session would set up a factor of the thief's, which proves anything from then on.
      if (purpose === 'switch' && !this.isRecent(account)) {
        throw new PlatformError('STEP_UP_REQUIRED', undefined, { members: { proofs: ['password'] } });
      }
      const secret = newSecret();
      await this.database.transaction(tenantId, (tx) =>
        store({ method: 'enrolment', secretHash: hashSecret(secret) }, tx),
      );
      const enrolmentToken = packToken(tenantId, id, secret);
      return { mfaEnrolmentRequired: true, enrolmentToken, expiresIn: CHALLENGE_SECONDS };
    }
    if (factor !== 'mail') {
      await this.database.transaction(tenantId, (tx) => store({ method: factor }, tx));
      return mfaRequired(tenantId, id, factor === 'passkey' ? [] : ['authenticator', 'recovery_code'], offersPasskey);
    }
    await this.limit.consume(userId);
    const code = this.mailCodes.generate();
    await this.database.transaction(tenantId, async (tx) => {
      await store({ method: 'mail', codeMac: this.mailCodes.mac(id, code) }, tx);
      await this.mails.queue(tx, tenantId, {
        recipient: email,
        subject: 'Your sign-in code',
        body: `Your sign-in code is ${code}\n\nIt is valid for ten minutes. If you did not sign in, change your password.\n`,
        validSeconds: CHALLENGE_SECONDS,
      });
    });
    return mfaRequired(tenantId, id, ['mail'], offersPasskey);
  }

  private isRecent({ authenticatedAt }: Account): boolean {
    return authenticatedAt != null && authenticatedAt.getTime() > Date.now() - this.config.stepUpSeconds * 1000;
  }
}

function newChallenge(
  id: string,
  { id: userId, signInEpoch, authenticatedAt = null }: Account,
  what: Pick<MfaChallenge, 'method' | 'purpose'> & Partial<MfaChallenge>,
): Omit<MfaChallenge, 'tenantId' | 'attempts'> {
  const expiresAt = new Date(Date.now() + CHALLENGE_SECONDS * 1000);
  return { id, userId, codeMac: null, secretHash: null, expiresAt, signInEpoch, authenticatedAt, ...what };
}

const mfaRequired = (
  tenantId: string,
  id: string,
  methods: MfaRequired['methods'],
  hasPasskey: boolean,
): MfaRequired => ({
  mfaRequired: true,
  challengeId: packIds(tenantId, id),
  expiresIn: CHALLENGE_SECONDS,
  methods: hasPasskey ? [...methods, 'passkey'] : methods,
});
