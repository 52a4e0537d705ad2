import { type DynamicModule, Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ACCESS_OPTIONS, type AccessOptions, AccessTokenGuard, AccessTokenStrategy } from './access.guard.js';
import { KeySource, RevocationSource } from './key-ring.js';
import { RightsGuard } from './rights.guard.js';
import { TokenVerifier } from './token-verifier.js';

/** Provides the verifier, the access token strategy and the guards to the whole application. */
@Module({})
export class AccessModule {
  static forService(options: AccessOptions): DynamicModule {
    return {
      module: AccessModule,
      global: true,
      providers: [
        { provide: ACCESS_OPTIONS, useValue: options },
        {
          provide: TokenVerifier,
          inject: [ModuleRef],
          // Found at first use: the keys come over a connection that itself verifies tokens of the calls it serves.
          useFactory: (modules: ModuleRef) =>
            new TokenVerifier({
              issuer: options.issuer,
              keySource: () => options.keySource ?? modules.get(KeySource, { strict: false }),
              revocations: () => options.revocations ?? modules.get(RevocationSource, { strict: false }),
            }),
        },
        AccessTokenStrategy,
        AccessTokenGuard,
        RightsGuard,
      ],
      exports: [TokenVerifier, AccessTokenStrategy, AccessTokenGuard, RightsGuard, ACCESS_OPTIONS],
    };
  }
}
