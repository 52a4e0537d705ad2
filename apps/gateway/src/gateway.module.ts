import { type DynamicModule, Module } from '@nestjs/common';
import type { GatewayConfig } from './config.js';
import { MergedDocumentController } from './docs/merged-document.controller.js';
import { MergedDocument } from './docs/merged-document.js';
import { ProblemsController } from './docs/problems.controller.js';
import { GATEWAY_CONFIG } from './gateway.tokens.js';
import { RateLimits } from './limits/rate-limits.js';
import { ProxyService } from './proxy/proxy.service.js';
import { SecurityHeaders } from './security/security-headers.js';

/** Everything of the gateway but its connection to NATS. */
@Module({})
export class GatewayModule {
  static with(config: GatewayConfig): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [MergedDocumentController, ProblemsController],
      providers: [
        { provide: GATEWAY_CONFIG, useValue: config },
        SecurityHeaders,
        RateLimits,
        ProxyService,
        MergedDocument,
      ],
    };
  }
}
