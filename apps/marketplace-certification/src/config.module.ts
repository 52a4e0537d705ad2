import { type DynamicModule, Global, Module } from '@nestjs/common';
import { RESOLVE_HOST, type ResolveHost } from './certification/host-lookups.js';
import { MARKETPLACE_CONFIG, type MarketplaceConfig } from './config.js';

@Global()
@Module({})
export class ConfigModule {
  static with(config: MarketplaceConfig, resolveHost: ResolveHost): DynamicModule {
    return {
      module: ConfigModule,
      providers: [
        { provide: MARKETPLACE_CONFIG, useValue: config },
        { provide: RESOLVE_HOST, useValue: resolveHost },
      ],
      exports: [MARKETPLACE_CONFIG, RESOLVE_HOST],
    };
  }
}
