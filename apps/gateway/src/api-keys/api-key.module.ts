import { type DynamicModule, Module } from '@nestjs/common';
import { ApiKeyService } from './api-key.service.js';
import { ApiKeyIssuer, IdentityApiKeyIssuer } from './api-key-issuer.js';

/** API keys, for which access tokens are forwarded. */
@Module({})
export class ApiKeyModule {
  /** @param issuer where keys are exchanged; default: identity */
  static with(issuer?: ApiKeyIssuer): DynamicModule {
    return {
      module: ApiKeyModule,
      global: true,
      providers: [
        ApiKeyService,
        issuer
          ? { provide: ApiKeyIssuer, useValue: issuer }
          : { provide: ApiKeyIssuer, useClass: IdentityApiKeyIssuer },
      ],
      exports: [ApiKeyService],
    };
  }
}
