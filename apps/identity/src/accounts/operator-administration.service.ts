import type { Principal } from '@crm/access';
import { type OperatorAct, PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { actingOperator, type NewOperatorAct, recordOperatorAct } from '@crm/operator-audit';
import { Injectable } from '@nestjs/common';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { RecentProof } from '../sessions/proof.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { AuthenticatorService } from '../sign-in/authenticator.service.js';
import { PasskeyRepository } from '../sign-in/factor.repository.js';
import type { Operator } from './accounts.entity.js';
import { type OperatorChanges, OperatorRepository } from './accounts.repository.js';
import type { OperatorView } from './operator.dto.js';
import { operatorView } from './operator.service.js';
import { OperatorSessionService } from './operator-session.service.js';

/** Each change needs a recent proof and revokes the operator's tokens: rights and links count within a second. */
@Injectable()
export class OperatorAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly operators: OperatorRepository,
    private readonly sessions: OperatorSessionService,
    private readonly authenticators: AuthenticatorService,
    private readonly revocations: RevocationService,
    private readonly proof: RecentProof,
    private readonly passkeys: PasskeyRepository,
  ) {}

  async list(): Promise<OperatorView[]> {
    return this.database.transaction(PLATFORM_TENANT, async (tx) => {
      const operators = await this.operators.list(tx);
      const inUse = await Promise.all(operators.map(({ id }) => this.authenticators.isInUse(tx, id)));
      return operators.map((operator, index) => operatorView(operator, inUse[index] ?? false));
    });
  }

  /** @throws PlatformError STEP_UP_REQUIRED, NOT_FOUND; CONFLICT for the last active administrator and for one's own link */
  async change(principal: Principal, id: string, changes: OperatorChanges): Promise<OperatorView> {
    return this.act(principal, id, async (tx, operator, administrators) => {
      const after = { ...operator, ...changes };
      if (isActiveAdministrator(operator) && !isActiveAdministrator(after) && administrators === 1) {
        throw new PlatformError('CONFLICT', 'The platform needs at least one administrator');
      }
      if (id === principal.userId && after.linkedTenantId !== operator.linkedTenantId) {
        throw new PlatformError('CONFLICT', 'Ask another administrator to change your linked workspace');
      }
      await this.operators.update(tx, id, changes);
      await this.revocations.record(tx, 'user', id);
      const before = Object.keys(changes).map((name) => [name, operator[name as keyof OperatorChanges]]);
      await record(tx, principal, 'operator.change', operator, {
        before: Object.fromEntries(before),
        after: { ...changes },
      });
      const ended = after.status === 'disabled' ? await this.sessions.endAllWithin(tx, id) : [];
      return { answer: operatorView(after, await this.authenticators.isInUse(tx, id)), ended };
    });
  }

  async endSessions(principal: Principal, id: string): Promise<void> {
    await this.act(principal, id, async (tx, operator) => {
      const ended = await this.sessions.endAllWithin(tx, id);
      await record(tx, principal, 'operator.end-sessions', operator, { findings: { sessions: ended } });
      return { answer: undefined, ended };
    });
  }

  /**
   * Passkeys go too: the sign-in sets up an authenticator only where there is no other factor. Nobody resets their own:
   * without the code the session may be someone else's.
   * @throws PlatformError STEP_UP_REQUIRED, NOT_FOUND, CONFLICT
   */
  async resetAuthenticator(principal: Principal, id: string): Promise<void> {
    await this.act(principal, id, async (tx, operator) => {
      if (id === principal.userId) {
        throw new PlatformError('CONFLICT', 'Ask another administrator to reset your authenticator app');
      }
      await record(tx, principal, 'operator.reset-authenticator', operator);
      await this.authenticators.remove(tx, id);
      await this.passkeys.deleteOfUser(tx, id);
      return { answer: undefined, ended: await this.sessions.endAllWithin(tx, id) };
    });
  }

  /**
   * Nothing ends the session between the proof and the change, and two who act on each other do not deadlock.
   * @param work is told how many administrators can sign in, and says which sessions it has ended
   * @throws PlatformError STEP_UP_REQUIRED, NOT_FOUND
   */
  private async act<T>(
    principal: Principal,
    id: string,
    work: (tx: TenantTransaction, of: Operator, administrators: number) => Promise<{ answer: T; ended: string[] }>,
  ): Promise<T> {
    const { answer, ended } = await this.database.transaction(PLATFORM_TENANT, async (tx) => {
      const administrators = await this.operators.lockActiveAdministrators(tx);
      await this.proof.assertWithin(tx, principal);
      const operator = await this.operators.lock(tx, id);
      if (!operator) throw new PlatformError('NOT_FOUND', 'Operator not found');
      return work(tx, operator, administrators);
    });
    await this.sessions.forget(ended);
    return answer;
  }
}

async function record(
  tx: TenantTransaction,
  principal: Principal,
  act: OperatorAct,
  { id, email }: Operator,
  about: Pick<NewOperatorAct, 'findings' | 'before' | 'after'> = {},
): Promise<void> {
  const subject = { kind: 'operator', id, name: email } as const;
  await recordOperatorAct(tx, { operator: actingOperator(principal), act, subject, ...about });
}

const isActiveAdministrator = ({ role, status }: Operator): boolean => role === 'administrator' && status === 'active';
