import { Module } from '@nestjs/common';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { MailModule } from './mail.module.js';
import { VerdictConsumer } from './verdict.consumer.js';
import { VerdictService } from './verdict.service.js';

/** Mail about what operators decide on submissions and published apps. */
@Module({
  imports: [MailModule, TenantModule, UserModule],
  controllers: [VerdictConsumer],
  providers: [VerdictService],
})
export class VerdictModule {}
