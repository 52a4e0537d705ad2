import path from 'node:path';
import { parseUrl } from '@crm/address-policy';
import type { LimitsConfig } from '@crm/limits';
import {
  authoritiesConfig,
  type EnvironmentReader,
  limitsConfig,
  readEnvironment,
  type ServiceConfig,
  serviceConfig,
} from '@crm/runtime';
import { type LimitName, type Limits, WINDOW_SECONDS } from './admission/limits.js';
import type { Upstream } from './routing/routing.js';

const MEBIBYTE = 1024 * 1024;

/** Where the image has the account page, below its working directory. */
const ACCOUNT_PAGE_DIR = 'pages/account-page';

export interface GatewayConfig {
  readonly service: ServiceConfig;
  /** Internal addresses of the services behind the gateway. */
  readonly upstreams: Readonly<Record<Upstream, string>>;
  /** Whom the gateway believes who a service is; undefined: whom the system believes. */
  readonly upstreamCa?: { readonly file: string; readonly everyMs?: number } | undefined;
  readonly limits: Limits;
  /** Where they are counted. */
  readonly counting: LimitsConfig;
  /** Bytes of bodies on their way, by who sends them. */
  readonly bodies: Readonly<Record<'tenant' | 'address', BodyLimits>>;
  /** Origins of pages that may call the API, besides the embed page's. */
  readonly corsOrigins: readonly string[];
  /** Longest wait for a service's answer. */
  readonly upstreamTimeoutMs: number;
  /** The folder of the built account page. */
  readonly accountPageDir: string;
}

/** Bytes of bodies that may be on their way at a time. */
export interface BodyLimits {
  /** From one sender. */
  readonly each: number;
  /** From all senders of a kind. */
  readonly all: number;
}

/** The variable that names the authorities of the services' certificates. */
export const UPSTREAM_CA_VARIABLE = 'UPSTREAM_CA_FILE';

/** Token under which the configuration is injected. */
export const GATEWAY_CONFIG = Symbol('gateway:config');

/**
 * Reads IDENTITY_URL, CUSTOM_OBJECTS_URL, …, UPSTREAM_CA_FILE, RATE_LIMIT_* (requests per minute), RATE_LIMIT_*_BURST (requests at once),
 * REDIS_URL, BODY_BYTES*, CORS_ORIGINS, UPSTREAM_TIMEOUT_MS and ACCOUNT_PAGE_DIR.
 */
export function loadConfig(environment?: Readonly<Record<string, string | undefined>>): GatewayConfig {
  return readEnvironment((env) => {
    const service = serviceConfig('gateway');
    const url = (name: string, port: number): string =>
      env.url(name, {
        ...(service.profile !== 'production' && { default: `http://127.0.0.1:${port}` }),
        schemes: ['http', 'https'],
      });
    const limit = (name: LimitName, variable: string, perMinute: number, burst?: number) => {
      const points = env.integer(variable, { default: perMinute, min: 1 });
      return {
        name,
        points,
        windowSeconds: WINDOW_SECONDS,
        burst: env.integer(`${variable}_BURST`, { default: burst ?? points, min: 1 }),
      };
    };
    const upstreams = {
      identity: url('IDENTITY_URL', 4001),
      'custom-objects': url('CUSTOM_OBJECTS_URL', 4003),
      'marketplace-certification': url('MARKETPLACE_URL', 4004),
      'automation-hooks': url('AUTOMATIONS_URL', 4005),
      'webhook-dispatcher': url('WEBHOOKS_URL', 4006),
    };
    return {
      service,
      upstreams,
      upstreamCa: upstreamCa(env, Object.values(upstreams)),
      limits: {
        tenant: limit('tenant', 'RATE_LIMIT_TENANT', 12_000),
        principal: limit('principal', 'RATE_LIMIT_PRINCIPAL', 3000),
        // A connector that moves data: 100 a second, and three seconds' worth at once.
        app: limit('app', 'RATE_LIMIT_APP', 6000, 300),
        address: limit('address', 'RATE_LIMIT_ADDRESS', 300),
        hook: limit('hook', 'RATE_LIMIT_HOOK', 600),
        hookAddress: limit('hookAddress', 'RATE_LIMIT_HOOK_ADDRESS', 3000),
      },
      counting: limitsConfig(),
      bodies: {
        tenant: {
          each: env.integer('BODY_BYTES_TENANT', { default: 16 * MEBIBYTE, min: MEBIBYTE }),
          all: env.integer('BODY_BYTES', { default: 64 * MEBIBYTE, min: MEBIBYTE }),
        },
        address: {
          each: env.integer('BODY_BYTES_ADDRESS', { default: 2 * MEBIBYTE, min: MEBIBYTE }),
          all: env.integer('BODY_BYTES_ADDRESSES', { default: 16 * MEBIBYTE, min: MEBIBYTE }),
        },
      },
      corsOrigins: corsOrigins(env),
      upstreamTimeoutMs: env.integer('UPSTREAM_TIMEOUT_MS', { default: 30_000, min: 100 }),
      accountPageDir: path.resolve(env.string('ACCOUNT_PAGE_DIR', { default: ACCOUNT_PAGE_DIR })),
    };
  }, environment);
}

/** Whoever names authorities means to encrypt: an address that was forgotten must not go without unnoticed. */
function upstreamCa(env: EnvironmentReader, addresses: readonly string[]): GatewayConfig['upstreamCa'] {
  const file = authoritiesConfig(env, UPSTREAM_CA_VARIABLE);
  if (file === undefined) return undefined;
  if (addresses.some((address) => parseUrl(address)?.protocol === 'http:')) {
    env.problem(`${UPSTREAM_CA_VARIABLE} is set, so every address of a service must begin with https://`);
  }
  return { file };
}

/** Each as a browser sends it: scheme, host and a port that is not the scheme's own. */
function corsOrigins(env: EnvironmentReader): readonly string[] {
  const origins = env.list('CORS_ORIGINS', { default: [] });
  const isOrigin = (text: string) => /^https?:/.test(text) && parseUrl(text)?.origin === text;
  if (!origins.every(isOrigin)) {
    env.problem('CORS_ORIGINS must be origins such as https://app.example.com, separated by commas');
  }
  return origins;
}
