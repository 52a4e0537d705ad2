import { LimitsModule } from '@crm/limits';
import { DOCUMENT_SOURCES, type DocumentSources, MergedDocument, PROXY_CONFIG } from '@crm/runtime/proxy';
import { type DynamicModule, Module } from '@nestjs/common';
import { AdmissionModule } from './admission/admission.module.js';
import type { ApiKeyIssuer } from './admission/api-key.service.js';
import { GATEWAY_CONFIG, type GatewayConfig } from './config.js';
import { ApiDocumentController } from './pages/api-document.controller.js';
import { ConsoleController, ConsoleService } from './pages/console.controller.js';
import { ProblemController } from './pages/problem.controller.js';
import { upstreamFor } from './routing/routing.js';

/** Everything of the gateway but its connection to NATS. */
@Module({})
export class GatewayModule {
  /** @param keyIssuer where API keys are exchanged; default: identity, over the connection */
  static with(config: GatewayConfig, keyIssuer?: ApiKeyIssuer): DynamicModule {
    const sources: DocumentSources = {
      title: 'CRM developer platform',
      serverUrl: config.service.baseUrl,
      path: '/api/openapi.json',
      belongs: (path, name) => upstreamFor(path) === name,
    };
    return {
      module: GatewayModule,
      // The configuration reaches every module of the service.
      global: true,
      imports: [LimitsModule.forService(config.counting, config.service.name), AdmissionModule.with(keyIssuer)],
      controllers: [ApiDocumentController, ConsoleController, ProblemController],
      providers: [
        ConsoleService,
        MergedDocument,
        { provide: DOCUMENT_SOURCES, useValue: sources },
        { provide: GATEWAY_CONFIG, useValue: config },
        { provide: PROXY_CONFIG, useValue: config },
      ],
      exports: [GATEWAY_CONFIG, PROXY_CONFIG],
    };
  }
}
