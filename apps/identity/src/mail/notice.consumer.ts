import { CONSUMERS, type EventEnvelope, rolesAllow } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { type EventContext, EventHandler } from '@crm/messaging';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import type { User } from '../people/people.entity.js';
import { TenantRepository } from '../people/tenant.repository.js';
import { MAX_NOTIFIED_ADMINISTRATORS, TenantService } from '../people/tenant.service.js';
import { UserRepository } from '../people/user.repository.js';
import type { NewMail } from './mail.repository.js';
import { MailService } from './mail.service.js';
import {
  type ChangedStatus,
  type DisabledEndpoint,
  endpointMail,
  statusMail,
  type Verdict,
  verdictMail,
} from './notice.mail.js';

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

  /** The one who submitted an app and the other administrators of the publisher learn what operators have decided. */
  @EventHandler(CONSUMERS.identity, ['submission.decided'])
  async onDecided(@Payload() event: EventEnvelope, @Ctx() { tx }: EventContext): Promise<void> {
    const verdict = event.data as Verdict;
    await this.tellAdministrators(
      tx,
      (email, workspace) => verdictMail(email, verdict, workspace, this.config.service.baseUrl),
      verdict.submittedBy,
    );
  }

  /** The administrators of a workspace learn what became of an app that it has. */
  @EventHandler(CONSUMERS.identity, ['app.status_changed'])
  async onStatusChanged(@Payload() event: EventEnvelope, @Ctx() { tx }: EventContext): Promise<void> {
    const changed = event.data as ChangedStatus;
    await this.tellAdministrators(tx, (email, workspace) =>
      statusMail(email, changed, workspace, this.config.service.baseUrl),
    );
  }

  private async tellAdministrators(
    tx: TenantTransaction,
    mailTo: (email: string, workspace: string) => NewMail,
    first?: string,
  ): Promise<void> {
    const tenant = await this.tenantRows.find(tx);
    // A workspace that is gone or closed has nobody to tell; one that nobody verified may have another person's address.
    if (!tenant?.verifiedAt || tenant.closedAt) return;
    for (const { email } of await this.users.holdAdministratorsToTell(tx, MAX_NOTIFIED_ADMINISTRATORS, first)) {
      await this.mails.queue(tx, tx.tenantId, mailTo(email, tenant.name));
    }
  }
}
