import { type DynamicModule, Module } from '@nestjs/common';
import { ApiKeyService } from './api-key.service.js';
import { BodyBudget } from './body-budget.js';
import { CrossOriginService } from './cross-origin.service.js';
import { ApiKeyIssuer, IdentityApiKeyIssuer } from './key-tokens.js';
import { RateLimitService } from './rate-limit.service.js';

/** Decides which requests are forwarded: API keys, limits, bodies and origins. */
@Module({})
export class AdmissionModule {
  /** @param issuer where keys are exchanged; default: identity */
  static with(issuer?: ApiKeyIssuer): DynamicModule {
    return {
      module: AdmissionModule,
      global: true,
      providers: [
        ApiKeyService,
        BodyBudget,
        CrossOriginService,
        RateLimitService,
        issuer
          ? { provide: ApiKeyIssuer, useValue: issuer }
          : { provide: ApiKeyIssuer, useClass: IdentityApiKeyIssuer },
      ],
      exports: [ApiKeyService, BodyBudget, CrossOriginService, RateLimitService],
    };
  }
}
