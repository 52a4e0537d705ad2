import type { LimitsConfig } from '@crm/limits';
import { readEnvironment } from './environment.js';

/** Reads REDIS_URL, or REDIS_URL_FILE: where the limits of all replicas are counted. Without it each process counts its own. */
export function limitsConfig(environment?: Readonly<Record<string, string | undefined>>): LimitsConfig {
  return readEnvironment(
    (env) => ({
      redisUrl: env.url('REDIS_URL', { default: '', schemes: ['redis', 'rediss'], secret: true }) || undefined,
    }),
    environment,
  );
}
