import { hash } from 'node:crypto';
import type { EventName } from './events/catalogue.js';
import type { ServiceName } from './services.js';

/** The stream that carries every domain event. */
export const EVENT_STREAM = {
  name: 'EVENTS',
  subjects: ['events.>'],
  /** Seven days, in nanoseconds: as long as published outbox rows are kept. */
  maxAgeNanos: 7 * 24 * 3600 * 1_000_000_000,
  /** Time within which the broker drops a second message with the same `Nats-Msg-Id`, in nanoseconds. */
  duplicateWindowNanos: 120 * 1_000_000_000,
} as const;

/** Header with the tenant of an event: a subject per tenant would cost the broker memory for each. */
export const TENANT_HEADER = 'Crm-Tenant';

const TENANT_BUCKETS = 256;

/** The bucket, 0 to 255, that a tenant's events are published under. */
export function tenantBucket(tenantId: string): number {
  return Number.parseInt(hash('sha256', tenantId.toLowerCase()).slice(0, 4), 16) % TENANT_BUCKETS;
}

/** `events.<domain>.<action>.<bucket>` */
export function eventSubject(name: EventName, tenantId: string): string {
  return `events.${name}.${tenantBucket(tenantId)}`;
}

/** A durable pull consumer on the event stream. */
export interface ConsumerDefinition {
  /** Durable name; also the `consumer` of the inbox rows. */
  readonly durable: string;
  readonly service: ServiceName;
  /** Which events, or all. */
  readonly events: readonly EventName[] | 'all';
  /** Milliseconds that handling a message may take before it is delivered again. */
  readonly ackWaitMs: number;
  /** Deliveries after which a message becomes a dead letter: stored with its error and terminated. */
  readonly maxDeliveries: number;
  /** Events that one process handles at the same time. */
  readonly concurrency: number;
  /** Events that wait in a process at most; among these, tenants take turns. */
  readonly readAhead?: number;
  /** Unacknowledged events over all processes, after which the server waits. */
  readonly maxAckPending: number;
}

/** The consumer of a service, named after it. */
const consumerOf = <const S extends ServiceName, const D extends Partial<ConsumerDefinition>>(service: S, own: D) =>
  ({ durable: service, service, ackWaitMs: 10_000, maxDeliveries: 10, ...own }) as const;

export const CONSUMERS = {
  'webhook-dispatcher': consumerOf('webhook-dispatcher', {
    events: 'all',
    // An event is in progress while its first attempts are: mostly waiting, and not for a transaction each.
    concurrency: 512,
    // An import may fill it; what stands behind it is read as well.
    readAhead: 16_384,
    maxAckPending: 65_536,
  }),
  'automation-hooks': consumerOf('automation-hooks', { events: 'all', concurrency: 16, maxAckPending: 1_000 }),
  identity: consumerOf('identity', {
    // Told to people by mail, which identity sends, and kept in the audit trail of the workspace.
    events: [
      'webhook.endpoint_disabled',
      'app.installed',
      'app.upgraded',
      'app.uninstalled',
      'app.status_changed',
      'submission.decided',
    ],
    concurrency: 4,
    maxAckPending: 100,
  }),
  // What a user wrote about apps is forgotten with the user.
  'marketplace-certification': consumerOf('marketplace-certification', {
    events: ['user.erased'],
    concurrency: 4,
    maxAckPending: 100,
  }),
} as const satisfies Record<string, ConsumerDefinition>;

/**
 * Reads the headers of a service's own events when a record is erased, to find its messages and remove them. Only one scan at a time:
 * its name is in the rights at the broker.
 */
export const ERASURE_CONSUMER = { name: 'erasure', service: 'custom-objects' } as const;

/** Key-value bucket with the cut-offs that revoke tokens; identity writes, every verifier watches. */
export const REVOCATION_BUCKET = 'revocations';
