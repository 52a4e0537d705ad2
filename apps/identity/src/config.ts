import type { DatabaseConfig } from '@crm/database';
import type { LimitsConfig } from '@crm/limits';
import {
  databaseConfig,
  encryptionKeys,
  limitsConfig,
  type QuotaByPlan,
  quotaByPlan,
  readEnvironment,
  type ServiceConfig,
  serviceConfig,
} from '@crm/runtime';
import { HASH_POOL_DEFAULTS, type HashPoolOptions } from './accounts/password/hash-pool.js';

export interface IdentityConfig {
  service: ServiceConfig;
  database: DatabaseConfig;
  /** Where limits are counted. */
  limits: LimitsConfig;
  /** Mail server, e.g. `smtp://127.0.0.1:1025` or `smtps://user:password@mail.example:465`. */
  smtpUrl: string;
  /** Sender of every mail. */
  mailFrom: string;
  /** The keys that seal secrets at rest: one, or a ring (`id:key,id:key`) whose first one seals. */
  keyEncryptionKey: string;
  /** How long sessions of users live. */
  sessions: SessionLifetime;
  /** How long sessions of operators live. */
  operatorSessions: SessionLifetime;
  /** For how long after a proof of the password or the second factor a dangerous change is accepted. */
  stepUpSeconds: number;
  /** Whether every operator needs a second factor; off for the demo operator of the development profile. */
  operatorSecondFactor: boolean;
  /** How much is spent on hashing passwords. */
  hashPool: HashPoolOptions;
  /** What a workspace may do in a day, by plan. */
  quotas: {
    /** Users added by administrators, invitations included. */
    users: QuotaByPlan;
    /** Host users who are provisioned just in time. */
    hostUsers: QuotaByPlan;
  };
}

export interface SessionLifetime {
  /** Without being refreshed. */
  readonly idleSeconds: number;
  /** However often it is refreshed. */
  readonly maxSeconds: number;
}

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Token under which the configuration is injected. */
export const IDENTITY_CONFIG = Symbol('identity:config');

/** Reads the environment; a problem ends the process. */
export function loadConfig(): IdentityConfig {
  return readEnvironment((env) => {
    const service = serviceConfig('identity');
    const lifetime = (prefix: string, idle: number, max: number): SessionLifetime => ({
      idleSeconds: env.integer(`${prefix}_IDLE_SECONDS`, { default: idle, min: 60, max: 400 * DAY }),
      maxSeconds: env.integer(`${prefix}_MAX_SECONDS`, { default: max, min: 60, max: 400 * DAY }),
    });
    const quota = (name: string, defaults: QuotaByPlan) =>
      quotaByPlan(env, name, { profile: service.profile, defaults });
    return {
      service,
      database: databaseConfig('identity'),
      limits: limitsConfig(),
      smtpUrl: env.url('SMTP_URL', { schemes: ['smtp', 'smtps'], secret: true }),
      mailFrom: env.string('MAIL_FROM', { default: 'CRM platform <no-reply@platform.test>' }),
      keyEncryptionKey: encryptionKeys(env, 'KEY_ENCRYPTION_KEY'),
      sessions: lifetime('SESSION', 14 * DAY, 90 * DAY),
      operatorSessions: lifetime('OPERATOR_SESSION', HOUR, 12 * HOUR),
      // Programs that sign in once and work all day keep working against a platform in development.
      stepUpSeconds: env.integer('STEP_UP_SECONDS', {
        default: service.profile === 'development' ? DAY : 600,
        min: 60,
        max: DAY,
      }),
      operatorSecondFactor: service.profile === 'production',
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
      quotas: {
        users: quota('QUOTA_USERS', { developer: 20, business: 500, enterprise: 5_000 }),
        hostUsers: quota('QUOTA_HOST_USERS', { developer: 200, business: 10_000, enterprise: 100_000 }),
      },
    };
  });
}
