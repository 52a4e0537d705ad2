import { createHmac, randomUUID } from 'node:crypto';
import type { CallOrigin } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type TransactionOrigin } from '@crm/database';
import { EncryptionKeys } from '@crm/encryption';
import { Limiter, LimiterStore } from '@crm/limits';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { actorOf, SYSTEM } from '../audit/audit-trail.service.js';
import { failedProof, failedSignIn, noting, RefusedActs } from '../audit/refused-acts.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import type { User } from '../people/people.entity.js';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { packIds, unpackIds } from '../secrets.js';
import { ALGORITHMS, challengeIn, parseAssertion, RelyingParty, verifyAssertion } from './ceremony.js';
import { PasskeyRepository, SPEND_CHALLENGE } from './factor.repository.js';
import { FactorNoticeService } from './factor-notice.service.js';
import type { PasskeyAnswerInput } from './passkey.dto.js';
import type { Passkey } from './sign-in.entity.js';

export const CHALLENGE_SECONDS = 300;

/** What a challenge is for, and who may answer it. One that was given out for another purpose does not fit. */
export type ChallengePurpose =
  | { readonly act: 'sign-in'; readonly kind: 'users' | 'operators' }
  | { readonly act: 'registration' | 'step-up'; readonly sessionId: string };

export interface PasskeyChallenge {
  readonly challengeId: string;
  /** 32 bytes in base64url, which the authenticator signs. */
  readonly challenge: string;
}

/** A challenge is a code of its id: giving one out, which anybody can ask for, costs no row. Its answer is stored. */
@Injectable()
export class PasskeyChallengeService {
  /** The current one first; a challenge of an older one is valid for minutes. */
  private readonly macKeys: readonly [Buffer, ...Buffer[]];

  constructor(
    private readonly database: Database,
    @Inject(IDENTITY_CONFIG) config: IdentityConfig,
  ) {
    this.macKeys = EncryptionKeys.parse(config.keyEncryptionKey).derive('identity.passkey-challenge');
  }

  issue(purpose: ChallengePurpose): PasskeyChallenge {
    const expires = Math.ceil(Date.now() / 1000) + CHALLENGE_SECONDS;
    const challengeId = `${packIds(randomUUID())}.${expires.toString(36)}`;
    return { challengeId, challenge: challengeOf(this.macKeys[0], purpose, challengeId) };
  }

  /** @throws PlatformError INVALID_CREDENTIALS for one that was not given out for this, has expired or was spent */
  async spend(purpose: ChallengePurpose, challengeId: string, presented: string): Promise<void> {
    const [id, expires] = parse(challengeId) ?? [];
    // Only who was given the challenge knows it, so whatever reaches the database was given out.
    const isOurs = this.macKeys.some((key) => challengeOf(key, purpose, challengeId) === presented);
    if (id === undefined || expires === undefined || !isOurs) throw refused();
    if (expires * 1000 < Date.now()) throw refused();
    const spent = await this.database.transaction(PLATFORM_TENANT, (tx) =>
      tx.query(SPEND_CHALLENGE, [tx.tenantId, id, new Date(expires * 1000)]),
    );
    if (spent.length === 0) throw refused();
  }
}

function challengeOf(key: Buffer, purpose: ChallengePurpose, challengeId: string): string {
  const holder = purpose.act === 'sign-in' ? purpose.kind : purpose.sessionId;
  return createHmac('sha256', key).update(`${purpose.act}/${holder}/${challengeId}`).digest('base64url');
}

/** @returns the id and when it expires, in seconds since 1970; undefined for another text */
function parse(challengeId: string): [string, number] | undefined {
  const [packed = '', expires = ''] = challengeId.split('.');
  const [id] = unpackIds(packed, 1) ?? [];
  return id !== undefined && /^[0-9a-z]{6,7}$/.test(expires) ? [id, Number.parseInt(expires, 36)] : undefined;
}

const refused = () =>
  new PlatformError('INVALID_CREDENTIALS', 'The challenge has expired or was already used. Start again');

const NAME = 'CRM platform';

const TIMEOUT_MS = CHALLENGE_SECONDS * 1000;

export interface PasskeyOptions<Options extends object> {
  readonly challengeId: string;
  readonly expiresIn: number;
  /** For `PublicKeyCredential.parse…OptionsFromJSON()`. */
  readonly publicKey: Options;
}

/** @returns tenant and user, undefined for a text that no authenticator got from here */
function readUserHandle(handle: string): PasskeyAccount | undefined {
  const [tenantId, userId] = unpackIds(handle, 2) ?? [];
  return tenantId && userId ? { tenantId, userId } : undefined;
}

/** @param existing passkeys of the account: their authenticators are not offered again */
export function registrationOptions(
  party: RelyingParty,
  { challengeId, challenge }: PasskeyChallenge,
  { tenantId, id, email, name }: Pick<User, 'tenantId' | 'id' | 'email' | 'name'>,
  existing: readonly Passkey[],
): PasskeyOptions<PublicKeyCredentialCreationOptionsJSON> {
  return withChallenge(challengeId, {
    rp: { id: party.id, name: NAME },
    // Tenant and user, so that an account is found without its address, and without a table that crosses tenants.
    user: { id: packIds(tenantId, id), name: email, displayName: name },
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: TIMEOUT_MS,
    excludeCredentials: existing.map(descriptor),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  });
}

/** @param allowed the passkeys to choose from; empty where nobody is known yet: the authenticator offers those that it has */
export function assertionOptions(
  party: RelyingParty,
  { challengeId, challenge }: PasskeyChallenge,
  allowed: readonly Passkey[],
): PasskeyOptions<PublicKeyCredentialRequestOptionsJSON> {
  return withChallenge(challengeId, {
    rpId: party.id,
    challenge,
    timeout: TIMEOUT_MS,
    allowCredentials: allowed.map(descriptor),
    userVerification: 'required',
  });
}

const withChallenge = <Options extends object>(challengeId: string, publicKey: Options): PasskeyOptions<Options> => ({
  challengeId,
  expiresIn: CHALLENGE_SECONDS,
  publicKey,
});

const descriptor = ({ credentialId, transports }: Passkey) => ({
  id: credentialId.toString('base64url'),
  type: 'public-key' as const,
  transports,
});

export interface PasskeyAccount {
  readonly tenantId: string;
  readonly userId: string;
}

/** Mails about one passkey in a day: who holds a copy cannot flood the mailbox of its owner. */
const NOTICES = { name: 'passkey-notice', points: 3, windowSeconds: 24 * 3600 };

@Injectable()
export class PasskeyAssertionService {
  private readonly logger = new Logger('Passkeys');
  private readonly noticeLimit: Limiter;

  constructor(
    private readonly database: Database,
    private readonly passkeys: PasskeyRepository,
    private readonly challenges: PasskeyChallengeService,
    private readonly notices: FactorNoticeService,
    private readonly refusals: RefusedActs,
    limits: LimiterStore,
  ) {
    this.noticeLimit = new Limiter(limits, NOTICES);
  }

  /** @param known who has to have used it, unless the authenticator says it @throws PlatformError INVALID_CREDENTIALS */
  async check(
    purpose: ChallengePurpose,
    party: RelyingParty,
    { challengeId, credential }: PasskeyAnswerInput,
    isOwner: (account: PasskeyAccount) => boolean,
    origin: CallOrigin,
    known?: PasskeyAccount,
  ): Promise<PasskeyAccount & Pick<Passkey, 'personProven'> & { passkeyId: string }> {
    const answer = parseAssertion(credential);
    const { userHandle } = answer.response;
    const challenge = challengeIn(answer.response);
    await this.challenges.spend(purpose, challengeId, challenge);
    // An authenticator that was offered its passkeys by name may leave out whose they are (WebAuthn, 7.2, step 6).
    const account = userHandle === undefined ? known : readUserHandle(userHandle);
    if (account === undefined || !isOwner(account)) throw notAccepted();
    const { tenantId, userId } = account;
    const passkey = await this.database.transaction(tenantId, (tx) =>
      this.passkeys.findByCredential(tx, userId, Buffer.from(answer.id, 'base64url')),
    );
    if (!passkey) throw notAccepted();
    const entry =
      purpose.act === 'sign-in'
        ? failedSignIn(userId, 'passkey', purpose.kind)
        : { ...failedProof(userId), actor: actorOf({ ...origin, tenantId }) };
    const { counter, backedUp } = await noting(
      this.refusals,
      fromThere(origin, tenantId),
      { INVALID_CREDENTIALS: entry },
      () => verifyAssertion(answer, challenge, party, passkey.publicKey),
    );
    const used = await this.database.transaction(tenantId, (tx) =>
      this.passkeys.use(tx, passkey.id, counter, backedUp),
    );
    if (!used) await this.refuseCopy(passkey, counter, origin);
    return { ...account, passkeyId: passkey.id, personProven: passkey.personProven };
  }

  /** The key exists twice, or was deleted meanwhile. Its owner decides: some authenticators count wrongly. */
  private async refuseCopy(passkey: Passkey, counter: number, origin: CallOrigin): Promise<never> {
    const { tenantId, userId, id, name } = passkey;
    this.logger.warn({ msg: 'A passkey was refused: its counter went back', tenantId, userId, passkeyId: id, counter });
    this.refusals.note(fromThere(origin, tenantId), {
      action: 'passkey.refused',
      outcome: 'failure',
      // Anyone who has a copy is not the user.
      actor: SYSTEM,
      subject: { kind: 'user', id: userId },
      detail: { passkeyId: id },
    });
    if (await this.noticeLimit.admits(id)) {
      await this.database.transaction(tenantId, async (tx) => {
        if (await this.passkeys.find(tx, userId, id)) {
          await this.notices.send(tx, userId, { change: 'passkey-refused', name });
        }
      });
    }
    throw notAccepted();
  }
}

/** Without the method that a sign-in names, and without the user of the session. */
const fromThere = (
  { address, userAgent, requestId, traceparent }: CallOrigin,
  tenantId: string,
): TransactionOrigin => ({ tenantId, address, userAgent, requestId, traceparent });

const notAccepted = () => new PlatformError('INVALID_CREDENTIALS', "The passkey wasn't accepted");
