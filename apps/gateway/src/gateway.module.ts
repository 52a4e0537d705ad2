import { LimitsModule } from '@crm/limits';
import { type DynamicModule, Module } from '@nestjs/common';
import { AdmissionModule } from './admission/admission.module.js';
import type { ApiKeyIssuer } from './admission/key-tokens.js';
import { ApiDocumentModule } from './api-document/api-document.module.js';
import type { GatewayConfig } from './config.js';
import { ConfigModule } from './config.module.js';
import { AccountPageController, AccountPageService } from './pages/account-page.controller.js';
import { ProblemController } from './pages/problem.controller.js';
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
        AdmissionModule.with(keyIssuer),
        ApiDocumentModule,
        ProxyModule,
      ],
      controllers: [AccountPageController, ProblemController],
      providers: [AccountPageService],
    };
  }
}
