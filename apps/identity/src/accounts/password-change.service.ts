import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Limiter, LimiterStore } from '@crm/limits';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { MailService } from '../mail/mail.service.js';
import { TenantService } from '../people/tenant.service.js';
import { UserRepository } from '../people/user.repository.js';
import { SessionService } from '../sessions/session.service.js';
import { DeviceTokens } from '../sign-in/device-tokens.js';
import type { MfaRequired } from '../sign-in/mfa-request.service.js';
import { PasswordService } from '../sign-in/password.service.js';
import { PasswordPolicy } from '../sign-in/password-policy.service.js';
import { isMfaRequired, ReauthenticationService } from '../sign-in/step-up.service.js';
import { passwordChangedMail } from './accounts.mail.js';
import { PasswordResetRepository } from './accounts.repository.js';

export interface PasswordChange {
  currentPassword: string;
  newPassword: string;
  challengeId?: string;
  code?: string;
}

export interface PasswordChanged {
  deviceToken: string | undefined;
}

/** Calls of one user in 15 minutes: each costs up to two hashes and a look into the list of known passwords. */
export const CHANGES = { name: 'password-change', points: 20, windowSeconds: 15 * 60 };

@Injectable()
export class PasswordChangeService {
  private readonly limit: Limiter;

  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly tenants: TenantService,
    private readonly reauthentication: ReauthenticationService,
    private readonly passwords: PasswordService,
    private readonly policy: PasswordPolicy,
    private readonly resets: PasswordResetRepository,
    private readonly sessions: SessionService,
    private readonly mails: MailService,
    private readonly trail: AuditTrail,
    private readonly devices: DeviceTokens,
    limits: LimiterStore,
  ) {
    this.limit = new Limiter(limits, CHANGES, 'The password was changed too often');
  }

  /**
   * The session of the call stays; the others end.
   * @returns what a second call must answer, or the new token of the device
   * @throws PlatformError INVALID_CREDENTIALS, WEAK_PASSWORD, CONFLICT when it was changed in the meantime,
   * RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async change(principal: Principal, change: PasswordChange): Promise<MfaRequired | PasswordChanged> {
    const { tenantId, userId, sessionId } = principal;
    await this.limit.consume(userId);
    await this.assertAcceptable(principal, change);
    const proven = await this.reauthentication.prove(principal, { ...change, password: change.currentPassword });
    if (isMfaRequired(proven)) return proven;
    const passwordHash = await this.passwords.hash(change.newPassword, userId);
    const ended = await this.database.transaction(principal, async (tx) => {
      const user = await this.users.lock(tx, userId);
      if (user?.status !== 'active' || user.passwordHash !== proven.passwordHash) {
        throw new PlatformError('CONFLICT', 'The password was changed in the meantime');
      }
      await this.users.update(tx, userId, { passwordHash });
      await this.resets.deleteOfUser(tx, tenantId, userId);
      this.trail.record(tx, { action: 'password.changed', subject: { kind: 'user', id: userId } });
      await this.mails.queue(tx, tenantId, passwordChangedMail(user, HOW));
      return sessionId ? this.sessions.endOthersWithin(tx, userId, sessionId) : this.sessions.endAllWithin(tx, userId);
    });
    await this.sessions.forget(ended);
    return { deviceToken: this.devices.issue({ id: userId, passwordHash }) };
  }

  private async assertAcceptable({ tenantId, userId }: Principal, change: PasswordChange): Promise<void> {
    if (change.newPassword.normalize('NFC') === change.currentPassword.normalize('NFC')) {
      const detail = 'The new password must be another one';
      throw new PlatformError('WEAK_PASSWORD', detail, {
        errors: [{ pointer: '/newPassword', code: 'SAME_PASSWORD', detail }],
      });
    }
    const { user, workspace } = await this.database.transaction(tenantId, async (tx) => ({
      user: await this.users.find(tx, userId),
      workspace: (await this.tenants.view(tx)).name,
    }));
    if (!user) throw new PlatformError('NOT_FOUND', 'There is no such user');
    await this.policy.assertAcceptable(change.newPassword, { ...user, workspace }, '/newPassword');
  }
}

const HOW =
  'the password of your account was changed by somebody who knew the previous one. All other sessions have ended.';
