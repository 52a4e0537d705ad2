import { readFileSync } from 'node:fs';
import { DEVELOPMENT_PORTS } from '@crm/contracts';
import type { DatabaseConfig } from '@crm/database';
import { assertNoEgressExceptionsInProduction, type HostPort, parseEgressAllow } from '@crm/egress';
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
import { problemsOf, type RelyingParty, relyingParty } from './passkeys/ceremony.js';
import { HASH_POOL_DEFAULTS, type HashPoolOptions } from './passwords/hash-pool.js';

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
  /** True when every operator needs a second factor; off for the demo operator of the development profile. */
  operatorSecondFactor: boolean;
  /** Where passkeys are used; null where there is no address that browsers accept. */
  passkeys: { users: RelyingParty | null; operators: RelyingParty | null };
  /** How much is spent on hashing passwords. */
  hashPool: HashPoolOptions;
  /** What a workspace may do in a day, by plan. */
  quotas: {
    /** Users added by administrators, invitations included. */
    users: QuotaByPlan;
    /** Host users who are provisioned just in time. */
    hostUsers: QuotaByPlan;
  };
  /** Days that entries of the audit trail are kept. */
  auditRetentionDays: number;
  /** How identity providers of workspaces are called. */
  egress: EgressConfig;
  /** `address:port` of the name servers that are asked; by default those of the machine, in production always. */
  nameServers?: readonly string[];
}

export interface EgressConfig {
  /** Hosts and ports that may be called against the address policy; never in production. */
  readonly allow: readonly HostPort[];
  /** PEM of the certificate authority of those hosts. */
  readonly ca?: string;
  /** Milliseconds for all calls to a provider that one sign-in takes. */
  readonly providerMs: number;
}

export interface SessionLifetime {
  /** Without being refreshed. */
  readonly idleSeconds: number;
  /** However often it is refreshed. */
  readonly maxSeconds: number;
}

const HOUR = 3600;
const DAY = 24 * HOUR;

/** The gateway waits 15 seconds for a sign-in. */
const PROVIDER_MS = 10_000;
/** The address of marketplace-admin outside production. */
const OPERATORS_IN_DEVELOPMENT = `http://localhost:${DEVELOPMENT_PORTS['marketplace-admin']}`;

/** Token under which the configuration is injected. */
export const IDENTITY_CONFIG = Symbol('identity:config');

/** Reads the environment; a problem ends the process. */
export function loadConfig(): IdentityConfig {
  const { allow, caFile, servers, ...config } = readEnvironment((env) => {
    const service = serviceConfig('identity');
    const servers = env.list('NAME_SERVERS', { default: [] });
    if (servers.length > 0 && service.profile === 'production') {
      env.problem('NAME_SERVERS must not be set in the production profile');
    }
    const lifetime = (prefix: string, idle: number, max: number): SessionLifetime => ({
      idleSeconds: env.integer(`${prefix}_IDLE_SECONDS`, { default: idle, min: 60, max: 400 * DAY }),
      maxSeconds: env.integer(`${prefix}_MAX_SECONDS`, { default: max, min: 60, max: 400 * DAY }),
    });
    const quota = (name: string, defaults: QuotaByPlan) =>
      quotaByPlan(env, name, { profile: service.profile, defaults });
    const passkeysAt = (prefix: string, address: string | undefined): RelyingParty | null => {
      const origins = env.list(`${prefix}_ORIGINS`, { default: [] });
      const party = relyingParty({ origins, id: env.optional(`${prefix}_RP_ID`), address });
      for (const problem of party ? problemsOf(party) : []) env.problem(`${prefix}_ORIGINS: ${problem}`);
      return party;
    };
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
      passkeys: {
        users: passkeysAt('PASSKEY', service.baseUrl),
        // The operators' pages have an address of their own, which only they need to know.
        operators: passkeysAt(
          'OPERATOR_PASSKEY',
          service.profile === 'production' ? undefined : OPERATORS_IN_DEVELOPMENT,
        ),
      },
      hashPool: {
        cost: HASH_POOL_DEFAULTS.cost,
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
      auditRetentionDays: env.integer('AUDIT_RETENTION_DAYS', { default: 400, min: 30, max: 3_650 }),
      allow: env.optional('EGRESS_ALLOW'),
      caFile: env.optional('EGRESS_CA_FILE'),
      servers,
    };
  });
  assertNoEgressExceptionsInProduction({ profile: config.service.profile, allow, caFile });
  const ca = caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') };
  const nameServers = servers.length === 0 ? {} : { nameServers: servers };
  return { ...config, ...nameServers, egress: { allow: parseEgressAllow(allow), ...ca, providerMs: PROVIDER_MS } };
}
