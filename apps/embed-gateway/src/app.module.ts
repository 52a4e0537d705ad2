import { LimitsModule } from '@crm/limits';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import type { EmbedGatewayConfig } from './config.js';
import { ConfigModule } from './config.module.js';
import { EmbedPageModule } from './embed-page/embed-page.module.js';
import { EmbedSessionModule } from './embed-session/embed-session.module.js';

/** The edge where host backends mint tokens and whose page hosts frame. Its only state is the count of failures. */
@Module({})
export class AppModule {
  static with(config: EmbedGatewayConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        MessagingModule.forService({ config: config.service.nats }),
        LimitsModule.forService(config.limits, config.service.name),
        EmbedPageModule,
        EmbedSessionModule,
      ],
    };
  }
}
