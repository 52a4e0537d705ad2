import { type Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, inOtherTenant, inWorkspace } from '@crm/database';
import { Limiter, LimiterStore } from '@crm/limits';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { DeviceTokens } from '../guesses/device-tokens.js';
import { MailService } from '../mail/mail.service.js';
import { PasswordService } from '../passwords/password.service.js';
import { assertAnother, PasswordPolicy } from '../passwords/password-policy.js';
import { PersonRepository } from '../people/person.repository.js';
import { PersonService } from '../people/person.service.js';
import { TenantService } from '../people/tenant.service.js';
import { UserRepository } from '../people/user.repository.js';
import { type MfaRequired } from '../second-factor/mfa-request.service.js';
import { isMfaRequired, ReauthenticationService } from '../second-factor/reauthentication.service.js';
import { AccessRemovalService } from '../sessions/access-removal.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { type PasswordChangeInput } from './password-change.dto.js';
import { passwordChangedMail } from './password-change.mail.js';

export interface NewPassword {
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
    private readonly persons: PersonRepository,
    private readonly people: PersonService,
    private readonly accessRemoval: AccessRemovalService,
    private readonly revocations: RevocationService,
    private readonly mails: MailService,
    private readonly trail: AuditTrail,
    private readonly devices: DeviceTokens,
    limits: LimiterStore,
  ) {
    this.limit = new Limiter(limits, CHANGES, 'Too many password changes. Try again later');
  }

  /**
   * In every workspace of a person. The session of the call stays; the others end.
   * @returns what a second call must answer, or the new token of the device
   * @throws PlatformError INVALID_CREDENTIALS, STEP_UP_REQUIRED, WEAK_PASSWORD, CONFLICT when it was changed in the meantime,
   * RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async change(principal: Principal, change: PasswordChangeInput): Promise<MfaRequired | NewPassword> {
    const { tenantId, userId, sessionId } = principal;
    await this.limit.consume(userId);
    const { email, isLocal } = await this.assertAcceptable(principal, change);
    const proven = await this.reauthentication.proveForPerson(principal, {
      ...change,
      password: change.currentPassword,
    });
    if (isMfaRequired(proven)) return proven;
    const passwordHash = await this.passwords.hash(change.newPassword, userId);
    const passwordKey = isLocal ? await this.passwords.claimKey(email, change.newPassword, userId) : undefined;
    await inWorkspace(this.database, principal, async (tx) => {
      await this.persons.holdAddress(tx, email);
      const user = await this.users.hold(tx, tenantId, userId);
      const isStillLocal = (await this.persons.personOf(tx, userId)) === undefined;
      if (
        isStillLocal !== isLocal ||
        user?.status !== 'active' ||
        user.passwordHash !== proven.passwordHash ||
        user.email !== email
      ) {
        throw new PlatformError('CONFLICT', 'The password has changed since. Try again');
      }
      const users = await this.people.setPasswordOf(tx, { tenantId, userId }, passwordHash, passwordKey);
      for (const each of users) {
        const keptId = each.userId === userId ? sessionId : undefined;
        await inOtherTenant(tx, each.tenantId, () => this.accessRemoval.signOut(tx, each, keptId));
      }
      this.trail.record(tx, { action: 'password.changed', subject: { kind: 'user', id: userId } });
      await this.mails.queue(tx, tenantId, passwordChangedMail(proven, HOW));
    });
    await this.revocations.publishPending();
    return { deviceToken: this.devices.issue({ id: userId, passwordHash }) };
  }

  private async assertAcceptable({ tenantId, userId }: Principal, change: PasswordChangeInput) {
    assertAnother(change.currentPassword, change.newPassword);
    const { user, tenant } = await this.database.transaction(tenantId, async (tx) => ({
      user: await this.users.get(tx, userId),
      tenant: await this.tenants.view(tx),
    }));
    await this.policy.assertAcceptable(change.newPassword, { ...user, workspace: tenant.name }, '/newPassword');
    const personId = await this.database.crossTenant((tx) => this.persons.personOf(tx, userId));
    return { email: user.email, isLocal: personId === undefined };
  }
}

const HOW =
  'the password of your account was changed by somebody who knew the previous one. All other sessions have ended.';
