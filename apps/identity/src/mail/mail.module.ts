import { Database, DueWorkMeter } from '@crm/database';
import { Module } from '@nestjs/common';
import { MailRepository } from './mail.repository.js';
import { MailService } from './mail.service.js';
import { MEASURE_DUE_MAIL } from './mail.sql.js';
import { MailWorker } from './mail.worker.js';
import { MailSeal } from './mail-seal.js';

const DUE_MAIL_METER = Symbol('identity:due-mail-meter');

/** Mail that waits in the database and is sent from there; others queue it. */
@Module({
  providers: [
    MailRepository,
    MailSeal,
    MailService,
    MailWorker,
    {
      provide: DUE_MAIL_METER,
      useFactory: (database: Database) => new DueWorkMeter(database, 'mail', MEASURE_DUE_MAIL),
      inject: [Database],
    },
  ],
  exports: [MailService],
})
export class MailModule {}
