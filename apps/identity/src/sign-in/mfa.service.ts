import { PlatformError, type TokenPair } from '@crm/contracts';
import { Database, newId, type TenantTransaction, type TransactionOrigin } from '@crm/database';
import { Limiter, LimiterStore } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { failedSignIn, RefusedActs } from '../audit/refused-acts.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { MailService } from '../mail/mail.service.js';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { hashSecret, isSecret, newSecret, packIds, packToken, unpackIds } from '../secrets.js';
import { PersonSessionService } from '../sessions/person-session.service.js';
import type { Precondition, ProvenSignIn } from '../sessions/session.service.js';
import { AuthenticatorService, isRecoveryCode } from './authenticator.service.js';
import { MfaChallengeRepository, PasskeyRepository } from './factor.repository.js';
import { FactorNoticeService } from './factor-notice.service.js';
import { AccountKind, CodeGuessService, MailCodes } from './guess-limits.js';
import type { AuthenticatorView } from './sign-in.dto.js';
import type { ChallengePurpose, MfaChallenge, SignInPurpose } from './sign-in.entity.js';

/** Tries of one challenge; those of a user over all challenges are bounded by CodeGuessService. */
const MAX_TRIES = 5;

export type Verified<Purpose = ChallengePurpose> = Pick<Account, 'tenantId' | 'id'> &
  Pick<ProvenSignIn, 'epoch' | 'provenAt'> & { purpose: Purpose };

export const SIGN_INS: readonly SignInPurpose[] = ['sign-in', 'single-sign-on', 'switch'];

export type FactorMethod = 'mail_code' | 'authenticator' | 'recovery_code';

@Injectable()
export class MfaService {
  constructor(
    private readonly database: Database,
    private readonly challenges: MfaChallengeRepository,
    private readonly authenticators: AuthenticatorService,
    private readonly guesses: CodeGuessService,
    private readonly mailCodes: MailCodes,
    private readonly refusals: RefusedActs,
    private readonly notices: FactorNoticeService,
    private readonly ofPerson: PersonSessionService,
  ) {}

  /** @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED after too many wrong codes of the user */
  async verify<Purpose extends ChallengePurpose>(
    kind: AccountKind,
    challengeId: string,
    code: string,
    purposes: readonly Purpose[],
    origin: Omit<TransactionOrigin, 'tenantId'> = {},
  ): Promise<Verified<Purpose> & { method: FactorMethod }> {
    const [tenantId, id] = idsOf(kind, challengeId);
    const challenge = await this.database.transaction(tenantId, (tx) => this.challenges.find(tx, id));
    if (!challenge || challenge.method === 'enrolment' || challenge.method === 'passkey') throw refused();
    const { userId } = challenge;
    const purpose = purposes.find((each) => each === challenge.purpose);
    if (purpose === undefined) throw refused();
    await this.guesses.take(tenantId, userId, 'sign-in');
    // A transaction of its own: the try counts even though the answer is an error.
    const left = await this.database.transaction(tenantId, (tx) => this.challenges.takeTry(tx, id, MAX_TRIES));
    if (!left) throw refused();
    await this.database.transaction(tenantId, async (tx) => {
      const first = await this.challenges.delete(tx, id);
      if (first && (await this.isRight(tx, challenge, code))) return;
      this.refusals.note({ ...origin, tenantId }, failedSignIn(userId, 'code', kind));
      throw refused();
    });
    await this.guesses.clear(tenantId, userId, 'sign-in');
    return { tenantId, id: userId, purpose, method: methodOf(challenge, code), ...proofOf(challenge) };
  }

  /** @throws PlatformError INVALID_CREDENTIALS; CONFLICT when an authenticator is in use */
  async startEnrolment(
    kind: AccountKind,
    token: string,
    emailOf: (tx: TenantTransaction, id: string, purpose: SignInPurpose) => Promise<string | undefined>,
  ): Promise<AuthenticatorView> {
    const { tenantId, userId, purpose } = await this.enrolmentOf(kind, token);
    return this.database.transaction(tenantId, async (tx) => {
      const email = await emailOf(tx, userId, purpose);
      if (email === undefined) throw tokenRefused();
      return this.authenticators.start(tx, userId, email);
    });
  }

  /** @param enrolled notes it, or refuses @throws PlatformError INVALID_CREDENTIALS, CONFLICT without enrolment */
  async confirmEnrolment(
    kind: AccountKind,
    token: string,
    code: string,
    enrolled?: (tx: TenantTransaction, id: string, purpose: SignInPurpose) => Promise<void>,
  ): Promise<Verified<SignInPurpose> & { recoveryCodes: string[] }> {
    const enrolment = await this.enrolmentOf(kind, token);
    const { tenantId, userId, id, purpose } = enrolment;
    const personProven = purpose !== 'single-sign-on' && (await this.ofPerson.isFirstFactor({ userId }));
    const recoveryCodes = await this.database.transaction(tenantId, async (tx) => {
      // The account first: whatever ends pending sign-ins locks in this order too.
      await enrolled?.(tx, userId, purpose);
      if (!(await this.challenges.delete(tx, id))) throw tokenRefused();
      const codes = await this.authenticators.confirm(tx, userId, code, personProven);
      await this.notices.send(tx, userId, { change: 'authenticator-added' });
      return codes;
    });
    return { tenantId, id: userId, purpose, recoveryCodes, ...proofOf(enrolment) };
  }

  private async isRight(tx: TenantTransaction, challenge: MfaChallenge, code: string): Promise<boolean> {
    const { id, userId, codeMac } = challenge;
    if (challenge.method === 'mail') return codeMac !== null && this.mailCodes.isRight(id, code, codeMac);
    return this.authenticators.accepts(tx, userId, code);
  }

  private async enrolmentOf(kind: AccountKind, token: string): Promise<MfaChallenge & { purpose: SignInPurpose }> {
    const [ids = '', secret = ''] = token.split('.');
    const [tenantId, id] = idsOf(kind, ids, tokenRefused);
    const challenge = await this.database.transaction(tenantId, (tx) => this.challenges.find(tx, id));
    if (!challenge?.secretHash || !isSecret(challenge.secretHash, secret)) throw tokenRefused();
    const purpose = SIGN_INS.find((each) => each === challenge.purpose);
    if (purpose === undefined) throw tokenRefused();
    return { ...challenge, purpose };
  }
}

/** After a sign-in at a provider, and a switch, a code of the authenticator is a proof of now, a mailed code or an enrolment is not. */
function proofOf({ purpose, method, signInEpoch, authenticatedAt }: MfaChallenge) {
  const isOlder = purpose !== 'sign-in' && method !== 'authenticator';
  return { epoch: signInEpoch, provenAt: isOlder ? authenticatedAt : undefined };
}

function methodOf({ method }: MfaChallenge, code: string): FactorMethod {
  if (method === 'mail') return 'mail_code';
  return isRecoveryCode(code) ? 'recovery_code' : 'authenticator';
}

/** @throws PlatformError INVALID_CREDENTIALS for a text that does not name a challenge of this kind */
function idsOf(kind: AccountKind, text: string, refuse = refused): [string, string] {
  const [tenantId, id] = unpackIds(text, 2) ?? [];
  if (!tenantId || !id || (tenantId === PLATFORM_TENANT) !== (kind === 'operators')) throw refuse();
  return [tenantId, id];
}

const refused = () => new PlatformError('INVALID_CREDENTIALS', 'The code is wrong or has expired');
const tokenRefused = () => new PlatformError('INVALID_CREDENTIALS', "The enrolment token isn't valid. Sign in again");

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
