import { Database, DueWorkMeter } from '@crm/database';
import { Module } from '@nestjs/common';
import { PeopleModule } from '../people/people.module.js';
import { EndpointNoticeConsumer } from './endpoint-notice.consumer.js';
import { EndpointNoticeService } from './endpoint-notice.service.js';
import { MailRepository } from './mail.repository.js';
import { MailService } from './mail.service.js';
import { MEASURE_DUE_MAIL } from './mail.sql.js';
import { MailWorker } from './mail.worker.js';
import { MailSeal } from './mail-seal.js';
import { VerdictConsumer } from './verdict.consumer.js';
import { VerdictService } from './verdict.service.js';

const DUE_MAIL_METER = Symbol('identity:due-mail-meter');

@Module({
  imports: [PeopleModule],
  controllers: [EndpointNoticeConsumer, VerdictConsumer],
  providers: [
    EndpointNoticeService,
    MailRepository,
    MailSeal,
    MailService,
    MailWorker,
    {
      provide: DUE_MAIL_METER,
      useFactory: (database: Database) => new DueWorkMeter(database, 'mail', MEASURE_DUE_MAIL),
      inject: [Database],
    },
    VerdictService,
  ],
  exports: [MailService],
})
export class MailModule {}
