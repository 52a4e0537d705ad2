import { PROXY_CONFIG, type ProxyConfig } from '@crm/runtime/proxy';
import { type DynamicModule, Module } from '@nestjs/common';

/** The configuration, for every module of the service. */
@Module({})
export class ConfigModule {
  static with(config: ProxyConfig): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: PROXY_CONFIG, useValue: config }],
      exports: [PROXY_CONFIG],
    };
  }
}
