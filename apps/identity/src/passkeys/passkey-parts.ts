import { Database, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail, userActor } from '../audit/audit-trail.service.js';
import { RefusedActs } from '../audit/refused-acts.js';
import { DeviceTokens } from '../guesses/device-tokens.js';
import { SignInLimit } from '../guesses/sign-in-limit.js';
import { FactorNoticeService } from '../mail/factor-notice.service.js';
import { PersonSessionService } from '../sessions/person-session.service.js';
import { RecentProof } from '../sessions/recent-proof.js';
import type { Passkey } from './passkey.entity.js';
import { PasskeyRepository } from './passkey.repository.js';
import { PasskeyAssertionService } from './passkey-assertion.service.js';
import { PasskeyChallengeService } from './passkey-challenge.service.js';

@Injectable()
export class PasskeyParts {
  constructor(
    readonly database: Database,
    readonly passkeys: PasskeyRepository,
    readonly challenges: PasskeyChallengeService,
    readonly assertions: PasskeyAssertionService,
    readonly notices: FactorNoticeService,
    readonly limit: SignInLimit,
    readonly proof: RecentProof,
    readonly ofPerson: PersonSessionService,
    readonly trail: AuditTrail,
    readonly refusals: RefusedActs,
    readonly devices: DeviceTokens,
  ) {}

  /** Removes every passkey of a user, because someone else may have added one. @returns what was removed */
  async removeAll(tx: TenantTransaction, userId: string): Promise<Passkey[]> {
    const removed = await this.passkeys.list(tx, userId);
    await this.passkeys.deleteOfUser(tx, userId);
    const act = { action: 'passkey.removed', actor: userActor(userId), subject: { kind: 'user', id: userId } } as const;
    for (const { id } of removed) this.trail.record(tx, { ...act, detail: { passkeyId: id } });
    return removed;
  }
}
