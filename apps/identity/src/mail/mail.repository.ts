import { type NarrowTransaction, newId, type Queryable } from '@crm/database';
import type { Room } from '@crm/worker';
import { Injectable } from '@nestjs/common';

/** A mail that waits to be sent. */
export interface NewMail {
  recipient: string;
  subject: string;
  /** Plain text. */
  body: string;
  /** Seconds after which what it says is of no use any more; it is then not sent. */
  validSeconds: number;
}

export interface DueMail {
  tenantId: string;
  id: string;
  recipient: string;
  subject: string;
  body: string;
  /** Attempts that failed. */
  attempts: number;
  /** Why the last of them failed. */
  lastError: string | null;
  /** When it was due before it was claimed. */
  dueAt: Date;
  /** Whether it has waited too long or says what is no longer true. */
  expired: boolean;
}

/** A mail that no server takes for three days is given up. A mail server's own queue tries for 4 to 5 (RFC 5321, 4.5.4.1). */
const MAX_WAIT_SECONDS = 3 * 24 * 3600;

@Injectable()
export class MailRepository {
  /** Puts a mail among those to send, in the transaction of what it tells about. */
  async insert(tx: Queryable, tenantId: string, mail: NewMail): Promise<void> {
    await tx.query(
      `INSERT INTO mail (tenant_id, id, recipient, subject, body, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      [tenantId, newId(), mail.recipient, mail.subject, mail.body, Math.min(mail.validSeconds, MAX_WAIT_SECONDS)],
    );
  }

  /**
   * Takes the mail that is due longest for this sender alone: nobody else sees it due for the time of the lease.
   * @param room how many, and of which tenants none
   * @param leaseSeconds longer than sending a mail can take
   */
  async claimDue(tx: NarrowTransaction, room: Room, leaseSeconds: number): Promise<DueMail[]> {
    return tx.query<DueMail>(
      // Materialised: a plan that looks the choice up again for each row would take more than the limit.
      `WITH due AS MATERIALIZED (
         SELECT tenant_id, id, next_attempt_at FROM mail
          WHERE next_attempt_at <= now() AND tenant_id <> ALL ($1::uuid[])
          ORDER BY next_attempt_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       UPDATE mail SET next_attempt_at = now() + make_interval(secs => $3)
       FROM due WHERE mail.tenant_id = due.tenant_id AND mail.id = due.id
       RETURNING mail.tenant_id AS "tenantId", mail.id, recipient, subject, body, attempts, last_error AS "lastError",
         due.next_attempt_at AS "dueAt", expires_at <= now() AS expired`,
      [room.fullTenants, room.places, leaseSeconds],
    );
  }

  /** Gives back mail that was claimed and not begun; it keeps its place in the line. */
  async release(tx: NarrowTransaction, mails: readonly Pick<DueMail, 'tenantId' | 'id' | 'dueAt'>[]): Promise<void> {
    await tx.query(
      `UPDATE mail SET next_attempt_at = released.due_at
         FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS released (tenant_id, id, due_at)
        WHERE mail.tenant_id = released.tenant_id AND mail.id = released.id`,
      [mails.map((mail) => mail.tenantId), mails.map((mail) => mail.id), mails.map((mail) => mail.dueAt)],
    );
  }

  /** Removes a mail that was sent or given up: its body carries a one-time secret. */
  async delete(tx: NarrowTransaction, mail: Pick<DueMail, 'tenantId' | 'id'>): Promise<void> {
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
