import type { KeySource, RevocationSource } from '@crm/access';
import type { Audience } from '@crm/contracts';
import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServiceConfig } from './configuration/service-config.js';

export interface ServiceOptions {
  /** Audiences accepted over HTTP; `platform-api` unless said otherwise. */
  readonly audiences?: readonly Audience[];
  /**
   * Where public keys come from: `rpc` asks identity (the default), `own` uses the provider of KeySource in the
   * service's own module, an instance is used as it is (tests).
   */
  readonly keySource?: 'rpc' | 'own' | KeySource;
  /** Cut-offs to check instead of messaging's (tests). */
  readonly revocations?: RevocationSource;
}

export interface RunningService {
  readonly app: NestFastifyApplication;
  /** `http://host:port` it listens on. */
  readonly url: string;
  /** Address of `/livez`, `/readyz`, `/metrics`, `/routes`. */
  readonly operationsUrl: string;
  /** Drains and stops everything; safe to call twice. */
  close(): Promise<void>;
}

/** Builds and starts a service without touching the process: no signal handlers, no exit. */
export function createService(
  _config: { readonly service: ServiceConfig },
  _module: DynamicModule,
  _options: ServiceOptions = {},
): Promise<RunningService> {
  throw new Error('being written');
}

/** The whole of a service's `main.ts`. */
export function startService(
  config: { readonly service: ServiceConfig },
  module: DynamicModule,
  options: ServiceOptions = {},
): Promise<RunningService> {
  return createService(config, module, options);
}
