import { type NarrowTransaction, newId, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { Mail } from './mail.entity.js';

export interface DueMail {
  tenantId: string;
  id: string;
  recipient: string;
  subject: string;
  body: string;
  /** Attempts that failed. */
  attempts: number;
}

@Injectable()
export class MailRepository {
  /** Puts a mail among those to send, in the transaction of what it tells about. */
  async insert(tx: TenantTransaction, mail: Pick<Mail, 'recipient' | 'subject' | 'body'>): Promise<void> {
    await tx.manager.insert(Mail, { ...mail, tenantId: tx.tenantId, id: newId() });
  }

  /**
   * Takes due mail for this sender alone: nobody else sees it due for the time of the lease.
   * @param leaseSeconds longer than sending one batch can take
   */
  async claimDue(tx: NarrowTransaction, limit: number, leaseSeconds: number): Promise<DueMail[]> {
    return tx.query<DueMail>(
      `UPDATE mail SET next_attempt_at = now() + make_interval(secs => $2)
       WHERE (tenant_id, id) IN (
         SELECT tenant_id, id FROM mail WHERE next_attempt_at <= now()
         ORDER BY next_attempt_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING tenant_id AS "tenantId", id, recipient, subject, body, attempts`,
      [limit, leaseSeconds],
    );
  }

  async deleteSent(tx: NarrowTransaction, mail: DueMail): Promise<void> {
    await tx.query('DELETE FROM mail WHERE tenant_id = $1 AND id = $2', [mail.tenantId, mail.id]);
  }

  async postpone(tx: NarrowTransaction, mail: DueMail, delaySeconds: number, error: string): Promise<void> {
    await tx.query(
      `UPDATE mail SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => $3), last_error = $4
       WHERE tenant_id = $1 AND id = $2`,
      [mail.tenantId, mail.id, delaySeconds, error],
    );
  }
}
