import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, inOtherTenant, inWorkspace, type NarrowTransaction, newId } from '@crm/database';
import { addressKey } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail, byUser } from '../audit/audit-trail.service.js';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { AfterResponse } from '../mail/after-response.service.js';
import { MailService } from '../mail/mail.service.js';
import { PasswordResetRepository } from '../password-changes/password-reset.repository.js';
import { normaliseEmail } from '../people/email-address.js';
import { EmailClaimRepository, type EmailHolder } from '../people/email-claim.repository.js';
import type { User } from '../people/people.entity.js';
import { PersonRepository } from '../people/person.repository.js';
import { TenantRepository } from '../people/tenant.repository.js';
import { UserRepository } from '../people/user.repository.js';
import type { MfaRequired } from '../second-factor/mfa-request.service.js';
import { isMfaRequired, ReauthenticationService } from '../second-factor/reauthentication.service.js';
import { hashSecret, isSecret, newSecret, packToken, unpackToken } from '../secrets.js';
import type { EmailChangeInput } from './email-change.dto.js';
import {
  addressTakenMail,
  CONFIRM_SECONDS,
  confirmationMail,
  emailChangedMail,
  UNDO_SECONDS,
} from './email-change.mail.js';
import { EmailChangeRepository } from './email-change.repository.js';
import { EmailChangeLimit } from './email-change-limit.js';

/** The change holds in every workspace of the person. */
@Injectable()
export class EmailChangeService {
  constructor(
    private readonly database: Database,
    private readonly changes: EmailChangeRepository,
    private readonly limit: EmailChangeLimit,
    private readonly users: UserRepository,
    private readonly persons: PersonRepository,
    private readonly tenants: TenantRepository,
    private readonly claims: EmailClaimRepository,
    private readonly resets: PasswordResetRepository,
    private readonly reauthentication: ReauthenticationService,
    private readonly mails: MailService,
    private readonly trail: AuditTrail,
    private readonly afterResponse: AfterResponse,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * Neither the outcome nor its time shows whether the new address has an account.
   * @returns what a second call must answer; undefined when the mail is on its way
   * @throws PlatformError EMAIL_NOT_VERIFIED, INVALID_CREDENTIALS, STEP_UP_REQUIRED, VALIDATION_FAILED, RATE_LIMITED
   */
  async request(principal: Principal, wanted: EmailChangeInput): Promise<MfaRequired | undefined> {
    await this.limit.requests.consume(principal.userId);
    const personId = await this.database.crossTenant((tx) => this.persons.personOf(tx, principal.userId));
    if (personId === undefined) {
      throw new PlatformError('EMAIL_NOT_VERIFIED', 'Verify your current address first by resetting your password');
    }
    const user = await this.reauthentication.proveForPerson(principal, wanted);
    if (isMfaRequired(user)) return user;
    const newEmail = normaliseEmail(wanted.email);
    if (newEmail === user.email) throw sameAddress();
    this.afterResponse.run('email change', () => this.store(principal, user, personId, newEmail));
    return undefined;
  }

  /** @throws PlatformError INVALID_EMAIL_CHANGE, EMAIL_TAKEN, SINGLE_SIGN_ON_REQUIRED, RATE_LIMITED */
  async confirm(token: string, origin: RequestOrigin): Promise<void> {
    const { tenantId, id, secret } = await this.take(token, origin.address);
    const undoSecret = newSecret();
    await inWorkspace(this.database, { ...origin, tenantId }, async (tx) => {
      const asked = await this.changes.find(tx, tenantId, id);
      if (!asked || !isSecret(asked.secretHash, secret)) throw invalidEmailChange();
      const { userId, oldEmail, newEmail } = asked;
      await this.holdAddresses(tx, [oldEmail, newEmail]);
      const personId = await this.persons.personOf(tx, userId);
      const users = personId === undefined ? [] : await this.persons.memberships(tx, personId);
      for (const each of users) {
        const held = await inOtherTenant(tx, each.tenantId, () => this.users.hold(tx, each.tenantId, each.userId));
        if (each.userId === userId && (held?.email !== oldEmail || held.status === 'disabled'))
          throw invalidEmailChange();
      }
      const change = await this.changes.lock(tx, tenantId, id);
      if (!change || change.confirmedAt || users.length === 0) throw invalidEmailChange();
      const known = await this.persons.findAddress(tx, newEmail);
      if (known && known.personId !== personId) throw new PlatformError('EMAIL_TAKEN');
      // An address that the person had before is still kept for them.
      await this.persons.moveAddress(tx, oldEmail, newEmail, UNDO_SECONDS);
      await this.claims.endOthers(tx, newEmail, userId);
      for (const each of users) await inOtherTenant(tx, each.tenantId, () => this.move(tx, each, newEmail));
      await this.changes.confirm(tx, change, hashSecret(undoSecret), UNDO_SECONDS);
      const link = `${this.config.service.baseUrl}/email-change/undo#token=${packToken(tenantId, id, undoSecret)}`;
      await this.mails.queue(tx, tenantId, emailChangedMail(oldEmail, newEmail, link));
    });
  }

  /** In one order, so that two changes cannot deadlock. */
  async holdAddresses(tx: NarrowTransaction, emails: readonly string[]): Promise<void> {
    for (const email of [...new Set(emails)].sort()) await this.persons.holdAddress(tx, email);
  }

  private async move(tx: NarrowTransaction, user: EmailHolder, newEmail: string): Promise<void> {
    const { tenantId, userId } = user;
    const other = await this.users.findByEmail(tx, tenantId, newEmail);
    if (other) {
      // Anyone who confirms is in the workspace, and can leave it or ask its administrators.
      const workspace = await this.tenants.findAsNarrow(tx, tenantId);
      throw new PlatformError(
        'EMAIL_TAKEN',
        `Another user of your workspace ${workspace?.name} already uses this address`,
      );
    }
    const neededProvider = await this.users.needsProvider(tx, tenantId, userId);
    await this.users.changeEmail(tx, user, newEmail);
    if (neededProvider && !(await this.users.needsProvider(tx, tenantId, userId))) {
      const workspace = await this.tenants.findAsNarrow(tx, tenantId);
      const detail = `Your workspace ${workspace?.name} requires single sign-on. Keep an address of one of its domains`;
      throw new PlatformError('SINGLE_SIGN_ON_REQUIRED', detail);
    }
    // They were sent to the old address.
    await this.resets.deleteOfUser(tx, tenantId, userId);
    this.trail.record(tx, byUser('email.changed', userId));
  }

  /** @throws PlatformError INVALID_EMAIL_CHANGE, RATE_LIMITED */
  async take(token: string, address: string): Promise<{ tenantId: string; id: string; secret: string }> {
    await this.limit.tokens.consume(addressKey(address));
    const presented = unpackToken(token);
    if (!presented) throw invalidEmailChange();
    return presented;
  }

  private async store(principal: Principal, user: User, personId: string, newEmail: string): Promise<void> {
    if (!(await this.limit.mails.admits(newEmail))) return;
    const { tenantId, id: userId, email: oldEmail } = user;
    const known = await this.database.crossTenant((tx) => this.persons.findAddress(tx, newEmail));
    const isTaken = known !== null && known.personId !== personId;
    const id = newId();
    const secret = newSecret();
    const change = { id, userId, oldEmail, newEmail, secretHash: hashSecret(secret) };
    const link = `${this.config.service.baseUrl}/email-change#token=${packToken(tenantId, id, secret)}`;
    await this.database.transaction(principal, async (tx) => {
      // No mail to an address of someone who was shut out between their proof and now.
      const current = await this.users.lock(tx, userId);
      if (current?.signInEpoch !== user.signInEpoch) return;
      // Neither the trail nor an export tells whether the address is taken: then nobody is sent the secret.
      this.trail.record(tx, { action: 'email.change_requested', subject: { kind: 'user', id: userId } });
      await this.changes.replacePending(tx, { ...change, validSeconds: CONFIRM_SECONDS });
      await this.mails.queue(tx, tenantId, isTaken ? addressTakenMail(newEmail) : confirmationMail(newEmail, link));
    });
  }
}

export const invalidEmailChange = () => new PlatformError('INVALID_EMAIL_CHANGE');

function sameAddress(): PlatformError {
  const detail = 'This is already the address';
  return new PlatformError('VALIDATION_FAILED', undefined, {
    errors: [{ pointer: '/email', code: 'SAME_EMAIL', detail }],
  });
}
