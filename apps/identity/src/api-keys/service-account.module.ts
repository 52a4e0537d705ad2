import { Module } from '@nestjs/common';
import { TenantModule } from '../people/tenant.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { KeyIssueModule } from './key-issue.module.js';
import { ServiceAccountController } from './service-account.controller.js';
import { ServiceAccountRepository } from './service-account.repository.js';
import { ServiceAccountService } from './service-account.service.js';

/** Programs of a tenant that call with API keys. */
@Module({
  imports: [KeyIssueModule, SessionModule, TenantModule],
  controllers: [ServiceAccountController],
  providers: [ServiceAccountRepository, ServiceAccountService],
  exports: [KeyIssueModule, ServiceAccountRepository, ServiceAccountService, SessionModule],
})
export class ServiceAccountModule {}
