import type { TenantTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { MOST_TOLD } from '../people/most-told.js';
import { TenantRepository } from '../people/tenant.repository.js';
import { UserRepository } from '../people/user.repository.js';
import { MailService } from './mail.service.js';
import { type Verdict, verdictMail } from './verdict.mail.js';

/**
 * Tells the developers of an app what operators have decided about it: whoever submitted it and the other administrators of
 * the publisher, as far as they may read the verdict there when they are told.
 */
@Injectable()
export class VerdictService {
  constructor(
    private readonly tenants: TenantRepository,
    private readonly users: UserRepository,
    private readonly mails: MailService,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /** Queues the mails in the transaction that records the event as handled. */
  async send(tx: TenantTransaction, verdict: Verdict): Promise<void> {
    const tenant = await this.tenants.find(tx);
    // A workspace that is gone or closed has nobody to tell; one that nobody verified may have another person's address.
    if (!tenant?.verifiedAt || tenant.closedAt) return;
    const mail = verdictMail(verdict, tenant.name, this.config.service.baseUrl);
    for (const { email } of await this.users.holdAdministratorsToTell(tx, MOST_TOLD, verdict.submittedBy)) {
      await this.mails.queue(tx, tx.tenantId, { ...mail, recipient: email });
    }
  }
}
