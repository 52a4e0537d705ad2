import { LimitsModule } from '@crm/limits';
import { type DynamicModule, Module } from '@nestjs/common';
import { AccountPageModule } from './account-page/account-page.module.js';
import { ApiDocumentModule } from './api-document/api-document.module.js';
import type { GatewayConfig } from './config.js';
import { ConfigModule } from './config.module.js';
import { ProblemModule } from './problem/problem.module.js';
import { ProxyModule } from './proxy/proxy.module.js';

/** Everything of the gateway but its connection to NATS. */
@Module({})
export class GatewayModule {
  static with(config: GatewayConfig): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        ConfigModule.with(config),
        LimitsModule.forService(config.counting, config.service.name),
        AccountPageModule,
        ApiDocumentModule,
        ProblemModule,
        ProxyModule,
      ],
    };
  }
}
