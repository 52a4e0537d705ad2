import { Module } from '@nestjs/common';
import { MailRepository } from './mail.repository.js';
import { MailService } from './mail.service.js';
import { MailWorker } from './mail.worker.js';

/** Mail that waits in the database and is sent from there; others queue it. */
@Module({
  providers: [MailRepository, MailService, MailWorker],
  exports: [MailService],
})
export class MailModule {}
