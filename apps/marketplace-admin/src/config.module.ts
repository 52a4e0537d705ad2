import { type DynamicModule, Module } from '@nestjs/common';
import { MARKETPLACE_ADMIN_CONFIG, type MarketplaceAdminConfig } from './config.js';

/** The configuration, for every module of the service. */
@Module({})
export class ConfigModule {
  static with(config: MarketplaceAdminConfig): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: MARKETPLACE_ADMIN_CONFIG, useValue: config }],
      exports: [MARKETPLACE_ADMIN_CONFIG],
    };
  }
}
