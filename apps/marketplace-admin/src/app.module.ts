import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import type { MarketplaceAdminConfig } from './config.js';
import { OperatorPasswordStrategy } from './session/operator-password.strategy.js';
import { SessionController } from './session/session.controller.js';
import { SubmissionController } from './submission/submission.controller.js';
import { TenantController } from './tenant/tenant.controller.js';

/** The operators' edge: it keeps nothing; identity and marketplace-certification decide, with the operator's own token. */
@Module({})
export class AppModule {
  static with(config: MarketplaceAdminConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [MessagingModule.forService({ config: config.service.nats })],
      controllers: [SessionController, SubmissionController, TenantController],
      providers: [OperatorPasswordStrategy],
    };
  }
}
