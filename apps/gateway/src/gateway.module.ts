import { LimitsModule } from '@crm/limits';
import { type DynamicModule, Module } from '@nestjs/common';
import { AccountPageModule } from './account-page/account-page.module.js';
import { ApiDocumentModule } from './api-document/api-document.module.js';
import { ApiKeyModule } from './api-keys/api-key.module.js';
import type { ApiKeyIssuer } from './api-keys/api-key-issuer.js';
import type { GatewayConfig } from './config.js';
import { ConfigModule } from './config.module.js';
import { ProblemModule } from './problem/problem.module.js';
import { ProxyModule } from './proxy/proxy.module.js';

/** Everything of the gateway but its connection to NATS. */
@Module({})
export class GatewayModule {
  /** @param keyIssuer where API keys are exchanged; default: identity, over the connection */
  static with(config: GatewayConfig, keyIssuer?: ApiKeyIssuer): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        ConfigModule.with(config),
        LimitsModule.forService(config.counting, config.service.name),
        AccountPageModule,
        ApiDocumentModule,
        ApiKeyModule.with(keyIssuer),
        ProblemModule,
        ProxyModule,
      ],
    };
  }
}
