import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, inWorkspace, type NarrowTransaction, newId } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import type { AuditAction } from '../audit/audit-actions.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { MailService } from '../mail/mail.service.js';
import { type HeldUser, UserRepository } from '../people/people.repository.js';
import { MAX_NOTIFIED_ADMINISTRATORS } from '../people/people.service.js';
import { AccessRemovalService } from '../sessions/access-removal.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { IdentityProviderService } from './identity-provider.service.js';
import type { IdentityProvider, ProviderLinkRequest } from './single-sign-on.entity.js';
import { firstSignInMail, linkRequestMail } from './single-sign-on.mail.js';
import { LinkRequestRepository, ProviderLinkRepository, type Subject } from './single-sign-on.repository.js';

/** Whom a provider presents with the address of a user whom it has known as someone else. */
export interface Newcomer {
  readonly email: string;
  /** The provider's own spelling. */
  readonly name: string | null;
  readonly userId: string;
}

/**
 * An address that the organisation has given to someone else does not make them the user who had it: issuer and `sub`
 * identify (OpenID Connect Core, section 5.7). An owner decides.
 */
@Injectable()
export class LinkRequestService {
  constructor(
    private readonly database: Database,
    private readonly requests: LinkRequestRepository,
    private readonly links: ProviderLinkRepository,
    private readonly providers: IdentityProviderService,
    private readonly users: UserRepository,
    private readonly accesses: AccessRemovalService,
    private readonly revocations: RevocationService,
    private readonly mails: MailService,
    private readonly trail: AuditTrail,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * Within a sign-in that holds the person at the provider and the user.
   * @returns what became of the request that this or an earlier sign-in has made; `untold`: owners have yet to be told
   */
  async ask(
    tx: NarrowTransaction,
    provider: IdentityProvider,
    person: Subject,
    { email, name, userId }: Newcomer,
  ): Promise<'untold' | 'told' | 'denied'> {
    const known = await this.requests.find(tx, person, provider.id);
    if (known?.userId === userId && known.email === email) {
      if (known.deniedAt !== null) return 'denied';
      return known.toldAt === null ? 'untold' : 'told';
    }
    await this.requests.insert(tx, { ...person, id: newId(), providerId: provider.id, email, name, userId });
    const subject = { kind: 'user', id: userId } as const;
    this.trail.record(tx, { action: 'provider_link.requested', subject, detail: { providerId: provider.id } });
    return 'untold';
  }

  /** Tells those who can decide. */
  async tell({ tenantId, name }: IdentityProvider, person: Subject, address: string): Promise<void> {
    const page = `${this.config.service.baseUrl}/settings/people`;
    await this.database.transaction(tenantId, async (tx) => {
      if (!(await this.requests.markTold(tx, person))) return;
      for (const { email, roles } of await this.users.holdAdministratorsToTell(tx, MAX_NOTIFIED_ADMINISTRATORS)) {
        if (!roles.includes('owner')) continue;
        await this.mails.queue(tx, tenantId, linkRequestMail(email, name, address, page));
      }
    });
  }

  /** Anyone who is linked waits no more. */
  async forget(tx: NarrowTransaction, person: Subject): Promise<void> {
    await this.requests.deleteOf(tx, person);
  }

  /** @throws PlatformError NOT_FOUND */
  async list({ tenantId }: Principal, providerId: string): Promise<ProviderLinkRequest[]> {
    await this.providers.get(tenantId, providerId);
    return this.database.transaction(tenantId, (tx) => this.requests.list(tx, providerId));
  }

  /**
   * They are the user from now on, in place of the one whom the provider has known as the user: what these have opened ends.
   * @throws PlatformError NOT_FOUND; CONFLICT when the user is no longer one who has the address
   */
  async approve(principal: Principal, providerId: string, id: string): Promise<void> {
    const { name: provider } = await this.providers.get(principal.tenantId, providerId);
    await this.decide(principal, { providerId, id, action: 'provider_link.approved' }, async (tx, request, user) => {
      if (user?.email !== request.email || user.status === 'disabled') {
        throw new PlatformError('CONFLICT', "The user's address has changed since, or the user is disabled");
      }
      await this.links.unlink(tx, request, user.id);
      await this.links.insert(tx, subjectOf(request), user.id);
      await this.requests.deleteOf(tx, subjectOf(request));
      await this.accesses.signOut(tx, { tenantId: request.tenantId, userId: user.id });
      await this.mails.queue(tx, request.tenantId, firstSignInMail(user.email, provider, false));
    });
    await this.revocations.publishPending();
  }

  /** Their sign-ins are refused for the rest of the seven days. @throws PlatformError NOT_FOUND */
  async deny(principal: Principal, providerId: string, id: string): Promise<void> {
    await this.decide(principal, { providerId, id, action: 'provider_link.denied' }, (tx, request) =>
      this.requests.deny(tx, request),
    );
  }

  private async decide(
    principal: Principal,
    { providerId, id, action }: { providerId: string; id: string; action: AuditAction },
    decision: (tx: NarrowTransaction, request: ProviderLinkRequest, user: HeldUser | null) => Promise<void>,
  ): Promise<void> {
    const { tenantId } = principal;
    await inWorkspace(this.database, principal, async (tx) => {
      const asked = await this.requests.get(tx, { tenantId, providerId, id });
      // In the order of sign-ins, and of what ends requests with their user.
      if (asked) await this.links.lock(tx, asked);
      const user = asked && (await this.users.hold(tx, tenantId, asked.userId));
      const request = await this.requests.lock(tx, { tenantId, providerId, id });
      if (!request) throw new PlatformError('NOT_FOUND', 'Request not found');
      await decision(tx, request, user);
      this.trail.record(tx, {
        action,
        subject: { kind: 'user', id: request.userId },
        detail: { providerId, requestId: id },
      });
    });
  }
}

const subjectOf = ({ tenantId, issuer, sub }: ProviderLinkRequest): Subject => ({ tenantId, issuer, sub });
