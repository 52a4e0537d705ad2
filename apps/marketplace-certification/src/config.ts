import type { DatabaseConfig } from '@crm/database';
import { databaseConfig, readEnvironment, type ServiceConfig, serviceConfig } from '@crm/runtime';
import type { InstallationWorkerOptions } from './installation/installation.worker.js';

export interface MarketplaceConfig {
  readonly service: ServiceConfig;
  readonly database: DatabaseConfig;
  /** 32 bytes in base64 that the apps' webhook secrets are encrypted with. */
  readonly keyEncryptionKey: string;
  readonly installation: InstallationWorkerOptions & {
    /** Milliseconds after which an install or an uninstall is answered with 202 and goes on by itself. */
    readonly answerWithinMs: number;
  };
}

/**
 * Reads, besides the settings of every service, KEY_ENCRYPTION_KEY, INSTALL_ANSWER_MS, INSTALL_POLL_MS and
 * INSTALL_CONCURRENCY.
 */
export function loadConfig(environment?: Readonly<Record<string, string | undefined>>): MarketplaceConfig {
  return readEnvironment(
    (env) => ({
      service: serviceConfig('marketplace-certification'),
      database: databaseConfig('marketplace-certification'),
      keyEncryptionKey: env.secret('KEY_ENCRYPTION_KEY', { bytes: 32 }),
      installation: {
        answerWithinMs: env.integer('INSTALL_ANSWER_MS', { default: 10_000, min: 100, max: 60_000 }),
        pollMs: env.integer('INSTALL_POLL_MS', { default: 1000, min: 50, max: 60_000 }),
        concurrency: env.integer('INSTALL_CONCURRENCY', { default: 8, min: 1, max: 100 }),
      },
    }),
    environment,
  );
}
