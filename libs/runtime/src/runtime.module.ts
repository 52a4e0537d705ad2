import { AccessModule, AccessTokenGuard, KeySource, RightsGuard } from '@crm/access';
import { AUDIENCES, isEdge } from '@crm/contracts';
import { DocsPageController, HTTP_CONFIG, OpenApiController, OperatorsOpenApiController } from '@crm/http';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { ServiceConfig } from './configuration/service-config.js';
import { RpcKeySource } from './rpc-key-source.js';
import { SERVICE_CONFIG } from './service-config.token.js';
import type { ServiceOptions } from './service-options.js';

/** Adds to a service's module what every service needs. */
@Module({})
export class RuntimeModule {
  static around(service: DynamicModule, config: ServiceConfig, options: ServiceOptions): DynamicModule {
    const { keySource = 'rpc', revocations, audiences = [AUDIENCES.api] } = options;
    const providers: Provider[] = [
      { provide: SERVICE_CONFIG, useValue: config },
      { provide: HTTP_CONFIG, useValue: config },
      // In this order: authentication, then authorization.
      { provide: APP_GUARD, useExisting: AccessTokenGuard },
      { provide: APP_GUARD, useExisting: RightsGuard },
      ...(keySource === 'rpc' ? [{ provide: KeySource, useClass: RpcKeySource }] : []),
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
