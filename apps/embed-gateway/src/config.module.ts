import { type DynamicModule, Module } from '@nestjs/common';
import { EMBED_GATEWAY_CONFIG, type EmbedGatewayConfig } from './config.js';

/** The configuration, for every module of the service. */
@Module({})
export class ConfigModule {
  static with(config: EmbedGatewayConfig): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: EMBED_GATEWAY_CONFIG, useValue: config }],
      exports: [EMBED_GATEWAY_CONFIG],
    };
  }
}
