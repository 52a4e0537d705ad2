import type { Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { MailRepository, type NewMail } from './mail.repository.js';
import { MailWorker } from './mail.worker.js';

/** Takes mail that other nouns want sent. */
@Injectable()
export class MailService {
  constructor(
    private readonly mails: MailRepository,
    private readonly worker: MailWorker,
  ) {}

  /** Queues a mail in the transaction of the change that causes it. It is sent soon after the commit. */
  async queue(tx: Transaction, tenantId: string, mail: NewMail): Promise<void> {
    await this.mails.insert(tx, tenantId, mail);
    tx.afterCommit(() => this.worker.wake());
  }
}
