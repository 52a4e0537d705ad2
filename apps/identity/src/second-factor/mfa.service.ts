import { PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction, type TransactionOrigin } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { failedSignIn, RefusedActs } from '../audit/refused-acts.js';
import { CodeGuessService } from '../guesses/code-guess.service.js';
import { MailCodes } from '../guesses/mail-codes.js';
import { FactorNoticeService } from '../mail/factor-notice.service.js';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { isSecret, unpackIds } from '../secrets.js';
import { PersonSessionService } from '../sessions/person-session.service.js';
import type { ProvenSignIn } from '../sessions/session-issuer.js';
import { AuthenticatorService, isRecoveryCode } from './authenticator.service.js';
import { MfaChallengeRepository } from './mfa-challenge.repository.js';
import { type Account } from './mfa-request.service.js';
import type { AuthenticatorView } from './second-factor.dto.js';
import type { ChallengePurpose, MfaChallenge, SignInPurpose } from './second-factor.entity.js';

/** Challenges of one kind are not answered at the address of the other. */
type AccountKind = 'users' | 'operators';

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
