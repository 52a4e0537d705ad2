import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { AuditAction } from '../audit/audit-actions.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import type { User } from '../people/people.entity.js';
import { UserRepository } from '../people/people.repository.js';
import { PersonSessionService } from '../sessions/person-session.service.js';
import { RecentProof } from '../sessions/proof.service.js';
import { SessionRepository } from '../sessions/session.repository.js';
import { AuthenticatorService } from './authenticator.service.js';
import { RecoveryCodeRepository, SignInPolicyRepository } from './factor.repository.js';
import { FactorNoticeService } from './factor-notice.service.js';
import { PasskeyParts } from './passkey.service.js';
import type { AuthenticatorView, MfaSettingsView } from './sign-in.dto.js';
import { ReauthenticationService, wrongPassword } from './step-up.service.js';

@Injectable()
export class MfaSettingsService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly reauthentication: ReauthenticationService,
    private readonly authenticators: AuthenticatorService,
    private readonly recoveryCodes: RecoveryCodeRepository,
    private readonly policies: SignInPolicyRepository,
    private readonly proof: RecentProof,
    private readonly sessions: SessionRepository,
    private readonly ofPerson: PersonSessionService,
    private readonly trail: AuditTrail,
    private readonly notices: FactorNoticeService,
    private readonly passkeys: PasskeyParts,
  ) {}

  async describe({ tenantId, userId }: Principal): Promise<MfaSettingsView> {
    return this.database.transaction(tenantId, async (tx) => {
      // Sent together: one round trip.
      const [user, authenticator, recoveryCodesLeft, policy] = await Promise.all([
        this.users.find(tx, userId),
        this.authenticators.isInUse(tx, userId),
        this.recoveryCodes.count(tx, userId),
        this.policies.get(tx),
      ]);
      const enabled = user?.mfaEnabled ?? false;
      return { enabled, authenticator, recoveryCodesLeft, required: policy === 'required' };
    });
  }

  /**
   * Turning it off needs that factor, or a passkey, in a recent proof: it is there for the day on which the password is
   * stolen.
   * @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED, STEP_UP_REQUIRED, CONFLICT
   */
  async setEnabled(principal: Principal, enabled: boolean, password: string | undefined): Promise<void> {
    const { userId } = principal;
    const checked = await this.reauthentication.checkPassword('mfa', principal, password);
    const speaksForPerson = await this.ofPerson.hasSecondFactor(principal);
    await this.database.transaction(principal, async (tx) => {
      // The user's row is held while both are read, as an enrolment does.
      const before = await this.users.lock(tx, userId);
      // What was right a moment ago counts no more when the password was changed in the meantime.
      if (before?.signInEpoch !== checked.signInEpoch) throw wrongPassword();
      const wasEnabled = before.mfaEnabled;
      if (before.passwordHash === null) await this.proof.assertWithin(tx, principal);
      if (!enabled) {
        await this.assertMayTurnOff(tx, userId);
        if (wasEnabled) await this.proof.assertWithin(tx, principal);
      } else if (!wasEnabled) {
        // By the password alone: such a proof must not turn the factor off again.
        await this.sessions.forgetProofs(tx, userId);
        if (!speaksForPerson) await this.forgetEarlier(tx, userId);
      }
      if (wasEnabled === enabled) return;
      await this.users.update(tx, userId, { mfaEnabled: enabled });
      await this.notices.send(tx, userId, { change: enabled ? 'second-factor-on' : 'second-factor-off' });
      this.record(tx, userId, enabled ? 'second_factor.enabled' : 'second_factor.disabled');
    });
  }

  /** @throws PlatformError STEP_UP_REQUIRED, CONFLICT while an authenticator is in use */
  async startEnrolment(principal: Principal): Promise<AuthenticatorView> {
    const { tenantId, userId } = principal;
    return this.database.transaction(tenantId, async (tx) => {
      const user = await this.lockProven(tx, principal);
      if (!user) throw new PlatformError('NOT_FOUND', 'User not found');
      return this.authenticators.start(tx, userId, user.email);
    });
  }

  /** @throws PlatformError STEP_UP_REQUIRED, INVALID_CREDENTIALS, CONFLICT when no enrolment was begun */
  async confirmEnrolment(principal: Principal, code: string): Promise<string[]> {
    const { userId } = principal;
    const session = await this.ofPerson.calling(principal, []);
    const personProven = session?.personProven === true && (await this.ofPerson.isFirstFactor(principal));
    return this.database.transaction(principal, async (tx) => {
      await this.lockProven(tx, principal);
      const codes = await this.authenticators.confirm(tx, userId, code, personProven);
      await this.users.update(tx, userId, { mfaEnabled: true });
      // In other sessions the password was enough for a proof until now; in this one the code has just been given.
      await this.sessions.forgetProofs(tx, userId, principal.sessionId);
      await this.notices.send(tx, userId, { change: 'authenticator-added' });
      this.record(tx, userId, 'authenticator.added');
      return codes;
    });
  }

  /** The second factor stays on, by mail. @throws PlatformError STEP_UP_REQUIRED, NOT_FOUND */
  async removeAuthenticator(principal: Principal): Promise<void> {
    const { userId } = principal;
    const speaksForPerson = await this.ofPerson.hasSecondFactor(principal);
    await this.database.transaction(principal, async (tx) => {
      await this.lockProven(tx, principal);
      const inUse = await this.authenticators.isInUse(tx, userId);
      const removed = await this.authenticators.remove(tx, userId);
      if (!removed) throw new PlatformError('NOT_FOUND', 'No authenticator app is set up');
      if (!inUse) return;
      if (!speaksForPerson) await this.forgetEarlier(tx, userId);
      await this.notices.send(tx, userId, { change: 'authenticator-removed' });
      this.record(tx, userId, 'authenticator.removed');
    });
  }

  /**
   * Codes by mail are the user's factor from now on, which speaks for the person: what was proven or added by the password alone,
   * while the person had their factor elsewhere, must not stand for it.
   */
  private async forgetEarlier(tx: TenantTransaction, userId: string): Promise<void> {
    await this.sessions.forgetProofs(tx, userId);
    await this.passkeys.removeAll(tx, userId);
  }

  async replaceRecoveryCodes(principal: Principal): Promise<string[]> {
    const { userId } = principal;
    return this.database.transaction(principal, async (tx) => {
      await this.lockProven(tx, principal);
      if (!(await this.authenticators.isInUse(tx, userId))) {
        throw new PlatformError('CONFLICT', 'Set up an authenticator app before you create recovery codes');
      }
      await this.notices.send(tx, userId, { change: 'recovery-codes-replaced' });
      this.record(tx, userId, 'recovery_codes.replaced');
      return this.authenticators.replaceRecoveryCodes(tx, userId);
    });
  }

  /** Held, so that no factor comes or goes after what ended the session. @throws PlatformError STEP_UP_REQUIRED */
  private async lockProven(tx: TenantTransaction, principal: Principal): Promise<User | null> {
    const user = await this.users.lock(tx, principal.userId);
    await this.proof.assertWithin(tx, principal);
    return user;
  }

  private record(tx: TenantTransaction, userId: string, action: AuditAction): void {
    this.trail.record(tx, { action, subject: { kind: 'user', id: userId } });
  }

  private async assertMayTurnOff(tx: TenantTransaction, userId: string): Promise<void> {
    if (await this.authenticators.isInUse(tx, userId)) {
      throw new PlatformError('CONFLICT', 'Remove the current authenticator app first');
    }
    if ((await this.policies.get(tx)) === 'required') {
      throw new PlatformError('CONFLICT', 'The workspace requires two-step verification');
    }
  }
}
