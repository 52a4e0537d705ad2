import { PlatformError } from '@crm/contracts';
import {
  Database,
  inOtherTenant,
  inWorkspace,
  type NarrowTransaction,
  newId,
  type TransactionOrigin,
} from '@crm/database';
import { addressKey } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail, byUser, SYSTEM } from '../audit/audit-trail.service.js';
import { type RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { DeviceTokens } from '../guesses/device-tokens.js';
import { InvitationService } from '../invitations/invitation.service.js';
import { AfterResponse } from '../mail/after-response.service.js';
import { MailService } from '../mail/mail.service.js';
import { PasskeyParts } from '../passkeys/passkey-parts.js';
import { PasswordService } from '../passwords/password.service.js';
import { PasswordPolicy } from '../passwords/password-policy.js';
import { normaliseEmail } from '../people/email-address.js';
import type { EmailHolder } from '../people/email-claim.repository.js';
import { type User } from '../people/people.entity.js';
import { PersonRepository } from '../people/person.repository.js';
import { PersonService } from '../people/person.service.js';
import { TenantService } from '../people/tenant.service.js';
import { UserRepository } from '../people/user.repository.js';
import { hashSecret, isSecret, newSecret, packToken, unpackToken } from '../secrets.js';
import { AccessRemovalService } from '../sessions/access-removal.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { type PasswordResetCompletionInput, type PasswordResetCompletionView } from './password-change.dto.js';
import {
  type AccountLink,
  chooseAccountMail,
  passwordChangedMail,
  RESET_SECONDS,
  resetMail,
} from './password-change.mail.js';
import { type NewPassword } from './password-change.service.js';
import { type PasswordReset } from './password-reset.entity.js';
import { PasswordResetRepository } from './password-reset.repository.js';
import { PasswordResetLimit } from './password-reset-limit.js';

/** Accounts of an address that one mail has links for. */
const MOST_LINKS = 10;

/**
 * A link proves the mailbox alone: the second factor of a person stays on. The first link that is used ends all of them, and
 * anyone who has used an account before its address was proven is shut out.
 */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly database: Database,
    private readonly resets: PasswordResetRepository,
    private readonly invitations: InvitationService,
    private readonly limit: PasswordResetLimit,
    private readonly users: UserRepository,
    private readonly persons: PersonRepository,
    private readonly people: PersonService,
    private readonly tenants: TenantService,
    private readonly passwords: PasswordService,
    private readonly policy: PasswordPolicy,
    private readonly accessRemoval: AccessRemovalService,
    private readonly revocations: RevocationService,
    private readonly mails: MailService,
    private readonly trail: AuditTrail,
    private readonly afterResponse: AfterResponse,
    private readonly devices: DeviceTokens,
    private readonly factors: PasskeyParts,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /** Neither outcome nor time shows whether there is an account. @throws PlatformError RATE_LIMITED, SERVICE_UNAVAILABLE */
  async request(email: string, origin: RequestOrigin): Promise<void> {
    await this.limit.requests.consume(addressKey(origin.address));
    this.afterResponse.run('password reset', async () => {
      const address = normaliseEmail(email);
      if (await this.limit.mails.admits(address)) await this.sendTo(address, origin);
    });
  }

  /** To the person who has the address; otherwise, for each account that has it, a link in one mail, or the invitation again. */
  async sendTo(email: string, origin: RequestOrigin): Promise<void> {
    const { personId, users } = await this.database.crossTenant(async (tx) => {
      const known = await this.persons.findAddress(tx, email);
      if (known?.isReserved) return { users: [] };
      if (!known) return { users: await this.persons.localsOf(tx, email) };
      return { personId: known.personId, users: await this.persons.memberships(tx, known.personId) };
    });
    const most = personId === undefined ? MOST_LINKS : 1;
    const links: AccountLink[] = [];
    let invited = 0;
    for (const { tenantId, userId } of users) {
      if (links.length + invited === most) break;
      await this.database.transaction({ ...origin, tenantId }, async (tx) => {
        const user = await this.users.lock(tx, userId);
        // The mail goes to nobody but who has asked.
        if (!user || user.email !== email) return;
        if (personId === undefined && user.status === 'invited') {
          invited += 1;
          await this.invitations.sendAgain(tx, user);
          return;
        }
        if (!canHavePassword(user)) return;
        const [id, secret] = [newId(), newSecret()];
        await this.resets.insert(tx, { id, userId, secretHash: hashSecret(secret), validSeconds: RESET_SECONDS });
        // A fragment reaches the page but not the log of a server.
        const link = `${this.config.service.baseUrl}/password-reset#token=${packToken(tenantId, id, secret)}`;
        links.push({ workspace: (await this.tenants.view(tx)).name, link });
        // A workspace with a local account learns nothing of the address: not even that nobody has proven it.
        if (personId === undefined) return;
        await this.mails.queue(tx, tenantId, resetMail(user, link));
        this.trail.record(tx, { ...byUser('password.reset_requested', userId), actor: SYSTEM });
      });
    }
    const [first] = users;
    if (personId !== undefined || !first || links.length === 0) return;
    await this.database.transaction(first.tenantId, (tx) =>
      this.mails.queue(tx, first.tenantId, chooseAccountMail(email, links)),
    );
  }

  /**
   * Nothing is hashed for a token that is not valid.
   * @returns with a token for the device: its holder gets in while others guess
   * @throws PlatformError INVALID_PASSWORD_RESET, WEAK_PASSWORD, CONFLICT while the workspace is being closed, RATE_LIMITED,
   * SERVICE_UNAVAILABLE
   */
  async complete(
    { token, password, removePasskeys = false }: PasswordResetCompletionInput,
    { address, ...more }: RequestOrigin,
  ): Promise<NewPassword & PasswordResetCompletionView> {
    await this.limit.completions.consume(addressKey(address));
    const presented = unpackToken(token);
    if (!presented) throw invalid();
    const { tenantId, id, secret } = presented;
    const origin = { address, ...more, tenantId };
    const { user, workspace } = await this.database.transaction(tenantId, async (tx) => {
      const reset = await this.resets.find(tx, tenantId, id);
      const found = reset && (await this.users.find(tx, reset.userId));
      return { user: assertValid(reset, secret, found), workspace: (await this.tenants.view(tx)).name };
    });
    await this.policy.assertAcceptable(password, { ...user, workspace });
    const passwordHash = await this.passwords.hash(password, address);
    const users = await inWorkspace(this.database, origin, async (tx) => {
      await this.persons.holdAddress(tx, user.email);
      // Who waited finds the link gone.
      const held = await this.users.hold(tx, tenantId, user.id);
      assertValid(await this.resets.find(tx, tenantId, id), secret, held && { ...user, ...held });
      if (held?.email !== user.email) throw invalid();
      return this.set(tx, user, passwordHash);
    });
    await this.revocations.publishPending();
    return {
      ...(await this.countPasskeys(origin, users, removePasskeys)),
      deviceToken: this.devices.issue({ id: user.id, passwordHash }),
    };
  }

  /** @returns the users whose password it is */
  private async set(tx: NarrowTransaction, user: User, passwordHash: string): Promise<EmailHolder[]> {
    const { tenantId, id: userId, email } = user;
    let personId = await this.persons.personOf(tx, userId);
    if (personId === undefined) {
      await this.accessRemoval.removeAccess(tx, { tenantId, userId });
      personId = await this.people.prove(tx, email, { tenantId, userId });
      // The links of the other accounts were for anyone who proves the address first.
      for (const local of await this.persons.localsOf(tx, email)) {
        await this.resets.deleteOfUser(tx, local.tenantId, local.userId);
      }
    }
    const users = await this.people.setPassword(tx, personId, passwordHash);
    // Where the person was last, a provider or a host may sign them in, and not the password.
    await this.persons.noteUse(tx, personId, { tenantId, userId });
    for (const each of users) await inOtherTenant(tx, each.tenantId, () => this.accessRemoval.signOut(tx, each));
    await this.mails.queue(tx, tenantId, passwordChangedMail(user, HOW_BY_MAIL));
    this.trail.record(tx, byUser('password.reset', userId));
    return users;
  }

  private async countPasskeys(origin: TransactionOrigin, users: readonly EmailHolder[], remove: boolean) {
    const counted = { passkeys: 0, passkeysRemoved: 0 };
    for (const { tenantId, userId } of users) {
      await this.database.transaction({ ...origin, tenantId }, async (tx) => {
        // Every change of what belongs to a user locks the user.
        await this.users.lock(tx, userId);
        const removed = remove ? await this.factors.removeAll(tx, userId) : [];
        for (const { name } of removed)
          await this.factors.notices.send(tx, userId, { change: 'passkey-removed', name });
        counted.passkeys += (await this.factors.passkeys.list(tx, userId)).length;
        counted.passkeysRemoved += removed.length;
      });
    }
    return counted;
  }
}

const HOW_BY_MAIL =
  'a new password was set for your account with a link from a mail. All your sessions have ended; sign in with the new password.';

const invalid = () => new PlatformError('INVALID_PASSWORD_RESET');

/** An invited user accepts the invitation instead, which is sent again; others are signed in by their host or their identity provider. */
const canHavePassword = ({ status, origin }: User): boolean =>
  status === 'active' && origin !== 'embed' && origin !== 'identity_provider';

function assertValid(reset: PasswordReset | null, secret: string, user: User | null): User {
  if (!reset || !isSecret(reset.secretHash, secret) || !user || !canHavePassword(user)) throw invalid();
  return user;
}
