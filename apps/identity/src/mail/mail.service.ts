import { type Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { canReceive } from '../people/people.entity.js';
import { MailRepository, type NewMail } from './mail.repository.js';
import { MailWorker } from './mail.worker.js';

@Injectable()
export class MailService {
  constructor(
    private readonly mails: MailRepository,
    private readonly worker: MailWorker,
  ) {}

  /** Nothing for a user without an address. */
  async queue(tx: Transaction, tenantId: string, mail: NewMail): Promise<void> {
    if (!canReceive(mail.recipient)) return;
    await this.mails.insert(tx, tenantId, mail);
    tx.afterCommit(() => this.worker.wake());
  }
}
