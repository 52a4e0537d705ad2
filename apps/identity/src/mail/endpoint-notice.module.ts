import { Module } from '@nestjs/common';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { MailModule } from './mail.module.js';
import { EndpointNoticeConsumer } from './endpoint-notice.consumer.js';
import { EndpointNoticeService } from './endpoint-notice.service.js';

/** Mail about webhook subscriptions that the platform has disabled. */
@Module({
  imports: [MailModule, TenantModule, UserModule],
  controllers: [EndpointNoticeConsumer],
  providers: [EndpointNoticeService],
})
export class EndpointNoticeModule {}
