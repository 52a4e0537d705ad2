import { AUDIENCES } from '@crm/contracts';
import { actingOperator, recordOperatorAct } from '@crm/operator-audit';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { SessionIssuer } from '../sessions/session-issuer.js';
import { SessionParts } from '../sessions/session-parts.js';
import { OperatorRepository } from './operator.repository.js';

/** The sessions of operators: those of users with another audience, another key and a shorter life. */
@Injectable()
export class OperatorSessionService extends SessionIssuer {
  constructor(parts: SessionParts, operators: OperatorRepository, @Inject(IDENTITY_CONFIG) config: IdentityConfig) {
    super(parts, {
      kind: 'operators',
      lifetime: config.operatorSessions,
      lock: async (tx, id, epoch) => {
        const operator = await operators.lockForIssue(tx, id, epoch);
        if (operator?.status !== 'active') return null;
        const { role, linkedTenantId } = operator;
        const linked = linkedTenantId !== null && { linked_tid: linkedTenantId };
        return { aud: AUDIENCES.admin, sub: operator.id, roles: [role], scopes: [], ...linked };
      },
      opened: (tx, { id, userId, address, userAgent }, { roles }) =>
        recordOperatorAct(tx, {
          operator: actingOperator({ userId, roles }),
          act: 'operator.sign-in',
          subject: { kind: 'operator', id: userId },
          findings: { sessionId: id, address, userAgent },
        }),
    });
  }
}
