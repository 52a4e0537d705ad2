import { rolesAllow } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import type { User } from '../people/people.entity.js';
import { TenantRepository, UserRepository } from '../people/people.repository.js';
import { MAX_NOTIFIED_ADMINISTRATORS, TenantService } from '../people/people.service.js';
import { MailService } from './mail.service.js';
import { type DisabledEndpoint, endpointMail, type Verdict, verdictMail } from './notice.mail.js';

/** Administrators who are told when nobody else can be. */
const MOST_RECIPIENTS = 20;

/** Queues the mails about an event in the transaction that records it as handled. */
@Injectable()
export class NoticeService {
  constructor(
    private readonly tenants: TenantService,
    private readonly tenantRows: TenantRepository,
    private readonly users: UserRepository,
    private readonly mails: MailService,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  async tellOfEndpoint(tx: TenantTransaction, endpoint: DisabledEndpoint): Promise<void> {
    const { name, verified } = await this.tenants.view(tx);
    // The address may be another person's, and the mail carries texts of the workspace.
    if (!verified) return;
    for (const user of await this.recipients(tx, endpoint.subscription.createdBy)) {
      await this.mails.queue(tx, tx.tenantId, endpointMail(user, endpoint, name, this.config.service.baseUrl));
    }
  }

  /** Who created it; when they can no longer do anything about it, the administrators. */
  private async recipients(tx: TenantTransaction, createdBy: string): Promise<Pick<User, 'email' | 'name'>[]> {
    const owner = await this.users.find(tx, createdBy);
    if (owner?.status === 'active' && rolesAllow(owner.roles, 'administer')) return [owner];
    return this.users.holdAdministratorsToTell(tx, MOST_RECIPIENTS);
  }

  /** Whoever submitted an app and the other administrators of the publisher learn what operators have decided. */
  async tellOfVerdict(tx: TenantTransaction, verdict: Verdict): Promise<void> {
    const tenant = await this.tenantRows.find(tx);
    // A workspace that is gone or closed has nobody to tell; one that nobody verified may have another person's address.
    if (!tenant?.verifiedAt || tenant.closedAt) return;
    const limit = MAX_NOTIFIED_ADMINISTRATORS;
    for (const { email } of await this.users.holdAdministratorsToTell(tx, limit, verdict.submittedBy)) {
      await this.mails.queue(tx, tx.tenantId, verdictMail(email, verdict, tenant.name, this.config.service.baseUrl));
    }
  }
}
