import { type NarrowTransaction, newId, type Queryable } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** A mail that waits to be sent. Its row is deleted once the mail server has taken it: bodies carry one-time secrets. */
export interface NewMail {
  recipient: string;
  subject: string;
  /** Plain text. */
  body: string;
}

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
  async insert(tx: Queryable, tenantId: string, mail: NewMail): Promise<void> {
    await tx.query('INSERT INTO mail (tenant_id, id, recipient, subject, body) VALUES ($1, $2, $3, $4, $5)', [
      tenantId,
      newId(),
      mail.recipient,
      mail.subject,
      mail.body,
    ]);
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
