import { Database, inOtherTenant, inWorkspace, type TransactionOrigin } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { AuditDetail } from '../audit/audit-entry.entity.js';
import { AuditTrail, byUser } from '../audit/audit-trail.service.js';
import { MailService } from '../mail/mail.service.js';
import { EmailClaimRepository } from '../people/email-claim.repository.js';
import type { User } from '../people/people.entity.js';
import { PersonRepository } from '../people/person.repository.js';
import { UserRepository } from '../people/user.repository.js';
import { DomainService } from './domain.service.js';
import { LinkRequestRepository } from './link-request.repository.js';
import { ProviderLinkRepository } from './provider-link.repository.js';
import type { IdentityProvider } from './single-sign-on.entity.js';
import { followedMail } from './single-sign-on.mail.js';

/** Lets addresses of persons follow the provider of the workspace to whose domains they belong. */
@Injectable()
export class FollowedAddressService {
  constructor(
    private readonly database: Database,
    private readonly domains: DomainService,
    private readonly links: ProviderLinkRepository,
    private readonly requests: LinkRequestRepository,
    private readonly users: UserRepository,
    private readonly persons: PersonRepository,
    private readonly claims: EmailClaimRepository,
    private readonly mails: MailService,
    private readonly trail: AuditTrail,
  ) {}

  /**
   * Gives the person of a user another address of the workspace's domains in every workspace of theirs, unless it is someone
   * else's. The former one is free at once: the organisation may have given it to someone else.
   * @param email that the provider has verified, normalised
   */
  async follow(provider: IdentityProvider, user: User, email: string, origin: TransactionOrigin): Promise<void> {
    if (email === user.email) return;
    const { tenantId } = provider;
    await inWorkspace(this.database, origin, async (tx) => {
      if (!(await this.domains.covers(tx, tenantId, email))) return;
      // In one order, as changes by hand take them.
      for (const address of [user.email, email].sort()) await this.persons.holdAddress(tx, address);
      const personId = await this.persons.personOf(tx, user.id);
      const other = await this.persons.findAddress(tx, email);
      if (personId === undefined || (other && other.personId !== personId)) return;
      const members = await this.persons.memberships(tx, personId);
      for (const member of members) {
        const isFree = await inOtherTenant(tx, member.tenantId, async () => {
          const held = await this.users.hold(tx, member.tenantId, member.userId);
          return held?.email === user.email && !(await this.users.findByEmail(tx, member.tenantId, email));
        });
        if (!isFree) return;
      }
      await this.persons.moveAddress(tx, user.email, email, 0);
      await this.claims.endOthers(tx, email, user.id);
      for (const member of members) {
        const detail: AuditDetail = member.tenantId === tenantId ? { providerId: provider.id } : {};
        await inOtherTenant(tx, member.tenantId, async () => {
          await this.users.changeEmail(tx, member, email);
          await this.links.endMailedLinks(tx, member);
          this.trail.record(tx, byUser('email.changed', member.userId, detail));
        });
      }
      // Who waited to be the user has an address that is free.
      await this.requests.deleteOfUser(tx, { tenantId, userId: user.id });
      await this.mails.queue(tx, tenantId, followedMail(email, user.email, provider.name));
    });
  }
}
