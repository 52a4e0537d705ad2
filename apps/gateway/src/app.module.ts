import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import type { GatewayConfig } from './config.js';
import { GatewayModule } from './gateway.module.js';

/** The gateway keeps no state: it reaches identity's keys and the cut-offs of tokens over messaging, nothing else. */
@Module({})
export class AppModule {
  static with(config: GatewayConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [MessagingModule.forService({ config: config.service.nats }), GatewayModule.with(config)],
    };
  }
}
