import { type Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, inWorkspace, type NarrowTransaction, newId } from '@crm/database';
import { Limiter, LimiterStore } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail, userActor } from '../audit/audit-trail.service.js';
import { type RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { MailService } from '../mail/mail.service.js';
import { type Claimant, EmailClaimRepository, SignInEmailRepository } from '../people/email.repository.js';
import { type EmailClaim } from '../people/people.entity.js';
import { type NewTenant, type NewUser, TenantRepository } from '../people/people.repository.js';
import { normaliseEmail, UserService } from '../people/people.service.js';
import { assertKnown } from '../people/workspace-settings.js';
import { hashSecret, isSecret, newSecret } from '../secrets.js';
import { PasswordService } from '../sign-in/password.service.js';
import { type RegistrationInput } from './accounts.dto.js';
import { accountExistsMail, claimEndedMail, LINK_SECONDS, verificationMail } from './accounts.mail.js';

type BeginClaim = (tx: NarrowTransaction, claimant: Claimant) => Promise<void>;

/** Opens workspaces. The tenant, its owner, the claim of the address and the event commit together or not at all. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantRepository,
    private readonly users: UserService,
    private readonly passwords: PasswordService,
    private readonly claims: EmailClaimRepository,
    private readonly trail: AuditTrail,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * @param claim begins to verify the address, in the transaction: the outcome is then the same whether it has an
   * account
   * @throws PlatformError PLAN_NOT_ALLOWED, VALIDATION_FAILED, SERVICE_UNAVAILABLE, EMAIL_TAKEN without a claim
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
    const passwordKey = claim ? await this.passwords.claimKey(email, registration.password, origin.address) : null;
    await inWorkspace(this.database, { ...origin, tenantId: tenant.id }, async (tx) => {
      await this.tenants.insert(tx, tenant, { verified: !claim });
      if (claim) {
        await this.users.addClaimed(tx, tenant.id, user);
        await claim(tx, { tenantId: tenant.id, userId: user.id, email, passwordKey });
      } else {
        await this.users.add(tx, tenant.id, user);
        await this.claims.endOthers(tx, email, user.id);
      }
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
 * mailbox. Whoever registers beyond that uses the link in an earlier mail.
 */
export const MAILS_PER_HOUR = 20;
export const RESENDS_PER_HOUR = 5;

/** The address of a registration belongs to whoever proves first that they read its mail. */
@Injectable()
export class VerificationService {
  private readonly mailLimit: Limiter;
  private readonly resendMailLimit: Limiter;
  private readonly resendLimit: Limiter;

  constructor(
    private readonly database: Database,
    private readonly claims: EmailClaimRepository,
    private readonly emails: SignInEmailRepository,
    private readonly tenants: TenantRepository,
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

  /** @throws PlatformError CONFLICT when the address is verified, EMAIL_TAKEN, RATE_LIMITED */
  async resend({ tenantId, userId }: Principal): Promise<void> {
    const claim = await this.pending(tenantId, userId);
    await this.resendLimit.consume(userId);
    await this.resendMailLimit.consume(claim.email);
    await inWorkspace(this.database, tenantId, (tx) => this.ask(tx, claim));
  }

  /**
   * Session and token are both asked for: a click of the owner must not give the address to somebody else. Any link in the mailbox
   * proves that it is read, and the session says for whom.
   * @throws PlatformError INVALID_VERIFICATION, EMAIL_TAKEN, CONFLICT when it is verified already
   */
  async verify(principal: Principal, token: string): Promise<void> {
    const { tenantId, userId } = principal;
    const { email } = await this.pending(tenantId, userId);
    const outcome = await inWorkspace(this.database, principal, async (tx) => {
      const claims = await this.claims.lockAll(tx, email);
      const own = claims.find((claim) => claim.userId === userId);
      if (own?.lostAt) return 'taken';
      if (!own || !claims.some((claim) => isLink(claim, token))) return 'invalid';
      const holder = await this.emails.claim(tx, email, { tenantId, userId });
      if (holder.userId !== userId) return 'taken';
      await this.tenants.markVerified(tx, tenantId);
      this.trail.record(tx, { action: 'workspace.email_verified', subject: { kind: 'workspace', id: tenantId } });
      await this.claims.delete(tx, userId);
      const ended = await this.claims.endOthers(tx, email, userId);
      if (ended > 0) await this.mails.queue(tx, tenantId, claimEndedMail(email));
      return 'verified';
    });
    if (outcome === 'invalid') throw new PlatformError('INVALID_VERIFICATION');
    if (outcome === 'taken') throw taken();
  }

  private async pending(tenantId: string, userId: string): Promise<EmailClaim> {
    const claim = await inWorkspace(this.database, tenantId, (tx) => this.claims.find(tx, userId));
    if (!claim) throw new PlatformError('CONFLICT', 'There is no address that waits to be verified');
    if (claim.lostAt) throw taken();
    return claim;
  }

  /** Who has an account under the address learns it by mail; the caller does not. */
  private async ask(tx: NarrowTransaction, { tenantId, userId, email }: Claimant): Promise<void> {
    const secret = newSecret();
    await this.claims.replaceSecret(tx, userId, hashSecret(secret), LINK_SECONDS);
    const holder = await this.emails.find(tx, email);
    // A fragment reaches the page but not the log of a server.
    const link = `${this.config.service.baseUrl}/verify-email#token=${secret}`;
    await this.mails.queue(tx, tenantId, holder ? accountExistsMail(email) : verificationMail(email, link));
  }
}

const TOO_MANY_MAILS = 'Too many mails were sent to this address: the link in any of them verifies it';

const isLink = ({ secretHash, secretExpiresAt }: EmailClaim, token: string): boolean =>
  secretHash !== null && isSecret(secretHash, token) && (secretExpiresAt?.getTime() ?? 0) > Date.now();

const taken = () => new PlatformError('EMAIL_TAKEN', 'The address was verified for another workspace');
