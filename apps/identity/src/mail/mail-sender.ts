import { Database } from '@crm/database';
import { TenantShares } from '@crm/worker';
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
import { isRefusedForGood } from './smtp-refusal.js';

const POLL_MS = 1000;
/** Mails on their way at a time; of one tenant at most as many as places are free. */
const CONCURRENCY = 10;
/** Connecting, greeting and each command of the SMTP dialogue may take this long. */
const SMTP_TIMEOUT_MS = 10_000;
/** Longer than a mail whose every command runs into a timeout. */
const LEASE_SECONDS = 300;
const FIRST_DELAY_SECONDS = 5;
const MAX_DELAY_SECONDS = 3600;

/** Seconds until the next attempt: 5, 10, 20 … at most an hour. */
export function retryDelaySeconds(failedAttempts: number): number {
  return Math.min(FIRST_DELAY_SECONDS * 2 ** (failedAttempts - 1), MAX_DELAY_SECONDS);
}

/**
 * Sends the mail that waits in the database, several at a time, so that a slow one holds up no other. A mail server that
 * is down delays mail; a crash between sending and deleting sends it twice, which is the better of the two mistakes. What a
 * server refuses for good, what waited for three days, and what is no longer true, is given up and logged.
 */
@Injectable()
export class MailSender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(MailSender.name);
  private readonly transport;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private readonly shares = new TenantShares(CONCURRENCY);
  private readonly underWay = new Set<Promise<void>>();

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
    await this.looking;
    await Promise.all(this.underWay);
    this.transport.close();
  }

  /** Looks for due mail now; called after a commit that added some. */
  wake(): void {
    if (!this.timer || this.looking) return;
    this.looking = this.beginDue().finally(() => {
      this.looking = undefined;
    });
  }

  private async beginDue(): Promise<void> {
    try {
      while (this.timer && this.shares.free > 0) {
        const mail = await this.database.crossTenant((tx) =>
          this.mails.claimDue(tx, this.shares.full(), LEASE_SECONDS),
        );
        if (!mail) return;
        this.begin(mail);
      }
    } catch (error) {
      this.logger.error({ msg: 'Waiting mail could not be read; it is tried again', err: error });
    }
  }

  private begin(mail: DueMail): void {
    this.shares.begun(mail.tenantId);
    const sending = this.settle(mail)
      .catch((error: unknown) => {
        this.logger.error({
          msg: 'What came of a mail was not stored; it is tried again',
          mailId: mail.id,
          err: error,
        });
      })
      .finally(() => {
        this.shares.ended(mail.tenantId);
        this.underWay.delete(sending);
        this.wake();
      });
    this.underWay.add(sending);
  }

  /** Sends a mail and stores what came of it. */
  private async settle(mail: DueMail): Promise<void> {
    if (mail.expired) {
      await this.giveUp(mail, mail.lastError ?? 'It was due too late');
      return;
    }
    try {
      await this.send(mail);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (isRefusedForGood(error)) await this.giveUp(mail, reason);
      else await this.postpone(mail, reason);
      return;
    }
    await this.database.crossTenant((tx) => this.mails.delete(tx, mail));
  }

  private send(mail: DueMail): Promise<unknown> {
    return this.transport.sendMail({
      from: this.config.mailFrom,
      to: { name: '', address: mail.recipient },
      subject: mail.subject,
      text: mail.body,
      // The same on every attempt, so that a mail client can show two copies as one.
      messageId: `<${mail.id}@${new URL(this.config.service.baseUrl).hostname}>`,
    });
  }

  private async postpone(mail: DueMail, reason: string): Promise<void> {
    const delay = retryDelaySeconds(mail.attempts + 1);
    this.logger.warn({ msg: 'A mail could not be sent; it is tried again', mailId: mail.id, reason, delay });
    await this.database.crossTenant((tx) => this.mails.postpone(tx, mail, delay, reason.slice(0, 500)));
  }

  private async giveUp({ tenantId, id, ...mail }: DueMail, reason: string): Promise<void> {
    this.logger.error({ msg: 'A mail is given up', mailId: id, tenantId, attempts: mail.attempts, reason });
    await this.database.crossTenant((tx) => this.mails.delete(tx, { tenantId, id }));
  }
}
