import { LimiterStore, MemoryLimiterStore } from '@crm/http';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { EMBED_GATEWAY_CONFIG, type EmbedGatewayConfig } from './config.js';
import { EmbedPageController } from './embed-page/embed-page.controller.js';
import { EmbedClientStrategy } from './embed-session/embed-client.strategy.js';
import { EmbedSessionController } from './embed-session/embed-session.controller.js';
import { MintLimit } from './embed-session/mint-limit.js';

/** The edge that host backends mint at and host pages frame. It keeps nothing but the count of failures. */
@Module({})
export class AppModule {
  static with(config: EmbedGatewayConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [MessagingModule.forService({ config: config.service.nats })],
      controllers: [EmbedPageController, EmbedSessionController],
      providers: [
        { provide: EMBED_GATEWAY_CONFIG, useValue: config },
        { provide: LimiterStore, useClass: MemoryLimiterStore },
        EmbedClientStrategy,
        MintLimit,
      ],
    };
  }
}
