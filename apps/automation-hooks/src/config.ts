import { readFileSync } from 'node:fs';
import type { DatabaseConfig } from '@crm/database';
import { assertNoEgressExceptionsInProduction, type HostPort, parseEgressAllow } from '@crm/egress';
import type { LimitsConfig } from '@crm/limits';
import {
  databaseConfig,
  encryptionKeys,
  limitsConfig,
  readEnvironment,
  type ServiceConfig,
  serviceConfig,
} from '@crm/runtime';

export interface RunConfig {
  /** Seconds for which a worker holds a run; after that, another worker claims a run whose lease was not renewed. */
  readonly leaseSeconds: number;
  /** Runs that one process executes at a time; one with 0 only accepts them. */
  readonly concurrency: number;
  /** Milliseconds between looks for due runs that no signal announced. */
  readonly pollMs: number;
  /** Runs that one workflow may start in a minute, over all processes. */
  readonly perMinute: number;
  /** Claims of a run that may end without an outcome, one after the other, before the run fails. */
  readonly maxClaims: number;
}

export interface HookConfig {
  /** Address at which upstream systems reach the gateway: the start of every hook URL. */
  readonly baseUrl: string;
  /** Calls that one address may make with one presented workflow id in ten seconds. */
  readonly callsPerTenSeconds: number;
}

export interface AutomationsConfig {
  readonly service: ServiceConfig;
  readonly database: DatabaseConfig;
  /** Where limits of hook calls are counted. */
  readonly limits: LimitsConfig;
  /** The keys that seal hook secrets: one, or a ring (`id:key,id:key`) whose first one seals. */
  readonly encryptionKey: string;
  readonly hooks: HookConfig;
  /** How many workflows a tenant may have, those of its apps included. An event can start a run of each. */
  readonly workflowsPerTenant: number;
  readonly runs: RunConfig;
  readonly egress: {
    /** Hosts and ports that may be called against the address policy; never in production. */
    readonly allow: readonly HostPort[];
    /** PEM of the certificate authority of those hosts. */
    readonly ca?: string;
  };
}

export const AUTOMATIONS_CONFIG = Symbol('automations-config');

/** The only reader of the environment in this service. */
export function loadConfig(): AutomationsConfig {
  const { allow, caFile, ...config } = readEnvironment((env) => {
    const service = serviceConfig('automation-hooks');
    return {
      service,
      // Hook calls and claims are statements of the narrow role, and all of its statements are served by an index.
      database: { ...databaseConfig('automation-hooks'), genericPlans: true },
      limits: limitsConfig(),
      encryptionKey: encryptionKeys(env, 'KEY_ENCRYPTION_KEY'),
      hooks: {
        baseUrl: env.url('HOOK_BASE_URL', { default: service.baseUrl, schemes: ['http', 'https'] }),
        callsPerTenSeconds: env.integer('HOOK_CALLS_PER_TEN_SECONDS', { default: 200, min: 1 }),
      },
      workflowsPerTenant: env.integer('WORKFLOWS_PER_TENANT', { default: 200, min: 1 }),
      runs: {
        leaseSeconds: env.integer('RUN_LEASE_SECONDS', { default: 30, min: 1, max: 3600 }),
        concurrency: env.integer('RUN_CONCURRENCY', { default: 32, min: 0, max: 200 }),
        pollMs: env.integer('RUN_POLL_MS', { default: 500, min: 10, max: 60_000 }),
        perMinute: env.integer('RUNS_PER_MINUTE', { default: 600, min: 1, max: 1_000_000_000 }),
        maxClaims: env.integer('RUN_MAX_CLAIMS', { default: 8, min: 1, max: 30 }),
      },
      allow: env.optional('EGRESS_ALLOW'),
      caFile: env.optional('EGRESS_CA_FILE'),
    };
  });
  assertNoEgressExceptionsInProduction({ profile: config.service.profile, allow, caFile });
  const ca = caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') };
  return { ...config, egress: { allow: parseEgressAllow(allow), ...ca } };
}
