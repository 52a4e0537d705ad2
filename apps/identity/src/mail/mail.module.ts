import { Database, DueWorkMeter } from '@crm/database';
import { Module } from '@nestjs/common';
import { PeopleModule } from '../people/people.module.js';
import { AfterResponse } from './after-response.service.js';
import { FactorNoticeService } from './factor-notice.service.js';
import { MailRepository, MEASURE_DUE_MAIL } from './mail.repository.js';
import { MailService } from './mail.service.js';
import { MailWorker } from './mail.worker.js';
import { MailSeal } from './mail-seal.js';
import { NoticeConsumer } from './notice.consumer.js';

const DUE_MAIL_METER = Symbol('identity:due-mail-meter');

@Module({
  imports: [PeopleModule],
  controllers: [NoticeConsumer],
  providers: [
    AfterResponse,
    FactorNoticeService,
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
  exports: [AfterResponse, FactorNoticeService, MailService],
})
export class MailModule {}
