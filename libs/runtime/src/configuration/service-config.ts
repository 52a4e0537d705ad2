import {
  DATABASES,
  DEVELOPMENT_PORTS,
  isEdge,
  OPERATIONS_PORT_OFFSET,
  OPERATORS_PORT_OFFSET,
  PLANS,
  type Plan,
  type ServiceName,
  type StatefulService,
  servesOperators,
} from '@crm/contracts';
import { type DatabaseConfig, retentionOf } from '@crm/database';
import { EncryptionKeys, InvalidEncryptionKeys } from '@crm/encryption';
import type { LimitsConfig } from '@crm/limits';
import type { MessagingConfig } from '@crm/messaging';
import type { TracingConfig } from '@crm/telemetry';
import { type EnvironmentReader, readEnvironment } from './environment.js';
import { type KeyPairFiles, tlsConfig } from './tls-config.js';

export const SERVICE_CONFIG = Symbol('crm:service-config');

/** One key, 32 bytes in base64, or a ring, `id:key,id:key`, whose first key seals while all of them open. */
export function encryptionKeys(env: EnvironmentReader, name: string): string {
  const text = env.secret(name);
  try {
    if (text !== '') EncryptionKeys.parse(text);
  } catch (error) {
    if (!(error instanceof InvalidEncryptionKeys)) throw error;
    env.problem(`${name}: ${error.message}`);
  }
  return text;
}

/** Reads REDIS_URL, or REDIS_URL_FILE: where the limits of all replicas are counted. Without it each process counts its own. */
export function limitsConfig(environment?: Readonly<Record<string, string | undefined>>): LimitsConfig {
  return readEnvironment(
    (env) => ({
      redisUrl: env.url('REDIS_URL', { default: '', schemes: ['redis', 'rediss'], secret: true }) || undefined,
    }),
    environment,
  );
}

export type QuotaByPlan = Readonly<Record<Plan, number>>;

/** Outside production no quota gets in the way of demos, tests and measurements. */
const HARDLY_LIMITED: QuotaByPlan = { developer: 1_000_000, business: 1_000_000, enterprise: 1_000_000 };
const MOST = 1_000_000_000;

/** Reads `developer=20,business=500`; other plans keep the default. @param defaults of the production profile */
export function quotaByPlan(
  env: EnvironmentReader,
  name: string,
  { profile, defaults }: { profile: Profile; defaults: QuotaByPlan },
): QuotaByPlan {
  const given = env.integersByName(name, { default: {}, min: 0, max: MOST });
  const unknown = Object.keys(given).filter((plan) => !(PLANS as readonly string[]).includes(plan));
  if (unknown.length > 0) env.problem(`${name} names no plan: ${unknown.join(', ')}; plans are ${PLANS.join(', ')}`);
  return { ...(profile === 'production' ? defaults : HARDLY_LIMITED), ...given };
}

/** OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_TRACES_SAMPLE_RATIO; undefined, which is off, without an endpoint. */
function tracingConfig(env: EnvironmentReader): TracingConfig | undefined {
  // Read in any case, so that a mistake is found before tracing is turned on.
  const sampleRatio = env.fraction('OTEL_TRACES_SAMPLE_RATIO', { default: 0.01 });
  const endpoint = env.url('OTEL_EXPORTER_OTLP_ENDPOINT', { default: '', schemes: ['http', 'https'] });
  return endpoint === '' ? undefined : { endpoint, sampleRatio };
}

export const PROFILES = ['development', 'test', 'production'] as const;
export type Profile = (typeof PROFILES)[number];

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export interface ServiceConfig {
  readonly name: ServiceName;
  readonly profile: Profile;
  readonly host: string;
  readonly port: number;
  /** With these, `port` speaks HTTPS; undefined while it speaks plain HTTP. */
  readonly tls?: KeyPairFiles | undefined;
  /** Health and metrics; never a public address. */
  readonly operationsPort: number;
  /** Where marketplace-admin, and nobody else, calls for operators; undefined for a service that has no routes of theirs. */
  readonly operatorsPort?: number | undefined;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** `iss` of every token. */
  readonly issuer: string;
  /** Public address of the gateway. */
  readonly baseUrl: string;
  /** Public address of the embed-gateway. */
  readonly embedApiUrl: string;
  /** Addresses or ranges whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Seconds for requests in progress to finish at shutdown. */
  readonly drainSeconds: number;
  readonly nats: MessagingConfig;
  readonly tracing?: TracingConfig | undefined;
}

/** Ports default to those of the development profile; the profile defaults to the strict one. */
export function serviceConfig(
  name: ServiceName,
  environment?: Readonly<Record<string, string | undefined>>,
): ServiceConfig {
  return readEnvironment((env) => {
    const profile = env.oneOf('PROFILE', PROFILES, { default: 'production' });
    const local = profile !== 'production';
    const port = env.port('PORT', { default: DEVELOPMENT_PORTS[name] });
    const baseUrl = env.url('BASE_URL', {
      ...(local && { default: 'http://127.0.0.1:8080' }),
      schemes: ['http', 'https'],
    });
    return {
      name,
      profile,
      host: env.string('HOST', { default: '127.0.0.1' }),
      port,
      tls: tlsConfig(env),
      operationsPort: env.port('OPS_PORT', { default: port === 0 ? 0 : port + OPERATIONS_PORT_OFFSET }),
      ...(servesOperators(name) && {
        operatorsPort: env.port('OPERATORS_PORT', { default: port === 0 ? 0 : port + OPERATORS_PORT_OFFSET }),
      }),
      logLevel: env.oneOf('LOG_LEVEL', LOG_LEVELS, { default: 'info' }),
      issuer: env.string('TOKEN_ISSUER', { default: baseUrl }),
      baseUrl,
      embedApiUrl: env.url('EMBED_API_URL', {
        ...(local && { default: 'http://127.0.0.1:8081' }),
        schemes: ['http', 'https'],
      }),
      trustedProxies: trustedProxies(env, name, profile),
      drainSeconds: env.integer('DRAIN_SECONDS', { default: 10, min: 0, max: 300 }),
      nats: {
        url: env.urls('NATS_URL', { ...(local && { default: 'nats://127.0.0.1:14222' }), schemes: ['nats', 'tls'] }),
        user: name,
        password: env.secret('NATS_PASSWORD'),
        service: name,
      },
      tracing: tracingConfig(env),
    };
  }, environment);
}

/** Said in TRUSTED_PROXIES where clients connect directly. */
const NO_PROXIES = 'none';

/**
 * In production each service must be told: behind an unknown load balancer or gateway all clients would be one, whose failed
 * sign-ins lock out everybody; a client taken for a load balancer could choose its own address.
 */
function trustedProxies(env: EnvironmentReader, name: ServiceName, profile: Profile): readonly string[] {
  const mustBeTold = profile === 'production';
  const usual = isEdge(name) ? [] : ['127.0.0.1', '::1'];
  const listed = env.list('TRUSTED_PROXIES', mustBeTold ? {} : { default: usual });
  if (mustBeTold && env.optional('TRUSTED_PROXIES') === undefined) {
    env.problem(
      'TRUSTED_PROXIES says whose X-Forwarded-For is believed: the addresses or ranges of the load balancer or gateway in front, ' +
        `separated by commas, or "${NO_PROXIES}" when clients connect directly`,
    );
  }
  if (!listed.includes(NO_PROXIES)) return listed;
  if (listed.length > 1) env.problem(`TRUSTED_PROXIES must be "${NO_PROXIES}" alone, or addresses and ranges`);
  return [];
}

/** The stream keeps events for 7 days; a day more, because both count from the start or the end of one. */
const INBOX_BEYOND_OUTBOX_DAYS = 8;

/** DATABASE_URL is of the runtime role; this and DATABASE_NARROW_URL can also be files (…_FILE). */
export function databaseConfig(
  name: StatefulService,
  environment?: Readonly<Record<string, string | undefined>>,
): DatabaseConfig {
  return readEnvironment((env) => {
    const schemes = ['postgres', 'postgresql'];
    const retentionDays = env.integersByName('RETENTION_DAYS', { default: {}, min: 1, max: 365 });
    if (retentionOf('inbox', retentionDays) < retentionOf('outbox', retentionDays) + INBOX_BEYOND_OUTBOX_DAYS) {
      env.problem(
        `RETENTION_DAYS must keep the inbox ${INBOX_BEYOND_OUTBOX_DAYS} days longer than the outbox at least`,
      );
    }
    return {
      url: env.url('DATABASE_URL', { schemes, secret: true }),
      narrowUrl: env.url('DATABASE_NARROW_URL', { schemes, secret: true }),
      poolSize: env.integer('DATABASE_POOL_SIZE', { default: 10, min: 1, max: 500 }),
      applicationName: DATABASES[name].database,
      retentionDays,
    };
  }, environment);
}
