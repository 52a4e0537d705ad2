import { Module } from '@nestjs/common';
import { TenantModule } from '../accounts/tenant/tenant.module.js';
import { UserModule } from '../accounts/user/user.module.js';
import { MailModule } from '../mail/mail.module.js';
import { VerdictConsumer } from './verdict.consumer.js';
import { VerdictService } from './verdict.service.js';

/** Mail about what operators decide on submissions and published apps. */
@Module({
  imports: [MailModule, TenantModule, UserModule],
  controllers: [VerdictConsumer],
  providers: [VerdictService],
})
export class VerdictModule {}
