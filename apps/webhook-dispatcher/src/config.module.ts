import { type DynamicModule, Module } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from './config.js';

/** The configuration, for every module of the service. */
@Module({})
export class ConfigModule {
  static with(config: WebhookConfig): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: WEBHOOK_CONFIG, useValue: config }],
      exports: [WEBHOOK_CONFIG],
    };
  }
}
