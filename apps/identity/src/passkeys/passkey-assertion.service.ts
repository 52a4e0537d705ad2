import type { CallOrigin } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type TransactionOrigin } from '@crm/database';
import { Limiter, LimiterStore } from '@crm/limits';
import { Injectable, Logger } from '@nestjs/common';
import { actorOf, SYSTEM } from '../audit/audit-trail.service.js';
import { failedProof, failedSignIn, noting, RefusedActs } from '../audit/refused-acts.js';
import { FactorNoticeService } from '../mail/factor-notice.service.js';
import { unpackIds } from '../secrets.js';
import { challengeIn, parseAssertion, RelyingParty, verifyAssertion } from './ceremony.js';
import type { PasskeyAnswerInput } from './passkey.dto.js';
import type { Passkey } from './passkey.entity.js';
import { PasskeyRepository } from './passkey.repository.js';
import { type ChallengePurpose, type PasskeyAccount, PasskeyChallengeService } from './passkey-challenge.service.js';

/** @returns tenant and user, undefined for a text that no authenticator got from here */
function readUserHandle(handle: string): PasskeyAccount | undefined {
  const [tenantId, userId] = unpackIds(handle, 2) ?? [];
  return tenantId && userId ? { tenantId, userId } : undefined;
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
