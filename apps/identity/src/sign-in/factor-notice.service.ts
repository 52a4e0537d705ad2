import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { MailService } from '../mail/mail.service.js';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { type FactorNotice, factorNotice } from './factor-notice.mail.js';
import { FIND_ACCOUNT_EMAIL } from './factor-notice.sql.js';

/** Tells users and operators by mail what happens to the factors with which they sign in. */
@Injectable()
export class FactorNoticeService {
  constructor(private readonly mails: MailService) {}

  /** Queues the mail in the transaction of what it tells. */
  async send(tx: TenantTransaction, userId: string, notice: FactorNotice): Promise<void> {
    const [account] = await tx.query<{ email: string }>(FIND_ACCOUNT_EMAIL, [tx.tenantId, userId]);
    if (!account) return;
    const holder = tx.tenantId === PLATFORM_TENANT ? 'operators' : 'users';
    await this.mails.queue(tx, tx.tenantId, factorNotice(account.email, notice, holder));
  }
}
