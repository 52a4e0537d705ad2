import type { Broker } from './broker.js';
import type { DatabaseOwner, Databases } from './databases.js';

/** An event in the outbox of custom-objects: its lead was committed. */
export interface CommittedEvent {
  readonly id: string;
  readonly tenantId: string;
  readonly leadId: string;
}

export interface LoggedDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly subscriptionId: string;
  readonly status: string;
  /** Made. */
  readonly attempts: number;
  /** Their numbers, in order. */
  readonly numbers: readonly number[];
  /** What each was answered, in order; null when there was no answer. */
  readonly answers: readonly (number | null)[];
}

const COMMITTED_EVENTS = `
  SELECT id, tenant_id AS "tenantId", envelope ->> 'subject' AS "leadId" FROM outbox WHERE name = 'lead.created'`;

const DELIVERIES = `
  SELECT delivery.id, event_id AS "eventId", subscription_id AS "subscriptionId", status, attempts,
         coalesce(before.numbers, '{}') || delivery.attempts AS numbers,
         coalesce(before.answers, '{}') || delivery.http_status AS answers
    FROM delivery
    LEFT JOIN LATERAL (SELECT array_agg(number ORDER BY number) AS numbers, array_agg(http_status ORDER BY number) AS answers
                         FROM delivery_attempt
                        WHERE tenant_id = delivery.tenant_id AND delivery_id = delivery.id) AS before ON true`;

const DEAD_LETTERS = 'SELECT consumer, subject, deliveries, error FROM dead_letter LIMIT 5';

/** What must be empty in the end, in the database of every service. */
const LEFT_EVERYWHERE: Readonly<Record<string, string>> = {
  'outbox rows that are not published': `
    SELECT count(*)::int AS count FROM outbox
     WHERE NOT EXISTS (SELECT FROM (SELECT published FROM outbox_position ORDER BY since DESC LIMIT 1) AS newest
                        WHERE newest.published @> outbox.seq)`,
  'dead letters': 'SELECT count(*)::int AS count FROM dead_letter',
};

/** The same where webhooks are sent. */
const LEFT_AT_DISPATCHERS: Readonly<Record<string, string>> = {
  'deliveries that are due': 'SELECT count(*)::int AS count FROM due_delivery',
  claims: 'SELECT count(*)::int AS count FROM due_delivery WHERE claim IS NOT NULL',
  'deliveries that have not ended': `
    SELECT count(*)::int AS count FROM delivery WHERE status NOT IN ('delivered', 'failed')`,
  'disabled subscriptions': 'SELECT count(*)::int AS count FROM webhook_subscription WHERE NOT enabled',
};

/** What the databases and the broker say became of the events. */
export class Ledger {
  constructor(
    private readonly databases: Databases,
    private readonly broker: Broker,
  ) {}

  listCommittedEvents(): Promise<CommittedEvent[]> {
    return this.databases.query<CommittedEvent>('custom-objects', COMMITTED_EVENTS);
  }

  listDeliveries(): Promise<LoggedDelivery[]> {
    return this.databases.query<LoggedDelivery>('webhook-dispatcher', DELIVERIES);
  }

  /** @returns what is left over, as `<service>: <what>`, with how many of it; empty when nothing waits any more */
  async listLeftovers(): Promise<Record<string, number>> {
    const pending = await this.broker.countPending();
    const counts = {
      'NATS: events that the dispatchers have not acknowledged': pending,
      ...(await this.count('custom-objects', LEFT_EVERYWHERE)),
      ...(await this.count('webhook-dispatcher', { ...LEFT_EVERYWHERE, ...LEFT_AT_DISPATCHERS })),
    };
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  }

  /** What became dead letters, and why. */
  async describeDeadLetters(): Promise<string> {
    const services = ['custom-objects', 'webhook-dispatcher'] as const;
    const found = services.map((service) => this.databases.query<object>(service, DEAD_LETTERS));
    return JSON.stringify((await Promise.all(found)).flat(), null, 2);
  }

  private async count(service: DatabaseOwner, statements: Readonly<Record<string, string>>) {
    const counts: Record<string, number> = {};
    for (const [what, sql] of Object.entries(statements)) {
      const [row] = await this.databases.query<{ count: number }>(service, sql);
      counts[`${service}: ${what}`] = row?.count ?? 0;
    }
    return counts;
  }
}
