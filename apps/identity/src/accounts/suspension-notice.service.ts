import type { TenantDecision } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { MailService } from '../mail/mail.service.js';
import { MOST_TOLD } from '../people/most-told.js';
import type { Tenant } from '../people/tenant.entity.js';
import { UserRepository } from '../people/user.repository.js';
import { suspensionMail } from './suspension.mail.js';

/** Tells the administrators of a workspace that operators have suspended or reinstated it. */
@Injectable()
export class SuspensionNoticeService {
  constructor(
    private readonly users: UserRepository,
    private readonly mails: MailService,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /** Queues the mails in the transaction of the decision. Mail is sent while the workspace is suspended. */
  async send(tx: TenantTransaction, tenant: Tenant, decision: TenantDecision, reason: string): Promise<void> {
    // Its address may be that of somebody who has nothing to do with it.
    if (!tenant.verifiedAt) return;
    const mail = suspensionMail(decision, tenant.name, reason, this.config.service.baseUrl);
    for (const { email } of await this.users.holdAdministratorsToTell(tx, MOST_TOLD)) {
      await this.mails.queue(tx, tx.tenantId, { ...mail, recipient: email });
    }
  }
}
