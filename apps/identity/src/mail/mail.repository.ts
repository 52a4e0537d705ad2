import { type NarrowTransaction, newId, type Room, secondsFromNow, type Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { Mail } from './mail.entity.js';
import { CLAIM_MAIL, RELEASE_MAIL } from './mail.sql.js';
import { MailSeal } from './mail-seal.js';

export interface NewMail extends Pick<Mail, 'recipient' | 'subject'> {
  /** Plain text. */
  body: string;
  /** Seconds after which the mail is no longer of use and is not sent. */
  validSeconds: number;
}

export interface DueMail extends Omit<Mail, 'nextAttemptAt' | 'expiresAt'> {
  /** When it was due before it was claimed. */
  dueAt: Date;
  /** Whether it has waited too long or is no longer of use. */
  expired: boolean;
}

/** A mail that no server accepts for three days is abandoned. A mail server's own queue tries for 4 to 5 (RFC 5321, 4.5.4.1). */
const MAX_WAIT_SECONDS = 3 * 24 * 3600;

@Injectable()
export class MailRepository {
  constructor(private readonly seal: MailSeal) {}

  /** Queues a mail in the transaction of the change that causes it. */
  async insert(tx: Transaction, tenantId: string, { validSeconds, body, ...mail }: NewMail): Promise<void> {
    const expiresAt = secondsFromNow(Math.min(validSeconds, MAX_WAIT_SECONDS));
    const id = newId();
    await tx.repository(Mail).insert({ tenantId, id, ...mail, sealedBody: this.seal.seal(id, body), expiresAt });
  }

  /**
   * Claims the mail that has been due longest. No other worker sees it as due until the lease ends.
   * @param room how many, and the tenants whose mail is left alone
   * @param leaseSeconds longer than sending a mail can take
   */
  async claimDue(tx: NarrowTransaction, room: Room, leaseSeconds: number): Promise<DueMail[]> {
    return tx.query<DueMail>(CLAIM_MAIL, [room.fullTenants, room.places, leaseSeconds]);
  }

  /** Releases claimed mail whose sending has not begun; it keeps its place in the queue. */
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

  async postpone(
    tx: NarrowTransaction,
    { tenantId, id }: DueMail,
    delaySeconds: number,
    lastError: string,
  ): Promise<void> {
    const nextAttemptAt = secondsFromNow(delaySeconds);
    await tx.repository(Mail).update({ tenantId, id }, { attempts: () => 'attempts + 1', nextAttemptAt, lastError });
  }
}
