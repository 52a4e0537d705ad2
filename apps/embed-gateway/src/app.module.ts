import { LimitsModule } from '@crm/limits';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { EMBED_GATEWAY_CONFIG, type EmbedGatewayConfig } from './config.js';
import { EmbedModule } from './embed/embed.module.js';

/** The edge where host backends mint tokens and whose page hosts frame. Its only state is the count of failures. */
@Module({})
export class AppModule {
  static with(config: EmbedGatewayConfig): DynamicModule {
    return {
      module: AppModule,
      // The configuration reaches every module of the service.
      global: true,
      providers: [{ provide: EMBED_GATEWAY_CONFIG, useValue: config }],
      exports: [EMBED_GATEWAY_CONFIG],
      imports: [
        MessagingModule.forService({ config: config.service.nats }),
        LimitsModule.forService(config.limits, config.service.name),
        EmbedModule,
      ],
    };
  }
}
