import path from 'node:path';
import { parseUrl } from '@crm/address-policy';
import { DEVELOPMENT_PORTS } from '@crm/contracts';
import type { Limit, LimitsConfig } from '@crm/limits';
import { type EnvironmentReader, limitsConfig, readEnvironment, serviceConfig } from '@crm/runtime';
import { type ProxyConfig, upstreamsConfig } from '@crm/runtime/proxy';
import type { Upstream } from './routing/routing.js';

const MEBIBYTE = 1024 * 1024;

/** Where the image has the pages, below its working directory. */
const CONSOLE_DIR = 'pages/console';

/**
 * Whom or what requests are counted by; also the names of the policies in answers. A principal is a user, a host user or an API
 * key, an app one installed app in one tenant, a hook one hook id from one address.
 */
export type LimitName = 'tenant' | 'principal' | 'app' | 'address' | 'hook' | 'hookAddress';

/** Over which the points of a limit are counted. */
const WINDOW_SECONDS = 60;

export interface GatewayConfig extends ProxyConfig {
  readonly upstreams: Readonly<Record<Upstream, string>>;
  readonly limits: Readonly<Record<LimitName, Limit>>;
  /** Where they are counted. */
  readonly counting: LimitsConfig;
  readonly bodies: Readonly<Record<'tenant' | 'address', BodyLimits>>;
  /** Origins of pages that may call the API, besides the embed page's. */
  readonly corsOrigins: readonly string[];
  /** The folder of the built console. */
  readonly consoleDir: string;
}

/** Bytes of bodies that may be on their way at a time: of one sender, and of all of a kind. */
export interface BodyLimits {
  readonly each: number;
  readonly all: number;
}

export const GATEWAY_CONFIG = Symbol('gateway:config');

/**
 * Reads IDENTITY_URL, CUSTOM_OBJECTS_URL, …, UPSTREAM_CA_FILE, RATE_LIMIT_* (requests per minute), RATE_LIMIT_*_BURST (requests at once),
 * REDIS_URL, BODY_BYTES*, CORS_ORIGINS, UPSTREAM_TIMEOUT_MS and CONSOLE_DIR.
 */
export function loadConfig(environment?: Readonly<Record<string, string | undefined>>): GatewayConfig {
  return readEnvironment((env) => {
    const service = serviceConfig('gateway');
    const limit = (name: LimitName, variable: string, perMinute: number, burst?: number) => {
      const points = env.integer(variable, { default: perMinute, min: 1 });
      const atOnce = env.integer(`${variable}_BURST`, { default: burst ?? points, min: 1 });
      return { name, points, windowSeconds: WINDOW_SECONDS, burst: atOnce };
    };
    return {
      service,
      ...upstreamsConfig(env, service, {
        identity: ['IDENTITY_URL', DEVELOPMENT_PORTS.identity],
        'custom-objects': ['CUSTOM_OBJECTS_URL', DEVELOPMENT_PORTS['custom-objects']],
        'marketplace-certification': ['MARKETPLACE_URL', DEVELOPMENT_PORTS['marketplace-certification']],
        'automation-hooks': ['AUTOMATIONS_URL', DEVELOPMENT_PORTS['automation-hooks']],
        'webhook-dispatcher': ['WEBHOOKS_URL', DEVELOPMENT_PORTS['webhook-dispatcher']],
      }),
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
      consoleDir: path.resolve(env.string('CONSOLE_DIR', { default: CONSOLE_DIR })),
    };
  }, environment);
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
