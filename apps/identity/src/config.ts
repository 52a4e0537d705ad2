import type { DatabaseConfig } from '@crm/database';
import { databaseConfig, readEnvironment, type ServiceConfig, serviceConfig } from '@crm/runtime';
import { HASH_POOL_DEFAULTS, type HashPoolOptions } from './accounts/password/hash-pool.js';

export interface IdentityConfig {
  service: ServiceConfig;
  database: DatabaseConfig;
  /** Mail server, e.g. `smtp://127.0.0.1:1025` or `smtps://user:password@mail.example:465`. */
  smtpUrl: string;
  /** Sender of every mail. */
  mailFrom: string;
  /** 32 bytes in base64; seals the private signing keys at rest. */
  keyEncryptionKey: string;
  /** How much is spent on hashing passwords. */
  hashPool: HashPoolOptions;
}

/** Token under which the configuration is injected. */
export const IDENTITY_CONFIG = Symbol('identity:config');

/** Reads the environment; a problem ends the process. */
export function loadConfig(): IdentityConfig {
  return readEnvironment((env) => ({
    service: serviceConfig('identity'),
    database: databaseConfig('identity'),
    smtpUrl: env.url('SMTP_URL', { schemes: ['smtp', 'smtps'], secret: true }),
    mailFrom: env.string('MAIL_FROM', { default: 'CRM platform <no-reply@platform.test>' }),
    keyEncryptionKey: env.secret('KEY_ENCRYPTION_KEY', { bytes: 32 }),
    hashPool: {
      concurrency: env.integer('PASSWORD_HASH_CONCURRENCY', {
        default: HASH_POOL_DEFAULTS.concurrency,
        min: 1,
        max: 128,
      }),
      queueLength: env.integer('PASSWORD_HASH_QUEUE', {
        default: HASH_POOL_DEFAULTS.queueLength,
        min: 0,
        max: 100_000,
      }),
      queueMs: env.integer('PASSWORD_HASH_WAIT_MS', { default: HASH_POOL_DEFAULTS.queueMs, min: 1, max: 10_000 }),
    },
  }));
}
