import type { DatabaseConfig } from '@crm/database';
import {
  databaseConfig,
  encryptionKeys,
  type QuotaByPlan,
  quotaByPlan,
  readEnvironment,
  type ServiceConfig,
  serviceConfig,
} from '@crm/runtime';

export interface MarketplaceConfig {
  readonly service: ServiceConfig;
  readonly database: DatabaseConfig;
  /** The keys that seal the webhook secrets of apps: one, or a ring (`id:key,id:key`) whose first one seals. */
  readonly keyEncryptionKey: string;
  /** What a workspace may do in a day, by plan. */
  readonly quotas: {
    readonly certifications: QuotaByPlan;
    readonly submissions: QuotaByPlan;
  };
  readonly installation: {
    /** Milliseconds after which an install or an uninstall is answered with 202 and continues on its own. */
    readonly answerWithinMs: number;
    /** Milliseconds between looks for work that another process left behind or that was postponed. */
    readonly pollMs: number;
    /** Installations that are worked on at the same time without a request that waits for them. */
    readonly concurrency: number;
  };
}

/** Token of the {@link MarketplaceConfig} that the process was started with. */
export const MARKETPLACE_CONFIG = Symbol('configuration of marketplace-certification');

/**
 * Reads KEY_ENCRYPTION_KEY, QUOTA_CERTIFICATIONS, QUOTA_SUBMISSIONS, INSTALL_ANSWER_MS, INSTALL_POLL_MS and
 * INSTALL_CONCURRENCY in addition to the settings of every service.
 */
export function loadConfig(environment?: Readonly<Record<string, string | undefined>>): MarketplaceConfig {
  return readEnvironment((env) => {
    const service = serviceConfig('marketplace-certification');
    const quota = (name: string, defaults: QuotaByPlan) =>
      quotaByPlan(env, name, { profile: service.profile, defaults });
    return {
      service,
      database: databaseConfig('marketplace-certification'),
      keyEncryptionKey: encryptionKeys(env, 'KEY_ENCRYPTION_KEY'),
      quotas: {
        certifications: quota('QUOTA_CERTIFICATIONS', { developer: 200, business: 1_000, enterprise: 5_000 }),
        submissions: quota('QUOTA_SUBMISSIONS', { developer: 20, business: 100, enterprise: 500 }),
      },
      installation: {
        answerWithinMs: env.integer('INSTALL_ANSWER_MS', { default: 10_000, min: 100, max: 60_000 }),
        pollMs: env.integer('INSTALL_POLL_MS', { default: 1000, min: 50, max: 60_000 }),
        concurrency: env.integer('INSTALL_CONCURRENCY', { default: 8, min: 1, max: 100 }),
      },
    };
  }, environment);
}
