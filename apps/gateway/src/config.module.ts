import { PROXY_CONFIG } from '@crm/runtime/proxy';
import { type DynamicModule, Module } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from './config.js';

/** The configuration, for every module of the service. */
@Module({})
export class ConfigModule {
  static with(config: GatewayConfig): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [GATEWAY_CONFIG, PROXY_CONFIG].map((provide) => ({ provide, useValue: config })),
      exports: [GATEWAY_CONFIG, PROXY_CONFIG],
    };
  }
}
