import { Backoff, type Capacity, type Claimed, Database, Worker } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { type DueMail, MailRepository } from './mail.repository.js';
import { MailSeal } from './mail-seal.js';

interface SmtpError {
  responseCode?: number;
  response?: string;
  command?: string;
}

/** The commands whose refusal can concern this one mail. A refusal of others, such as AUTH or MAIL FROM, concerns the sender. */
const ABOUT_THE_MAIL: readonly (string | undefined)[] = ['RCPT TO', 'DATA'];

/** Enhanced codes (RFC 3463) for a recipient or content that will never be accepted. */
const MAIL_REFUSED = /^5\.(?:[126]\.\d+|3\.4)$/;

/** Enhanced codes for a refusal of the sender, which many servers postpone until the recipient is named. */
const SENDER_REFUSED = /^5\.(?:1\.[78]|7\.\d+)$/;

/** Replies that concern a mailbox (RFC 5321, 4.2.3) or its domain (RFC 7504), whatever text follows. */
const MAILBOX_REPLIES: readonly number[] = [550, 551, 552, 553, 556];

/** How a server without enhanced codes says that the settings of the sender are wrong. */
const CONCERNS_SENDER = /\b(?:relay|authenticat)/i;

/** No mail is lost while a relay is set up wrongly: a refusal of the sender does not count (RFC 5321, 4.2.1). */
export function isPermanentRefusal(error: unknown): boolean {
  const { responseCode = 0, response = '', command } = (error ?? {}) as SmtpError;
  if (responseCode < 500 || responseCode > 599 || !ABOUT_THE_MAIL.includes(command)) return false;
  const enhanced = /^\d{3}[ -](5\.\d{1,3}\.\d{1,3})(?!\S)/.exec(response)?.[1];
  if (enhanced !== undefined) {
    if (SENDER_REFUSED.test(enhanced)) return false;
    if (MAIL_REFUSED.test(enhanced)) return true;
  } else if (CONCERNS_SENDER.test(response)) {
    return false;
  }
  if (MAILBOX_REPLIES.includes(responseCode)) return true;
  // "Transaction failed": of the content when that was sent, and of anything before.
  return responseCode === 554 && command === 'DATA' && enhanced === undefined;
}

const LONGEST_PAUSE_MS = 1000;

const CONCURRENCY = 10;

/** Connecting, greeting and each command of the SMTP dialogue may take this long. */
const SMTP_TIMEOUT_MS = 10_000;

/** Longer than a mail whose every command runs into a timeout. */
const LEASE_SECONDS = 300;

/** Between attempts: 5, 10, 20 … seconds, at most an hour. */
const RETRY_BACKOFF = Backoff.doubling(5_000, 3_600_000);

/** A crash between sending and deleting sends a mail twice, which is better than not at all. */
@Injectable()
export class MailWorker extends Worker<DueMail> {
  private readonly transport;

  constructor(
    private readonly database: Database,
    private readonly mails: MailRepository,
    private readonly seal: MailSeal,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {
    super({ slots: CONCURRENCY, longestPauseMs: LONGEST_PAUSE_MS });
    this.transport = createTransport({
      url: config.smtpUrl,
      connectionTimeout: SMTP_TIMEOUT_MS,
      greetingTimeout: SMTP_TIMEOUT_MS,
      socketTimeout: SMTP_TIMEOUT_MS,
    });
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    this.transport.close();
  }

  protected async claim(capacity: Capacity): Promise<Claimed<DueMail>> {
    return { items: await this.database.crossTenant((tx) => this.mails.claimDue(tx, capacity, LEASE_SECONDS)) };
  }

  protected async release(mails: readonly DueMail[]): Promise<void> {
    await this.database.crossTenant((tx) => this.mails.release(tx, mails));
  }

  protected override describe({ tenantId, id }: DueMail): Record<string, unknown> {
    return { tenantId, mailId: id };
  }

  protected async work(mail: DueMail): Promise<void> {
    if (mail.expired) {
      await this.abandon(mail, mail.lastError ?? 'It expired before it could be sent');
      return;
    }
    try {
      await this.send(mail);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (isPermanentRefusal(error)) await this.abandon(mail, reason);
      else await this.postpone(mail, reason);
      return;
    }
    await this.database.crossTenant((tx) => this.mails.delete(tx, mail));
  }

  private async send(mail: DueMail): Promise<unknown> {
    return this.transport.sendMail({
      from: this.config.mailFrom,
      to: { name: '', address: mail.recipient },
      subject: mail.subject,
      text: this.seal.open(mail),
      // The same on every attempt, so that a mail client can show two copies as one.
      messageId: `<${mail.id}@${new URL(this.config.service.baseUrl).hostname}>`,
    });
  }

  private async postpone(mail: DueMail, reason: string): Promise<void> {
    const delaySeconds = RETRY_BACKOFF.delayMs(mail.attempts + 1) / 1000;
    this.logger.warn({ msg: 'A mail could not be sent; it will be retried', mailId: mail.id, reason, delaySeconds });
    await this.database.crossTenant((tx) => this.mails.postpone(tx, mail, delaySeconds, reason.slice(0, 500)));
  }

  private async abandon({ tenantId, id, ...mail }: DueMail, reason: string): Promise<void> {
    this.logger.error({ msg: 'A mail was abandoned', mailId: id, tenantId, attempts: mail.attempts, reason });
    await this.database.crossTenant((tx) => this.mails.delete(tx, { tenantId, id }));
  }
}
