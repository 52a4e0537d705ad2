import { LimitsModule } from '@crm/limits';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { AuditModule } from './audit/audit.module.js';
import type { MarketplaceAdminConfig } from './config.js';
import { ConfigModule } from './config.module.js';
import { ForwardingModule } from './forwarding/forwarding.module.js';

/**
 * The operators' edge. It has no state: identity and marketplace-certification decide, by the operator's own token. Over messaging
 * it gets the issuer's keys and the cut-offs of tokens.
 */
@Module({})
export class AppModule {
  static with(config: MarketplaceAdminConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        MessagingModule.forService({ config: config.service.nats }),
        LimitsModule.forService(config.limits, config.service.name),
        ForwardingModule,
        AuditModule,
      ],
    };
  }
}
