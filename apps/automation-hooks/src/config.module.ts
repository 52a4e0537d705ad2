import { type DynamicModule, Module } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from './config.js';

/** The configuration, for every module of the service. */
@Module({})
export class ConfigModule {
  static with(config: AutomationsConfig): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: AUTOMATIONS_CONFIG, useValue: config }],
      exports: [AUTOMATIONS_CONFIG],
    };
  }
}
