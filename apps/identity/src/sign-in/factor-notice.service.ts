import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { MailService } from '../mail/mail.service.js';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { type FactorNotice, factorNotice } from './factor-notice.mail.js';

/** The address of an account: of a user, or of an operator in the platform's tenant. $1: tenant, $2: account. */
export const FIND_ACCOUNT_EMAIL = `
  SELECT email FROM app_user WHERE tenant_id = $1 AND id = $2
  UNION ALL
  SELECT email FROM operator WHERE tenant_id = $1 AND id = $2`;

@Injectable()
export class FactorNoticeService {
  constructor(private readonly mails: MailService) {}

  async send(tx: TenantTransaction, userId: string, notice: FactorNotice): Promise<void> {
    const [account] = await tx.query<{ email: string }>(FIND_ACCOUNT_EMAIL, [tx.tenantId, userId]);
    if (!account) return;
    const holder = tx.tenantId === PLATFORM_TENANT ? 'operators' : 'users';
    await this.mails.queue(tx, tx.tenantId, factorNotice(account.email, notice, holder));
  }
}
