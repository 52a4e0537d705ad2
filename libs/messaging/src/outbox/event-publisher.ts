import { EVENT_STREAM, TENANT_HEADER } from '@crm/contracts';
import type { OutboxEvent } from '@crm/database';
import { isTracing, type Span, type SpanDescription, startSpan } from '@crm/telemetry';
import { type ApiError, JetStreamApiError, type PubAck } from '@nats-io/jetstream';
import {
  createInbox,
  errors,
  headers,
  type Msg,
  type MsgHdrs,
  type Status,
  type Subscription,
} from '@nats-io/nats-core';
import { inboxPrefix } from '../broker-names.js';
import type { NatsConnection } from '../nats-connection.js';
import { TRACEPARENT_HEADER } from '../rpc/wire.js';

export type EventOutcome = number | Error;

/** Collects, in whatever order they come, the acknowledgements and refusals of a batch of events. */
class Acknowledgements {
  private readonly outcomes: (EventOutcome | undefined)[];
  private missing: number;
  private resolve!: (outcomes: EventOutcome[]) => void;
  /** Resolves once every event is acknowledged or has failed, in the order of the events. */
  readonly complete = new Promise<EventOutcome[]>((resolve) => {
    this.resolve = resolve;
  });

  constructor(size: number) {
    this.outcomes = new Array(size);
    this.missing = size;
    if (size === 0) this.resolve([]);
  }

  /** The first outcome of an event counts. An index outside of the batch belongs to an earlier one. */
  settle(index: number, outcome: EventOutcome): void {
    if (!(index >= 0 && index < this.outcomes.length) || this.outcomes[index] !== undefined) return;
    this.outcomes[index] = outcome;
    this.missing -= 1;
    if (this.missing === 0) this.resolve(this.outcomes as EventOutcome[]);
  }

  failRest(reason: Error): void {
    for (let index = 0; index < this.outcomes.length; index += 1) this.settle(index, reason);
  }
}

type SentEvent = Pick<OutboxEvent, 'id' | 'subject' | 'envelope'>;

/** Members stand before the data, where quotation marks are escaped: the first match is the envelope's own member. */
const TRACEPARENT = /"traceparent"\s*:\s*"([^"\\]{1,128})"/;

/** The name of the event, without the bucket, which says something about the tenant. */
export const destinationOf = (subject: string): string => subject.split('.').slice(0, 3).join('.');

const describePublishing = ({ id, subject }: SentEvent): SpanDescription => ({
  name: `send ${destinationOf(subject)}`,
  kind: 'producer',
  attributes: {
    'messaging.system': 'nats',
    'messaging.operation.name': 'send',
    'messaging.operation.type': 'send',
    'messaging.destination.name': destinationOf(subject),
    'messaging.message.id': id,
  },
});

/** Begins the span of an event's way to the stream, below what has caused the event. */
export const startPublishing = (event: SentEvent): Span | undefined =>
  startSpan(TRACEPARENT.exec(event.envelope)?.[1], describePublishing, event);

export function endPublishing(span: Span | undefined, outcome: EventOutcome | undefined): void {
  if (!span) return;
  if (outcome instanceof Error) span.fail(outcome);
  span.end();
}

type PublishedEvent = Pick<OutboxEvent, 'id' | 'tenantId' | 'subject' | 'envelope'>;

interface Batch {
  readonly events: readonly PublishedEvent[];
  readonly first: number;
  readonly acknowledgements: Acknowledgements;
  readonly spans: readonly (Span | undefined)[] | undefined;
}

const ACK_TIMEOUT_MS = 5_000;

/**
 * The JetStream client's `publish` makes a request of every event, with a timer, promises and stacks. Here one
 * subscription takes the acknowledgements of all batches, by the number in the reply subject (decision record 0130).
 */
export class EventPublisher {
  private readonly inbox: string;
  private readonly removeStatusListener: () => void;
  private subscription: Subscription | undefined;
  private batch: Batch | undefined;
  /** No number is used twice, so that an acknowledgement that comes too late meets no other event. */
  private nextNumber = 0;

  constructor(
    private readonly nats: NatsConnection,
    private readonly ackTimeoutMs = ACK_TIMEOUT_MS,
  ) {
    this.inbox = `${createInbox(inboxPrefix(nats.service))}.`;
    this.removeStatusListener = nats.onStatus((status) => this.judgeStatus(status));
  }

  /** A failed event does not keep others from being sent. @returns what became of each, in the order of the events */
  async publish(events: readonly PublishedEvent[]): Promise<EventOutcome[]> {
    if (this.batch) throw new Error('The publisher takes one batch at a time');
    const acknowledgements = new Acknowledgements(events.length);
    const timer = setTimeout(() => acknowledgements.failRest(new errors.TimeoutError()), this.ackTimeoutMs);
    const spans = isTracing() ? events.map(startPublishing) : undefined;
    this.batch = { events, first: this.nextNumber, acknowledgements, spans };
    this.nextNumber += events.length;
    try {
      this.send(this.batch);
      const outcomes = await acknowledgements.complete;
      for (const [index, span] of spans?.entries() ?? []) endPublishing(span, outcomes[index]);
      return outcomes;
    } finally {
      clearTimeout(timer);
      this.batch = undefined;
    }
  }

  close(): void {
    this.removeStatusListener();
    this.subscription?.unsubscribe();
  }

  private send({ events, first, acknowledgements, spans }: Batch): void {
    for (const [index, event] of events.entries()) {
      try {
        this.listen();
        this.nats.connection.publish(event.subject, event.envelope, {
          headers: headersOf(event, spans?.[index]),
          reply: `${this.inbox}${first + index}`,
        });
      } catch (error) {
        // The client refuses what is larger than the server's max_payload, and everything once it is closed.
        acknowledgements.settle(index, asError(error));
      }
    }
  }

  /** The client subscribes again by itself after a reconnection, but not after the server has refused it. */
  private listen(): void {
    if (this.subscription?.isClosed() === false) return;
    this.subscription = this.nats.connection.subscribe(`${this.inbox}*`, {
      callback: (error, message) => {
        if (error) this.batch?.acknowledgements.failRest(error);
        else this.judgeReply(message);
      },
    });
  }

  private judgeReply(message: Msg): void {
    if (!this.batch) return;
    const { events, first, acknowledgements } = this.batch;
    const index = Number(message.subject.slice(this.inbox.length)) - first;
    acknowledgements.settle(index, outcomeIn(message, events[index]?.subject));
  }

  private judgeStatus(status: Status): void {
    if (!this.batch) return;
    const { events, acknowledgements } = this.batch;
    if (status.type === 'disconnect' || status.type === 'close') {
      // Acknowledgements that are still under way have nowhere to go.
      acknowledgements.failRest(new errors.ConnectionError('the connection to the broker was lost'));
    } else if (status.type === 'error' && status.error instanceof errors.PermissionViolationError) {
      const { operation, subject } = status.error;
      if (operation !== 'publish') return;
      for (const [index, event] of events.entries()) {
        if (event.subject === subject) acknowledgements.settle(index, status.error);
      }
    }
  }
}

function headersOf(event: PublishedEvent, span: Span | undefined): MsgHdrs {
  // `append`, because `set` looks for what it would replace.
  const result = headers();
  result.append('Nats-Expected-Stream', EVENT_STREAM.name);
  result.append('Nats-Msg-Id', event.id);
  result.append(TENANT_HEADER, event.tenantId);
  // The envelope names what has caused the event; its way through the stream is recorded below this.
  if (span) result.append(TRACEPARENT_HEADER, span.traceparent);
  return result;
}

/** The number in the stream that the reply acknowledges, or why it is no acknowledgement by the stream. */
function outcomeIn(message: Msg, subject = ''): EventOutcome {
  if (message.data.length === 0 && message.headers?.code === 503) return new errors.NoRespondersError(subject);
  let reply: Partial<PubAck & { error: ApiError }> | null;
  try {
    reply = message.json();
  } catch (error) {
    return asError(error);
  }
  if (reply?.error) return new JetStreamApiError(reply.error);
  if (reply?.stream === EVENT_STREAM.name && typeof reply.seq === 'number') return reply.seq;
  return new Error('The reply is no acknowledgement by the stream');
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
