import type { CallOrigin } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type TransactionOrigin } from '@crm/database';
import { Limiter, LimiterStore } from '@crm/limits';
import { Injectable, Logger } from '@nestjs/common';
import { SYSTEM } from '../audit/audit-trail.service.js';
import { RefusedActs } from '../audit/refused-acts.js';
import { type CredentialJson, challengeIn, parseAssertion, verifyAssertion } from './ceremony.js';
import { FactorNoticeService } from './factor-notice.service.js';
import { PasskeyRepository } from './passkey.repository.js';
import { type ChallengePurpose, PasskeyChallengeService, readUserHandle } from './passkey-challenge.service.js';
import type { RelyingParty } from './relying-party.js';
import type { Passkey } from './sign-in.entity.js';

export interface PasskeyAnswer {
  readonly challengeId: string;
  readonly credential: CredentialJson;
}

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

  /**
   * @param known who has to have used it; otherwise the authenticator says who it is
   * @throws PlatformError INVALID_CREDENTIALS
   */
  async check(
    purpose: ChallengePurpose,
    party: RelyingParty,
    { challengeId, credential }: PasskeyAnswer,
    isOwner: (account: PasskeyAccount) => boolean,
    origin: CallOrigin,
    known?: PasskeyAccount,
  ): Promise<PasskeyAccount & { passkeyId: string }> {
    const answer = parseAssertion(credential);
    const { userHandle } = answer.response;
    const challenge = challengeIn(answer.response);
    await this.challenges.spend(purpose, challengeId, challenge);
    // An authenticator that was offered its passkeys by name may leave out whose they are (WebAuthn, 7.2, step 6).
    const account = userHandle === undefined ? known : readUserHandle(userHandle);
    if (account === undefined || !isOwner(account)) throw refused();
    const { tenantId, userId } = account;
    const passkey = await this.database.transaction(tenantId, (tx) =>
      this.passkeys.findByCredential(tx, userId, Buffer.from(answer.id, 'base64url')),
    );
    if (!passkey) throw refused();
    const { counter, backedUp } = await verifyAssertion(answer, challenge, party, passkey.publicKey);
    const used = await this.database.transaction(tenantId, (tx) =>
      this.passkeys.use(tx, passkey.id, counter, backedUp),
    );
    if (!used) await this.refuseCopy(passkey, counter, origin);
    return { ...account, passkeyId: passkey.id };
  }

  /**
   * The key exists twice, or the passkey was deleted meanwhile. Its owner decides: some authenticators count wrongly.
   */
  private async refuseCopy(
    { tenantId, userId, id, name }: Passkey,
    counter: number,
    origin: CallOrigin,
  ): Promise<never> {
    this.logger.warn({ msg: 'A passkey was refused: its counter went back', tenantId, userId, passkeyId: id, counter });
    this.refusals.note(fromThere(origin, tenantId), {
      action: 'passkey.refused',
      outcome: 'failure',
      // Whoever has a copy is not the user.
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
    throw refused();
  }
}

/** Without the method that a sign-in names, and without whoever holds the session. */
const fromThere = (
  { address, userAgent, requestId, traceparent }: CallOrigin,
  tenantId: string,
): TransactionOrigin => ({ tenantId, address, userAgent, requestId, traceparent });

const refused = () => new PlatformError('INVALID_CREDENTIALS', 'The passkey is not accepted');
