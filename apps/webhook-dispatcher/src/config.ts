import { readFileSync } from 'node:fs';
import type { DatabaseConfig } from '@crm/database';
import { assertNoEgressExceptionsInProduction, type HostPort, parseEgressAllow } from '@crm/egress';
import { databaseConfig, encryptionKeys, readEnvironment, type ServiceConfig, serviceConfig } from '@crm/runtime';

export const WEBHOOK_CONFIG = Symbol('webhook configuration');

export interface WebhookConfig {
  service: ServiceConfig;
  database: DatabaseConfig;
  /** One key, or a ring (`id:key,id:key`) whose first one seals. */
  keyEncryptionKey: string;
  egress: {
    /** Hosts and ports that may be called although the address policy refuses them; never in production. */
    allow: HostPort[];
    /** PEM of the certificate authority of those hosts. */
    ca?: string;
  };
  /** Includes those of apps: one event can become as many deliveries. */
  subscriptionsPerTenant: number;
  /** What a paused or disabled subscription gets beyond it is counted and not kept. */
  heldPerSubscription: number;
  delivery: DeliveryConfig;
}

export interface DeliveryConfig {
  /** Milliseconds before each attempt, including the first. */
  retryDelaysMs: readonly number[];
  /** Attempts that this process makes at the same time, apart from slow ones: as many of new deliveries, as many of others. */
  concurrency: number;
  /** Attempts that have taken over a second and go on. */
  slowConcurrency: number;
  /** Attempts that this process makes at the same time for one subscription that answers quickly. */
  concurrencyPerSubscription: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays before the attempts, each from the previous one: the schedule of Standard Webhooks, extended to three days. */
export const DEFAULT_RETRY_DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Reads a schedule such as `0s,5s,5m,2h`, in milliseconds. */
export function parseDelays(text: string): number[] {
  const units: Record<string, number> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR };
  return text.split(',').map((part) => {
    const match = /^\s*([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)\s*$/.exec(part);
    const unit = units[match?.[2] ?? ''];
    if (!match || unit === undefined)
      throw new Error(`WEBHOOK_RETRY_DELAYS: "${part}" is not a delay such as 5s or 2h`);
    return Number(match[1]) * unit;
  });
}

export function loadConfig(): WebhookConfig {
  const { allow, caFile, retryDelays, delivery, ...config } = readEnvironment((read) => ({
    service: serviceConfig('webhook-dispatcher'),
    database: databaseConfig('webhook-dispatcher'),
    keyEncryptionKey: encryptionKeys(read, 'KEY_ENCRYPTION_KEY'),
    allow: read.string('EGRESS_ALLOW', { default: '' }),
    caFile: read.string('EGRESS_CA_FILE', { default: '' }),
    retryDelays: read.string('WEBHOOK_RETRY_DELAYS', { default: '' }),
    delivery: {
      concurrency: read.integer('WEBHOOK_CONCURRENCY', { default: 256, min: 1, max: 4096 }),
      slowConcurrency: read.integer('WEBHOOK_SLOW_CONCURRENCY', { default: 4096, min: 1, max: 65_536 }),
      concurrencyPerSubscription: read.integer('WEBHOOK_CONCURRENCY_PER_SUBSCRIPTION', {
        default: 64,
        min: 1,
        max: 1000,
      }),
    },
    subscriptionsPerTenant: read.integer('SUBSCRIPTIONS_PER_TENANT', { default: 100, min: 1, max: 1000 }),
    heldPerSubscription: read.integer('WEBHOOK_HELD_PER_SUBSCRIPTION', { default: 100_000, min: 1, max: 10_000_000 }),
  }));
  assertNoEgressExceptionsInProduction({ profile: config.service.profile, allow, caFile });
  const egress = { allow: parseEgressAllow(allow), ...(caFile === '' ? {} : { ca: readFileSync(caFile, 'utf8') }) };
  const retryDelaysMs = retryDelays === '' ? DEFAULT_RETRY_DELAYS_MS : parseDelays(retryDelays);
  return { ...config, egress, delivery: { retryDelaysMs, ...delivery } };
}
