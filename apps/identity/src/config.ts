import type { DatabaseConfig } from '@crm/database';
import {
  databaseConfig,
  type QuotaByPlan,
  quotaByPlan,
  readEnvironment,
  type ServiceConfig,
  serviceConfig,
} from '@crm/runtime';

export interface IdentityConfig {
  service: ServiceConfig;
  database: DatabaseConfig;
  /** Mail server, e.g. `smtp://127.0.0.1:1025` or `smtps://user:password@mail.example:465`. */
  smtpUrl: string;
  /** Sender of every mail. */
  mailFrom: string;
  /** 32 bytes in base64; seals the private signing keys at rest. */
  keyEncryptionKey: string;
  /** What a workspace may do in a day, by plan. */
  quotas: {
    /** Users added by administrators, invitations included. */
    users: QuotaByPlan;
    /** Host users who are provisioned just in time. */
    hostUsers: QuotaByPlan;
  };
}

/** Token under which the configuration is injected. */
export const IDENTITY_CONFIG = Symbol('identity:config');

/** Reads the environment; a problem ends the process. */
export function loadConfig(): IdentityConfig {
  return readEnvironment((env) => {
    const service = serviceConfig('identity');
    const quota = (name: string, defaults: QuotaByPlan) =>
      quotaByPlan(env, name, { profile: service.profile, defaults });
    return {
      service,
      database: databaseConfig('identity'),
      smtpUrl: env.url('SMTP_URL', { schemes: ['smtp', 'smtps'], secret: true }),
      mailFrom: env.string('MAIL_FROM', { default: 'CRM platform <no-reply@platform.test>' }),
      keyEncryptionKey: env.secret('KEY_ENCRYPTION_KEY', { bytes: 32 }),
      quotas: {
        users: quota('QUOTA_USERS', { developer: 20, business: 500, enterprise: 5_000 }),
        hostUsers: quota('QUOTA_HOST_USERS', { developer: 200, business: 10_000, enterprise: 100_000 }),
      },
    };
  });
}
