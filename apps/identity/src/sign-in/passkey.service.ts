import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { UserRepository } from '../people/user.repository.js';
import { RecentProof } from '../sessions/proof.service.js';
import { SessionRepository } from '../sessions/session.repository.js';
import { SessionService } from '../sessions/session.service.js';
import { DeviceTokens } from './device-tokens.js';
import { SignInPolicyRepository } from './factor.repository.js';
import { FactorNoticeService } from './factor-notice.service.js';
import type { PasskeyView } from './passkey.dto.js';
import { PasskeyRepository } from './passkey.repository.js';
import { PasskeyAssertionService } from './passkey-assertion.service.js';
import { PasskeyChallengeService } from './passkey-challenge.service.js';
import { Passkeys } from './passkeys.js';
import type { Passkey } from './sign-in.entity.js';
import { SignInLimit } from './sign-in-limit.js';

/** The passkeys of users. */
@Injectable()
export class PasskeyService extends Passkeys {
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
    userSessions: SessionService,
    users: UserRepository,
    policies: SignInPolicyRepository,
    @Inject(IDENTITY_CONFIG) config: IdentityConfig,
  ) {
    super(
      { database, passkeys, challenges, assertions, notices, limit, proof, sessions, trail, devices },
      {
        kind: 'users',
        party: config.passkeys.users,
        sessions: userSessions,
        lock: async (tx, id) => {
          const user = await users.lock(tx, id);
          return user?.status === 'active' ? user : null;
        },
        admit: async (tx, id) => {
          // Sent together: one round trip.
          const [user, { singleSignOn }] = await Promise.all([users.find(tx, id), policies.read(tx)]);
          // As with passwords: owners get in when the identity provider fails.
          if (singleSignOn && !user?.roles.includes('owner')) throw new PlatformError('SINGLE_SIGN_ON_REQUIRED');
          return user;
        },
      },
    );
  }
}

export function passkeyView({ id, name, backedUp, createdAt, lastUsedAt }: Passkey): PasskeyView {
  return {
    id,
    name,
    synced: backedUp,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
