import {
  AccessModule,
  AccessTokenGuard,
  KeySource,
  type Principal,
  ProofSource,
  type RevocationSource,
  RightsGuard,
} from '@crm/access';
import { AUDIENCES, type Audience, isEdge, rpc } from '@crm/contracts';
import {
  DocsPageController,
  HTTP_CONFIG,
  OpenApiController,
  OperatorsOpenApiController,
  type RouteEntry,
} from '@crm/http';
import { Rpc } from '@crm/messaging';
import { type DynamicModule, Injectable, Module, type Provider } from '@nestjs/common';
import { APP_GUARD, ModuleRef } from '@nestjs/core';
import { SERVICE_CONFIG, type ServiceConfig } from './configuration/service-config.js';

export interface ServiceOptions {
  /** Audiences accepted over HTTP; default `platform-api`. */
  readonly audiences?: readonly Audience[];
  /** `rpc` calls identity (the default), `own` uses the KeySource and ProofSource of the service's module, an instance is for tests. */
  readonly keySource?: 'rpc' | 'own' | KeySource;
  /** Cut-offs to check instead of messaging's (tests). */
  readonly revocations?: RevocationSource;
  /** Asked for proofs instead of identity (tests). */
  readonly proofs?: ProofSource;
  /** `false` for an edge that answers `/api/openapi.json` itself. */
  readonly openApi?: boolean;
  readonly forwarded?: readonly RouteEntry[];
  /** How often the files of the certificate are looked at (tests). */
  readonly certificateEveryMs?: number;
}

@Injectable()
class RpcKeySource extends KeySource {
  constructor(private readonly rpc: Rpc) {
    super();
  }

  override getKeys(): ReturnType<KeySource['getKeys']> {
    return this.rpc.call(rpc.identity.getKeys, {}) as unknown as ReturnType<KeySource['getKeys']>;
  }
}

@Injectable()
class RpcProofSource extends ProofSource {
  /** Found when it is needed: a service that asks for no proof may have no messaging. */
  constructor(private readonly modules: ModuleRef) {
    super();
  }

  override async assert(principal: Principal): Promise<void> {
    await this.modules.get(Rpc, { strict: false }).call(rpc.identity.assertProof, {}, principal);
  }
}

@Module({})
export class RuntimeModule {
  static around(service: DynamicModule, config: ServiceConfig, options: ServiceOptions): DynamicModule {
    const { keySource = 'rpc', revocations, proofs, audiences = [AUDIENCES.api] } = options;
    const providers: Provider[] = [
      { provide: SERVICE_CONFIG, useValue: config },
      { provide: HTTP_CONFIG, useValue: config },
      // In this order: authentication, then authorization.
      { provide: APP_GUARD, useExisting: AccessTokenGuard },
      { provide: APP_GUARD, useExisting: RightsGuard },
      ...(keySource === 'rpc' ? [{ provide: KeySource, useClass: RpcKeySource }] : []),
      ...(keySource === 'own' ? [] : [{ provide: ProofSource, useClass: RpcProofSource }]),
    ];
    return {
      module: RuntimeModule,
      global: true,
      imports: [
        AccessModule.forService({
          issuer: config.issuer,
          audiences,
          ...(typeof keySource === 'object' && { keySource }),
          ...(revocations && { revocations }),
          ...(proofs && { proofs }),
          keepsCutoffs: keySource === 'own',
        }),
        service,
      ],
      controllers: [
        ...(options.openApi === false ? [] : [OpenApiController]),
        ...(config.operatorsPort === undefined ? [] : [OperatorsOpenApiController]),
        ...(isEdge(config.name) ? [DocsPageController] : []),
      ],
      providers,
      exports: [SERVICE_CONFIG, HTTP_CONFIG],
    };
  }
}
