import type { DatabaseConfig } from '@crm/database';
import type { LimitsConfig } from '@crm/limits';
import { databaseConfig, limitsConfig, readEnvironment, type ServiceConfig, serviceConfig } from '@crm/runtime';

export interface IdentityConfig {
  service: ServiceConfig;
  database: DatabaseConfig;
  /** Where limits are counted. */
  limits: LimitsConfig;
  /** Mail server, e.g. `smtp://127.0.0.1:1025` or `smtps://user:password@mail.example:465`. */
  smtpUrl: string;
  /** Sender of every mail. */
  mailFrom: string;
  /** 32 bytes in base64; seals the private signing keys at rest. */
  keyEncryptionKey: string;
}

/** Token under which the configuration is injected. */
export const IDENTITY_CONFIG = Symbol('identity:config');

/** Reads the environment; a problem ends the process. */
export function loadConfig(): IdentityConfig {
  return readEnvironment((env) => ({
    service: serviceConfig('identity'),
    database: databaseConfig('identity'),
    limits: limitsConfig(),
    smtpUrl: env.url('SMTP_URL', { schemes: ['smtp', 'smtps'], secret: true }),
    mailFrom: env.string('MAIL_FROM', { default: 'CRM platform <no-reply@platform.test>' }),
    keyEncryptionKey: env.secret('KEY_ENCRYPTION_KEY', { bytes: 32 }),
  }));
}
