import { AUDIENCES } from '@crm/contracts';
import { Database } from '@crm/database';
import { actingOperator, recordOperatorAct } from '@crm/operator-audit';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { RefreshTokenRepository } from '../sessions/refresh-token.repository.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { PendingSignInRepository, SessionRepository } from '../sessions/session.repository.js';
import { SessionIssuer } from '../sessions/session-issuer.js';
import { TokenSigner } from '../sessions/token-signer.js';
import { OperatorRepository } from './operator.repository.js';

/** The sessions of operators: those of users with another audience, another key and a shorter life. */
@Injectable()
export class OperatorSessionService extends SessionIssuer {
  constructor(
    database: Database,
    sessions: SessionRepository,
    pending: PendingSignInRepository,
    refreshTokens: RefreshTokenRepository,
    operators: OperatorRepository,
    signer: TokenSigner,
    revocations: RevocationService,
    trail: AuditTrail,
    @Inject(IDENTITY_CONFIG) config: IdentityConfig,
  ) {
    super(
      { database, sessions, pending, refreshTokens, signer, revocations, trail },
      {
        kind: 'operators',
        lifetime: config.operatorSessions,
        lock: async (tx, id, epoch) => {
          const operator = await operators.lockForIssue(tx, id, epoch);
          if (operator?.status !== 'active') return null;
          const { role, linkedTenantId } = operator;
          return {
            aud: AUDIENCES.admin,
            sub: operator.id,
            roles: [role],
            scopes: [],
            ...(linkedTenantId !== null && { linked_tid: linkedTenantId }),
          };
        },
        opened: (tx, { id, userId, address, userAgent }, { roles }) =>
          recordOperatorAct(tx, {
            operator: actingOperator({ userId, roles }),
            act: 'operator.sign-in',
            subject: { kind: 'operator', id: userId },
            findings: { sessionId: id, address, userAgent },
          }),
      },
    );
  }
}
