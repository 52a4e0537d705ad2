import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { actingOperator, recordOperatorAct } from '@crm/operator-audit';
import { Injectable } from '@nestjs/common';
import { DeviceTokens } from '../guesses/device-tokens.js';
import { SignInLimit } from '../guesses/sign-in-limit.js';
import { InitialPasswords, newPasswordRequired, type PasswordReplacement } from '../passwords/initial-passwords.js';
import { PasswordService } from '../passwords/password.service.js';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { RecentProof, sessionOf } from '../sessions/recent-proof.js';
import type { OperatorPasswordInput } from './operator.dto.js';
import type { Operator } from './operator.entity.js';
import { OperatorRepository } from './operator.repository.js';
import { OperatorSessionService } from './operator-session.service.js';

/** How operators come to a password that they alone know: at the first sign-in, and later within a session. */
@Injectable()
export class OperatorPasswordService {
  constructor(
    private readonly database: Database,
    private readonly operators: OperatorRepository,
    private readonly sessions: OperatorSessionService,
    private readonly passwords: PasswordService,
    private readonly initial: InitialPasswords,
    private readonly limit: SignInLimit,
    private readonly proof: RecentProof,
    private readonly devices: DeviceTokens,
  ) {}

  /**
   * The session of the call stays; the others end.
   * @returns the new token of the device
   * @throws PlatformError STEP_UP_REQUIRED, INVALID_CREDENTIALS, WEAK_PASSWORD, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async change(principal: Principal, passwords: OperatorPasswordInput): Promise<string | undefined> {
    const { userId } = principal;
    const operator = await this.limit.attempt(`password-change:${userId}`, userId, async () => {
      const found = await this.database.transaction(PLATFORM_TENANT, (tx) => this.operators.find(tx, userId));
      const right = await this.passwords.matches(found?.passwordHash, passwords.currentPassword, userId);
      if (!right || found?.status !== 'active') throw new PlatformError('INVALID_CREDENTIALS');
      return found;
    });
    const changed = await this.replace(operator, passwords, userId, async (tx) => {
      await this.proof.assertWithin(tx, principal);
      return this.sessions.endOthersWithin(tx, userId, sessionOf(principal));
    });
    return this.devices.issue(changed);
  }

  /**
   * Has anyone who signs in with a password that someone else chose replace it by one of their own.
   * @param operator who has proven the present password
   * @throws PlatformError VALIDATION_FAILED, WEAK_PASSWORD, INVALID_CREDENTIALS when someone else was faster, SERVICE_UNAVAILABLE
   */
  async assureOwn(
    operator: Operator,
    { password, newPassword }: { password: string; newPassword?: string | undefined },
    address: string,
  ): Promise<Operator> {
    const isInitial = operator.initialPasswordUntil !== null;
    const replacement = this.initial.replacementOf(isInitial, password, newPassword);
    if (!replacement && isInitial) throw newPasswordRequired();
    if (!replacement) return operator;
    return this.replace(operator, replacement, address, (tx) => this.sessions.endAllWithin(tx, operator.id));
  }

  private async replace(
    operator: Operator,
    replacement: PasswordReplacement,
    source: string,
    endSessions: (tx: TenantTransaction) => Promise<string[]>,
  ): Promise<Operator> {
    const { id, email, role } = operator;
    const passwordHash = await this.initial.hash(replacement, operator, source);
    const { changed, ended } = await this.database.transaction(PLATFORM_TENANT, async (tx) => {
      const locked = await this.operators.lock(tx, id);
      if (locked?.status !== 'active' || locked.passwordHash !== operator.passwordHash) {
        throw new PlatformError('INVALID_CREDENTIALS');
      }
      await this.operators.update(tx, id, { passwordHash, initialPasswordUntil: null });
      const sessions = await endSessions(tx);
      await recordOperatorAct(tx, {
        operator: actingOperator({ userId: id, roles: [role] }),
        act: 'operator.change-password',
        subject: { kind: 'operator', id, name: email },
        findings: { initial: operator.initialPasswordUntil !== null, sessions },
      });
      // In the epoch that has begun: what was proven with the former password opens no session.
      return { changed: await this.operators.find(tx, id), ended: sessions };
    });
    await this.sessions.forget(ended);
    if (!changed) throw new Error('An operator whose row is held does not exist');
    return changed;
  }
}
