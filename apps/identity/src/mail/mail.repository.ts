import {
  type Capacity,
  measureDueWork,
  type NarrowTransaction,
  newId,
  secondsFromNow,
  type Transaction,
} from '@crm/database';
import { Injectable } from '@nestjs/common';
import { Mail } from './mail.entity.js';
import { MailSeal } from './mail-seal.js';

/**
 * The choice is materialised: a plan that looks it up again for each row would take more than the limit.
 * $1: tenants whose mail is left alone, $2: at most so many, $3: seconds for which nobody else sees them as due.
 */
export const CLAIM_MAIL = `
  WITH due AS MATERIALIZED (
    SELECT tenant_id, id, next_attempt_at FROM mail
     WHERE next_attempt_at <= now() AND tenant_id <> ALL ($1::uuid[])
     ORDER BY next_attempt_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE mail SET next_attempt_at = now() + make_interval(secs => $3)
    FROM due WHERE mail.tenant_id = due.tenant_id AND mail.id = due.id
  RETURNING mail.tenant_id AS "tenantId", mail.id, recipient, subject, body,
    sealed_body AS "sealedBody", attempts, last_error AS "lastError",
    due.next_attempt_at AS "dueAt", expires_at <= now() AS expired`;

/** $1, $2, $3: tenants, ids and earlier due times of the mails, in threes. */
export const RELEASE_MAIL = `
  UPDATE mail SET next_attempt_at = released.due_at
    FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS released (tenant_id, id, due_at)
   WHERE mail.tenant_id = released.tenant_id AND mail.id = released.id`;

export const MEASURE_DUE_MAIL = measureDueWork('mail', 'next_attempt_at');

export interface NewMail extends Pick<Mail, 'recipient' | 'subject'> {
  body: string;
  /** Seconds after which the mail is no longer of use and is not sent. */
  validSeconds: number;
}

export interface DueMail extends Omit<Mail, 'nextAttemptAt' | 'expiresAt'> {
  dueAt: Date;
  /** True when it has waited too long or is no longer of use. */
  expired: boolean;
}

/** A mail that no server accepts for three days is abandoned. A mail server's own queue tries for 4 to 5 (RFC 5321, 4.5.4.1). */
const MAX_WAIT_SECONDS = 3 * 24 * 3600;

@Injectable()
export class MailRepository {
  constructor(private readonly seal: MailSeal) {}

  async insert(tx: Transaction, tenantId: string, { validSeconds, body, ...mail }: NewMail): Promise<void> {
    const expiresAt = secondsFromNow(Math.min(validSeconds, MAX_WAIT_SECONDS));
    const id = newId();
    await tx.repository(Mail).insert({ tenantId, id, ...mail, sealedBody: this.seal.seal(id, body), expiresAt });
  }

  /** @param capacity how many, and whose mail is left alone @param leaseSeconds longer than sending a mail can take */
  async claimDue(tx: NarrowTransaction, capacity: Capacity, leaseSeconds: number): Promise<DueMail[]> {
    return tx.query<DueMail>(CLAIM_MAIL, [capacity.fullTenants, capacity.slots, leaseSeconds]);
  }

  async release(tx: NarrowTransaction, mails: readonly Pick<DueMail, 'tenantId' | 'id' | 'dueAt'>[]): Promise<void> {
    await tx.query(RELEASE_MAIL, [
      mails.map((mail) => mail.tenantId),
      mails.map((mail) => mail.id),
      mails.map((mail) => mail.dueAt),
    ]);
  }

  /** Removes a mail that was sent or abandoned: its body carries a one-time secret. */
  async delete(tx: NarrowTransaction, { tenantId, id }: Pick<DueMail, 'tenantId' | 'id'>): Promise<void> {
    await tx.repository(Mail).delete({ tenantId, id });
  }

  async postpone(tx: NarrowTransaction, mail: DueMail, delaySeconds: number, lastError: string): Promise<void> {
    const { tenantId, id } = mail;
    const nextAttemptAt = secondsFromNow(delaySeconds);
    await tx.repository(Mail).update({ tenantId, id }, { attempts: () => 'attempts + 1', nextAttemptAt, lastError });
  }
}
