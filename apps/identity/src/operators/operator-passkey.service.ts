import { Database } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { RecentProof } from '../sessions/proof.service.js';
import { SessionRepository } from '../sessions/session.repository.js';
import { DeviceTokens } from '../sign-in/device-tokens.js';
import { FactorNoticeService } from '../sign-in/factor-notice.service.js';
import { PasskeyRepository } from '../sign-in/passkey.repository.js';
import { PasskeyAssertionService } from '../sign-in/passkey-assertion.service.js';
import { PasskeyChallengeService } from '../sign-in/passkey-challenge.service.js';
import { Passkeys } from '../sign-in/passkeys.js';
import { SignInLimit } from '../sign-in/sign-in-limit.js';
import { OperatorRepository } from './operator.repository.js';
import { OperatorSessionService } from './operator-session.service.js';

/** The passkeys of operators: those of users at another address. */
@Injectable()
export class OperatorPasskeyService extends Passkeys {
  constructor(
    database: Database,
    passkeys: PasskeyRepository,
    challenges: PasskeyChallengeService,
    assertions: PasskeyAssertionService,
    notices: FactorNoticeService,
    limit: SignInLimit,
    proof: RecentProof,
    sessions: SessionRepository,
    trail: AuditTrail,
    devices: DeviceTokens,
    operatorSessions: OperatorSessionService,
    operators: OperatorRepository,
    @Inject(IDENTITY_CONFIG) config: IdentityConfig,
  ) {
    super(
      { database, passkeys, challenges, assertions, notices, limit, proof, sessions, trail, devices },
      {
        kind: 'operators',
        party: config.passkeys.operators,
        sessions: operatorSessions,
        lock: async (tx, id) => {
          const operator = await operators.lock(tx, id);
          return operator?.status === 'active' ? operator : null;
        },
        admit: (tx, id) => operators.find(tx, id),
      },
    );
  }
}
