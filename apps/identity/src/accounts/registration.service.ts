import { type Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, inWorkspace, type NarrowTransaction, newId } from '@crm/database';
import { Limiter, LimiterStore } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail, userActor } from '../audit/audit-trail.service.js';
import { type RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { MailService } from '../mail/mail.service.js';
import { type Claimant, EmailClaimRepository } from '../people/email.repository.js';
import { type EmailClaim } from '../people/people.entity.js';
import { type NewTenant, type NewUser, TenantRepository } from '../people/people.repository.js';
import { normaliseEmail, UserService } from '../people/people.service.js';
import { PersonRepository } from '../people/person.repository.js';
import { PersonService } from '../people/person.service.js';
import { assertKnown } from '../people/workspace-settings.js';
import { hashSecret, isSecret, newSecret } from '../secrets.js';
import { PasswordService } from '../sign-in/password.service.js';
import { type RegistrationInput } from './accounts.dto.js';
import { LINK_SECONDS, verificationMail } from './accounts.mail.js';
import { InvitationService } from './invitation.service.js';

type BeginClaim = (tx: NarrowTransaction, claimant: Claimant) => Promise<void>;

/** Opens workspaces. The tenant, its owner, their local account and the event commit together or not at all. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantRepository,
    private readonly users: UserService,
    private readonly passwords: PasswordService,
    private readonly persons: PersonRepository,
    private readonly people: PersonService,
    private readonly trail: AuditTrail,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * The outcome and the work are the same whether the address has an account.
   * @param claim begins to verify the address, in the transaction; without it the workspace counts as verified, and so does an
   * address that nobody has proven
   * @throws PlatformError PLAN_NOT_ALLOWED, VALIDATION_FAILED, SERVICE_UNAVAILABLE
   */
  async register(
    registration: RegistrationInput,
    origin: Partial<RequestOrigin> = {},
    claim?: BeginClaim,
  ): Promise<{ user: NewUser; tenant: NewTenant }> {
    const { workspace } = registration;
    const plan = workspace.plan ?? 'developer';
    if (plan !== 'developer' && this.config.service.profile === 'production') {
      throw new PlatformError('PLAN_NOT_ALLOWED');
    }
    assertKnown(workspace, '/workspace');
    const email = normaliseEmail(registration.email);
    const tenant: NewTenant = {
      id: newId(),
      name: workspace.name.trim(),
      plan,
      timeZone: workspace.timeZone ?? 'UTC',
      country: workspace.country ?? null,
    };
    const user: NewUser = {
      id: newId(),
      email,
      name: registration.name.trim(),
      roles: ['owner'],
      status: 'active',
      origin: 'registration',
      passwordHash: await this.passwords.hash(registration.password, origin.address),
    };
    const passwordKey = await this.passwords.claimKey(email, registration.password, origin.address);
    await inWorkspace(this.database, { ...origin, tenantId: tenant.id }, async (tx) => {
      await this.tenants.insert(tx, tenant, { verified: !claim });
      await this.users.addLocal(tx, tenant.id, user, passwordKey);
      const holder = { tenantId: tenant.id, userId: user.id };
      if (claim) await claim(tx, { ...holder, email });
      else if (!(await this.persons.findAddress(tx, email))) await this.people.prove(tx, email, holder);
      this.trail.record(tx, {
        action: 'workspace.registered',
        actor: userActor(user.id),
        subject: { kind: 'workspace', id: tenant.id },
        detail: { plan, verified: !claim },
      });
    });
    return { user, tenant };
  }
}

/**
 * Most mails per hour to one address for registrations, and as many again for links that are asked for, so that nobody floods a
 * mailbox. Anyone who registers beyond that uses the link in an earlier mail.
 */
export const MAILS_PER_HOUR = 20;
export const RESENDS_PER_HOUR = 5;

/** The address of a registration belongs to anyone who proves that they read its mail. */
@Injectable()
export class VerificationService {
  private readonly mailLimit: Limiter;
  private readonly resendMailLimit: Limiter;
  private readonly resendLimit: Limiter;

  constructor(
    private readonly database: Database,
    private readonly claims: EmailClaimRepository,
    private readonly persons: PersonRepository,
    private readonly people: PersonService,
    private readonly invitations: InvitationService,
    private readonly mails: MailService,
    private readonly trail: AuditTrail,
    limits: LimiterStore,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {
    const limiter = (name: string, points: number) =>
      new Limiter(limits, { name, points, windowSeconds: 3600 }, TOO_MANY_MAILS);
    this.mailLimit = limiter('verification-mail', MAILS_PER_HOUR);
    this.resendMailLimit = limiter('verification-resend-mail', MAILS_PER_HOUR);
    this.resendLimit = limiter('verification-resend', RESENDS_PER_HOUR);
  }

  /** For a registration. The caller is not told whether a mail is sent: others may have registered with the address too. */
  async claim(email: string): Promise<BeginClaim> {
    const mayMail = await this.mailLimit.admits(email);
    return async (tx, claimant) => {
      await this.claims.insert(tx, claimant);
      if (mayMail) await this.ask(tx, claimant);
    };
  }

  /** @throws PlatformError CONFLICT when the address is verified, RATE_LIMITED */
  async resend({ tenantId, userId }: Principal): Promise<void> {
    const claim = await this.pending(tenantId, userId);
    await this.resendLimit.consume(userId);
    await this.resendMailLimit.consume(claim.email);
    await inWorkspace(this.database, tenantId, (tx) => this.ask(tx, claim));
  }

  /**
   * Session and token are both asked for: a click of the owner must not give the address to someone else. Any link in the mailbox
   * proves that it is read, and the session says for whom. A person who has the address is then in this workspace too, with
   * the password that they had.
   * @throws PlatformError INVALID_VERIFICATION, CONFLICT when it is verified already, or kept for the person who has given it up
   */
  async verify(principal: Principal, token: string): Promise<void> {
    const { tenantId, userId } = principal;
    const { email } = await this.pending(tenantId, userId);
    await inWorkspace(this.database, principal, async (tx) => {
      await this.persons.holdAddress(tx, email);
      const claims = await this.claims.lockAll(tx, email);
      const isOwn = claims.some((claim) => claim.userId === userId && !claim.lostAt);
      if (!isOwn || !claims.some((claim) => isLink(claim, token))) throw new PlatformError('INVALID_VERIFICATION');
      const known = await this.persons.findAddress(tx, email);
      if (known?.isReserved)
        throw new PlatformError('CONFLICT', 'This address is reserved for its previous owner for a few more days');
      await this.people.prove(tx, email, { tenantId, userId });
      this.trail.record(tx, { action: 'workspace.email_verified', subject: { kind: 'workspace', id: tenantId } });
    });
  }

  private async pending(tenantId: string, userId: string): Promise<EmailClaim> {
    const claim = await inWorkspace(this.database, tenantId, (tx) => this.claims.find(tx, userId));
    if (!claim) throw new PlatformError('CONFLICT', 'No address is waiting for verification');
    return claim;
  }

  /** Who has an account under the address learns it by mail; the caller does not. Nobody is mailed again about what they declined. */
  private async ask(tx: NarrowTransaction, claimant: Claimant): Promise<void> {
    const { tenantId, userId, email } = claimant;
    if ((await this.persons.findLocal(tx, userId))?.declinedAt) return;
    const secret = newSecret();
    const isPending = await this.claims.replaceSecret(tx, userId, hashSecret(secret), LINK_SECONDS);
    // Only a person can use it, but it is made for everyone: the work is the same.
    const offer = await this.invitations.renew(tx, claimant, LINK_SECONDS);
    const known = await this.persons.findAddress(tx, email);
    // A fragment reaches the page but not the log of a server.
    const link = `${this.config.service.baseUrl}/verify-email#token=${secret}`;
    const isOffered = known !== null && !known.isReserved;
    const mail = verificationMail(email, isPending ? link : undefined, isOffered ? offer : undefined);
    if (isPending || isOffered) await this.mails.queue(tx, tenantId, mail);
  }
}

const TOO_MANY_MAILS = 'Too many emails sent to this address. Use the link in any of them';

const isLink = ({ secretHash, secretExpiresAt }: EmailClaim, token: string): boolean =>
  secretHash !== null && isSecret(secretHash, token) && (secretExpiresAt?.getTime() ?? 0) > Date.now();
