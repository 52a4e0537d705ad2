import { Database } from '@crm/database';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { createTransport } from 'nodemailer';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { type DueMail, MailRepository } from './mail.repository.js';

const POLL_MS = 1000;
const BATCH = 10;
/** Connecting, greeting and each command of the SMTP dialogue may take this long. */
const SMTP_TIMEOUT_MS = 10_000;
/** Longer than a batch whose every mail runs into a timeout. */
const LEASE_SECONDS = 300;
const FIRST_DELAY_SECONDS = 5;
const MAX_DELAY_SECONDS = 3600;

/** Seconds until the next attempt: 5, 10, 20 … at most an hour. */
export function retryDelaySeconds(failedAttempts: number): number {
  return Math.min(FIRST_DELAY_SECONDS * 2 ** (failedAttempts - 1), MAX_DELAY_SECONDS);
}

/**
 * Sends the mail that waits in the database. A mail server that is down delays mail and loses none; a crash between
 * sending and deleting sends it twice, which is the better of the two mistakes.
 */
@Injectable()
export class MailSender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(MailSender.name);
  private readonly transport;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly mails: MailRepository,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {
    this.transport = createTransport({
      url: config.smtpUrl,
      connectionTimeout: SMTP_TIMEOUT_MS,
      greetingTimeout: SMTP_TIMEOUT_MS,
      socketTimeout: SMTP_TIMEOUT_MS,
    });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.wake(), POLL_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    await this.running;
    this.transport.close();
  }

  /** Looks for due mail now; called after a commit that added some. */
  wake(): void {
    if (!this.timer || this.running) return;
    this.running = this.sendDue().finally(() => {
      this.running = undefined;
    });
  }

  private async sendDue(): Promise<void> {
    try {
      const due = await this.database.crossTenant((tx) => this.mails.claimDue(tx, BATCH, LEASE_SECONDS));
      for (const mail of due) await this.send(mail);
    } catch (error) {
      this.logger.error({ msg: 'Waiting mail could not be read; it is tried again', err: error });
    }
  }

  private async send(mail: DueMail): Promise<void> {
    try {
      await this.transport.sendMail({
        from: this.config.mailFrom,
        to: { name: '', address: mail.recipient },
        subject: mail.subject,
        text: mail.body,
        // The same on every attempt, so that a mail client can show two copies as one.
        messageId: `<${mail.id}@${new URL(this.config.service.baseUrl).hostname}>`,
      });
      await this.database.crossTenant((tx) => this.mails.deleteSent(tx, mail));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const delay = retryDelaySeconds(mail.attempts + 1);
      this.logger.warn({ msg: 'A mail could not be sent; it is tried again', mailId: mail.id, reason, delay });
      await this.database.crossTenant((tx) => this.mails.postpone(tx, mail, delay, reason.slice(0, 500)));
    }
  }
}
