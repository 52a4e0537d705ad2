import { UpstreamClient, UpstreamConnector } from '@crm/runtime/proxy';
import { type DynamicModule, Module } from '@nestjs/common';
import { ApiKeyIssuer, ApiKeyService, IdentityApiKeyIssuer } from './api-key.service.js';
import { BodyBudget, CrossOriginService, ProxyService } from './proxy.service.js';
import { RateLimitService } from './rate-limit.service.js';

/** Decides which requests are forwarded, and forwards them. */
@Module({})
export class AdmissionModule {
  /** @param issuer where keys are exchanged; default: identity */
  static with(issuer?: ApiKeyIssuer): DynamicModule {
    return {
      module: AdmissionModule,
      providers: [
        ApiKeyService,
        BodyBudget,
        CrossOriginService,
        ProxyService,
        RateLimitService,
        UpstreamClient,
        UpstreamConnector,
        issuer
          ? { provide: ApiKeyIssuer, useValue: issuer }
          : { provide: ApiKeyIssuer, useClass: IdentityApiKeyIssuer },
      ],
      exports: [RateLimitService, UpstreamClient],
    };
  }
}
