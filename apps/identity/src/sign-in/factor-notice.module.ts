import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { FactorNoticeService } from './factor-notice.service.js';

/** Mails about changes of the factors of an account. */
@Module({ imports: [MailModule], providers: [FactorNoticeService], exports: [FactorNoticeService] })
export class FactorNoticeModule {}
