import { CONSUMERS, type EventEnvelope, rolesAllow } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { type EventContext, EventHandler } from '@crm/messaging';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import type { User } from '../people/people.entity.js';
import { TenantRepository, UserRepository } from '../people/people.repository.js';
import { MAX_NOTIFIED_ADMINISTRATORS, TenantService } from '../people/people.service.js';
import { MailService } from './mail.service.js';
import { type DisabledEndpoint, endpointMail, type Verdict, verdictMail } from './notice.mail.js';

/** Administrators who are told when nobody else can be. */
const MOST_RECIPIENTS = 20;

/** Queues the mails about an event in the transaction that records it as handled. */
@Controller()
export class NoticeConsumer {
  constructor(
    private readonly tenants: TenantService,
    private readonly tenantRows: TenantRepository,
    private readonly users: UserRepository,
    private readonly mails: MailService,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  @EventHandler(CONSUMERS.identity, ['webhook.endpoint_disabled'])
  async onDisabled(@Payload() event: EventEnvelope, @Ctx() { tx }: EventContext): Promise<void> {
    const endpoint = event.data as DisabledEndpoint;
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
  @EventHandler(CONSUMERS.identity, ['submission.decided'])
  async onDecided(@Payload() event: EventEnvelope, @Ctx() { tx }: EventContext): Promise<void> {
    const verdict = event.data as Verdict;
    const tenant = await this.tenantRows.find(tx);
    // A workspace that is gone or closed has nobody to tell; one that nobody verified may have another person's address.
    if (!tenant?.verifiedAt || tenant.closedAt) return;
    const limit = MAX_NOTIFIED_ADMINISTRATORS;
    for (const { email } of await this.users.holdAdministratorsToTell(tx, limit, verdict.submittedBy)) {
      await this.mails.queue(tx, tx.tenantId, verdictMail(email, verdict, tenant.name, this.config.service.baseUrl));
    }
  }
}
