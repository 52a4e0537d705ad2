import { readFileSync } from 'node:fs';
import { assertNoEgressExceptionsInProduction, parseEgressAllow } from '@crm/egress';
import { databaseConfig, encryptionKeys, limitsConfig, readEnvironment, serviceConfig } from '@crm/runtime';

export type AutomationsConfig = Readonly<ReturnType<typeof loadConfig>>;

export const AUTOMATIONS_CONFIG = Symbol('automations-config');

/** The only reader of the environment in this service. */
export function loadConfig() {
  const { allow, caFile, ...config } = readEnvironment((env) => {
    const service = serviceConfig('automation-hooks');
    return {
      service,
      // Hook calls and claims are statements of the narrow role, and all of its statements are served by an index.
      database: { ...databaseConfig('automation-hooks'), genericPlans: true },
      /** Where limits of hook calls are counted. */
      limits: limitsConfig(),
      /** The keys that seal hook secrets: one, or a ring (`id:key,id:key`) whose first one seals. */
      encryptionKey: encryptionKeys(env, 'KEY_ENCRYPTION_KEY'),
      hooks: {
        /** Address at which upstream systems reach the gateway: the start of every hook URL. */
        baseUrl: env.url('HOOK_BASE_URL', { default: service.baseUrl, schemes: ['http', 'https'] }),
        /** Calls that one address may make with one presented workflow id. */
        callsPerTenSeconds: env.integer('HOOK_CALLS_PER_TEN_SECONDS', { default: 200, min: 1 }),
      },
      /** Those of a tenant's apps included. An event can start a run of each. */
      workflowsPerTenant: env.integer('WORKFLOWS_PER_TENANT', { default: 200, min: 1 }),
      runs: {
        /** After that, another worker claims a run whose lease was not renewed. */
        leaseSeconds: env.integer('RUN_LEASE_SECONDS', { default: 30, min: 1, max: 3600 }),
        /** Runs that one process executes at a time; one with 0 only accepts them. */
        concurrency: env.integer('RUN_CONCURRENCY', { default: 32, min: 0, max: 200 }),
        /** Between looks for due runs that no signal announced. */
        pollMs: env.integer('RUN_POLL_MS', { default: 500, min: 10, max: 60_000 }),
        /** Runs that one workflow may start, over all processes. */
        perMinute: env.integer('RUNS_PER_MINUTE', { default: 600, min: 1, max: 1_000_000_000 }),
        /** Runs that a tenant may have queued, those that wait included; then calls are refused, and events wait. */
        queuedPerTenant: env.integer('RUNS_QUEUED_PER_TENANT', { default: 10_000, min: 1, max: 1_000_000_000 }),
        /** Claims of a run that may end without an outcome, one after the other, before the run fails. */
        maxClaims: env.integer('RUN_MAX_CLAIMS', { default: 8, min: 1, max: 30 }),
      },
      allow: env.optional('EGRESS_ALLOW'),
      caFile: env.optional('EGRESS_CA_FILE'),
    };
  });
  assertNoEgressExceptionsInProduction({ profile: config.service.profile, allow, caFile });
  // The certificate authority of the hosts that may be called against the address policy.
  const ca: { ca?: string } = caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') };
  return { ...config, egress: { allow: parseEgressAllow(allow), ...ca } };
}
