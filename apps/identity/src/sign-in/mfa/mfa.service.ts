import { PlatformError } from '@crm/contracts';
import { Database, newId, type TenantTransaction, type TransactionOrigin } from '@crm/database';
import { Limiter, LimiterStore } from '@crm/limits';
import { Injectable } from '@nestjs/common';
import { failedSignIn } from '../../audit/trail/failed-sign-in.js';
import { RefusedActs } from '../../audit/trail/refused-acts.js';
import { MailService } from '../../mail/mail.service.js';
import { PLATFORM_TENANT } from '../../platform-tenant.js';
import { packIds, unpackIds } from '../../secrets/packed-ids.js';
import { hashSecret, isSecret, newSecret } from '../../secrets/secret.js';
import type { Precondition, ProvenSignIn } from '../../sessions/session/sessions.js';
import { AuthenticatorService, type NewAuthenticator } from '../authenticator/authenticator.service.js';
import { CodeGuessService } from '../code-guess/code-guess.service.js';
import { FactorNoticeService } from '../factor-notice/factor-notice.service.js';
import { PasskeyRepository } from '../passkey/passkey.repository.js';
import { isRecoveryCode } from '../recovery-code/recovery-code.js';
import { RecoveryCodeService } from '../recovery-code/recovery-code.service.js';
import { MailCodes } from './mail-code.js';
import type { ChallengePurpose, MfaChallenge, SignInPurpose } from './mfa-challenge.entity.js';
import { MfaChallengeRepository } from './mfa-challenge.repository.js';

/** Tries of one challenge; those of a user over all challenges are bounded by CodeGuessService. */
const MAX_TRIES = 5;
export const CHALLENGE_SECONDS = 600;

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

/** Whose sign-in it is. Challenges of one kind are not answered at the address of the other. */
export type AccountKind = 'users' | 'operators';

/** Who signs in; the first proof was right. */
export interface Account {
  tenantId: string;
  id: string;
  email: string;
  /** As it was when the first proof was looked at. */
  signInEpoch: number;
  /** Of a sign-in at a provider: when it has authenticated the user; null when it does not say. */
  authenticatedAt?: Date | null;
}

/** What a sign-in needs beyond the password where no authenticator is set up. */
export interface Demand {
  /** A code by mail. */
  mailCode: boolean;
  /** A second factor has to be set up first. */
  enrolment: boolean;
  /** Why the password is not accepted although it is right. */
  refusal?: PlatformError | undefined;
  /** Whether a sign-in with a passkey would be refused, so that it is not offered. */
  refusesPasskeys?: boolean;
}

/** Reads what a sign-in needs without an authenticator. */
type DemandOf = (tx: TenantTransaction) => Promise<Demand>;

/** What a sign-in still needs. */
interface Need {
  readonly factor: 'authenticator' | 'passkey' | 'mail' | 'enrolment';
  /** Whether a passkey does instead. */
  readonly offersPasskey: boolean;
}

/** The user whose second factor was right, and what it was asked for. */
export type Verified<Purpose = ChallengePurpose> = Pick<Account, 'tenantId' | 'id'> &
  Pick<ProvenSignIn, 'epoch' | 'provenAt'> & { purpose: Purpose };

export const SIGN_INS: readonly SignInPurpose[] = ['sign-in', 'single-sign-on'];

/** By what it was proven. */
export type FactorMethod = 'mail_code' | 'authenticator' | 'recovery_code';

/** The second factor of a sign-in: an authenticator, else a code by mail, else, where one is required, an enrolment. */
@Injectable()
export class MfaService {
  private readonly limit: Limiter;

  constructor(
    private readonly database: Database,
    private readonly challenges: MfaChallengeRepository,
    private readonly authenticators: AuthenticatorService,
    private readonly recoveryCodes: RecoveryCodeService,
    private readonly guesses: CodeGuessService,
    private readonly mails: MailService,
    private readonly mailCodes: MailCodes,
    private readonly refusals: RefusedActs,
    private readonly notices: FactorNoticeService,
    private readonly passkeys: PasskeyRepository,
    limits: LimiterStore,
  ) {
    this.limit = new Limiter(limits, CHALLENGES, 'Too many codes were asked for');
  }

  /**
   * Asks for what a sign-in still needs.
   * @param purpose what an answer to the challenge counts for
   * @param demandOf reads what the sign-in needs without an authenticator
   * @returns what the sign-in still needs; null when the password is enough
   * @throws PlatformError RATE_LIMITED when too many codes were sent, or the refusal of the demand
   */
  async begin(
    account: Account,
    purpose: ChallengePurpose,
    demandOf: DemandOf,
  ): Promise<MfaRequired | EnrolmentRequired | null> {
    const { needOf, ask } = this.before(account, purpose, demandOf);
    const need = await this.database.transaction(account.tenantId, needOf);
    return need && ask(need);
  }

  /** As {@link begin}, in the transaction that opens the session. */
  before(
    account: Account,
    purpose: ChallengePurpose,
    demandOf: DemandOf,
  ): Precondition<Need, MfaRequired | EnrolmentRequired> {
    return {
      needOf: (tx) => this.needOf(tx, account, demandOf),
      ask: (need) => this.ask(account, purpose, need),
    };
  }

  /**
   * @param purposes for which a challenge is taken; one of another counts as unknown
   * @param origin where the code comes from
   * @returns the user whose code it is
   * @throws PlatformError INVALID_CREDENTIALS for a wrong code, an unknown, expired or spent challenge; RATE_LIMITED after too
   *   many wrong codes of the user
   */
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

  /**
   * Begins the enrolment that a sign-in demands.
   * @param emailOf reads the address of the account, its name in the authenticator app
   * @throws PlatformError INVALID_CREDENTIALS for a token that is not valid; CONFLICT when an authenticator is in use
   */
  async startEnrolment(
    kind: AccountKind,
    token: string,
    emailOf: (tx: TenantTransaction, id: string, purpose: SignInPurpose) => Promise<string | undefined>,
  ): Promise<NewAuthenticator> {
    const { tenantId, userId, purpose } = await this.enrolmentOf(kind, token);
    return this.database.transaction(tenantId, async (tx) => {
      const email = await emailOf(tx, userId, purpose);
      if (email === undefined) throw tokenRefused();
      return this.authenticators.start(tx, userId, email);
    });
  }

  /**
   * Completes a sign-in by the enrolment that it demanded.
   * @param enrolled records at the account that it has a second factor, unless it refuses the sign-in
   * @returns the user and the recovery codes, which are shown this once
   * @throws PlatformError INVALID_CREDENTIALS for a token that is not valid and for a wrong code; CONFLICT when no enrolment
   *   was begun
   */
  async confirmEnrolment(
    kind: AccountKind,
    token: string,
    code: string,
    enrolled?: (tx: TenantTransaction, id: string, purpose: SignInPurpose) => Promise<void>,
  ): Promise<Verified<SignInPurpose> & { recoveryCodes: string[] }> {
    const enrolment = await this.enrolmentOf(kind, token);
    const { tenantId, userId, id, purpose } = enrolment;
    const recoveryCodes = await this.database.transaction(tenantId, async (tx) => {
      // The account first: whatever ends pending sign-ins locks in this order too.
      await enrolled?.(tx, userId, purpose);
      if (!(await this.challenges.delete(tx, id))) throw tokenRefused();
      const codes = await this.authenticators.confirm(tx, userId, code);
      await this.notices.send(tx, userId, { change: 'authenticator-added' });
      return codes;
    });
    return { tenantId, id: userId, purpose, recoveryCodes, ...proofOf(enrolment) };
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

  private ask(
    account: Account,
    purpose: ChallengePurpose,
    { factor, offersPasskey }: Need,
  ): Promise<MfaRequired | EnrolmentRequired> {
    if (factor === 'mail') return this.sendCode(account, purpose, offersPasskey);
    if (factor === 'enrolment') return this.askToEnrol(account, purpose);
    return this.askFor(account, purpose, factor, offersPasskey);
  }

  private async sendCode(account: Account, purpose: ChallengePurpose, hasPasskey: boolean): Promise<MfaRequired> {
    const { tenantId, id: userId, email } = account;
    await this.limit.consume(userId);
    const id = newId();
    const code = this.mailCodes.generate();
    await this.database.transaction(tenantId, async (tx) => {
      await this.challenges.replace(
        tx,
        newChallenge(id, account, { purpose, method: 'mail', codeMac: this.mailCodes.mac(id, code) }),
      );
      await this.mails.queue(tx, tenantId, {
        recipient: email,
        subject: 'Your sign-in code',
        body: `Your sign-in code is ${code}\n\nIt is valid for ten minutes. If you did not sign in, change your password.\n`,
        validSeconds: CHALLENGE_SECONDS,
      });
    });
    return mfaRequired(tenantId, id, ['mail'], hasPasskey);
  }

  private async askFor(
    account: Account,
    purpose: ChallengePurpose,
    method: 'authenticator' | 'passkey',
    hasPasskey: boolean,
  ): Promise<MfaRequired> {
    const { tenantId } = account;
    const id = newId();
    const challenge = newChallenge(id, account, { purpose, method });
    await this.database.transaction(tenantId, (tx) => this.challenges.replace(tx, challenge));
    return mfaRequired(tenantId, id, method === 'passkey' ? [] : ['authenticator', 'recovery_code'], hasPasskey);
  }

  private async askToEnrol(account: Account, purpose: ChallengePurpose): Promise<EnrolmentRequired> {
    const { tenantId } = account;
    const id = newId();
    const secret = newSecret();
    const challenge = newChallenge(id, account, { purpose, method: 'enrolment', secretHash: hashSecret(secret) });
    await this.database.transaction(tenantId, (tx) => this.challenges.replace(tx, challenge));
    const enrolmentToken = `${packIds(tenantId, id)}.${secret}`;
    return { mfaEnrolmentRequired: true, enrolmentToken, expiresIn: CHALLENGE_SECONDS };
  }

  private async isRight(tx: TenantTransaction, challenge: MfaChallenge, code: string): Promise<boolean> {
    const { id, userId, codeMac } = challenge;
    if (challenge.method === 'mail') return codeMac !== null && this.mailCodes.isRight(id, code, codeMac);
    if (!isRecoveryCode(code)) return this.authenticators.accepts(tx, userId, code);
    const accepted = await this.recoveryCodes.accepts(tx, userId, code);
    if (accepted) await this.notices.send(tx, userId, { change: 'recovery-code-used' });
    return accepted;
  }

  /** @throws PlatformError INVALID_CREDENTIALS */
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

function newChallenge(
  id: string,
  { id: userId, signInEpoch, authenticatedAt = null }: Account,
  what: Pick<MfaChallenge, 'method' | 'purpose'> & Partial<MfaChallenge>,
): Omit<MfaChallenge, 'tenantId' | 'attempts'> {
  const expiresAt = new Date(Date.now() + CHALLENGE_SECONDS * 1000);
  return { id, userId, codeMac: null, secretHash: null, expiresAt, signInEpoch, authenticatedAt, ...what };
}

/**
 * What the session rests on that the answer to a challenge opens. After a sign-in at a provider a code of the authenticator is a
 * proof of now, as in a step-up; a code by mail and a new authenticator are none without the first one.
 */
function proofOf({
  purpose,
  method,
  signInEpoch,
  authenticatedAt,
}: MfaChallenge): Pick<Verified, 'epoch' | 'provenAt'> {
  const isOlder = purpose === 'single-sign-on' && method !== 'authenticator';
  return { epoch: signInEpoch, provenAt: isOlder ? authenticatedAt : undefined };
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

const refused = () => new PlatformError('INVALID_CREDENTIALS', 'The code is wrong or no longer valid');
const tokenRefused = () => new PlatformError('INVALID_CREDENTIALS', 'The enrolment token is not valid');
