import { continueTrace, Public } from '@crm/access';
import type { ConsumerDefinition, EventEnvelope, EventName } from '@crm/contracts';
import {
  type Database,
  lockDeadLetter,
  markReplayed,
  recordInbox,
  storeDeadLetter,
  type TenantTransaction,
  type TransactionOrigin,
} from '@crm/database';
import type { JsMsg } from '@nats-io/jetstream';
import { applyDecorators, Catch, type ExceptionFilter, UseFilters } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';
import { requirePayload } from '../require-payload.js';
import { messageKey, type ReceivedEvent, readEvent, tenantOfMessage } from './received-event.js';

/** Stores the messages that a consumer cannot handle, unchanged. */
export class DeadLetterStore {
  constructor(
    private readonly database: Database,
    private readonly consumer: string,
  ) {}

  /**
   * Stores a message, or updates its problem.
   * @param problem why it cannot be handled, for operators
   * @returns the id of the stored message, and whether this call stored it
   */
  store(message: JsMsg, event: ReceivedEvent, problem: string): Promise<{ id: string; isNew: boolean }> {
    return this.database.transaction(tenantOfMessage(message, event), (tx) =>
      storeDeadLetter(tx, {
        consumer: this.consumer,
        messageKey: messageKey(message),
        sentAt: Number(message.timestampNanos / 1_000_000n),
        eventId: event.ok ? event.envelope.id : null,
        subject: message.subject,
        payload: Buffer.from(message.data),
        error: problem,
        deliveries: message.info.deliveryCount,
      }),
    );
  }
}

/**
 * Passes on the original error of an event handler. From it the consumer decides whether waiting helps, and operators see
 * it with the dead letter. It comes before every global filter: an event has no caller, and a filter that answered would
 * acknowledge it.
 */
@Catch()
export class OriginalErrorFilter implements ExceptionFilter {
  catch(thrown: unknown): Observable<never> {
    return throwError(() => thrown);
  }
}

/** What `@Ctx()` gives the handler of an event. */
export class EventContext {
  /**
   * @param tx transaction of the event's tenant, which also records the event as handled: an effect in it happens once
   * @param consumer the durable consumer that received the event
   */
  constructor(
    readonly tx: TenantTransaction,
    readonly consumer: ConsumerDefinition,
  ) {}
}

/** What `@Ctx()` gives an idempotent handler. */
export class EventReceipt implements Receipt {
  /**
   * How often the broker has delivered the message, from 1; 0 for a dead letter that is replayed. One is no proof that the
   * event is new: what is published again, because the stream was lost, is a new message.
   */
  readonly deliveryCount: number;
  /** The message's place in the stream; null for a dead letter that is replayed. A stream that was lost counts from 1 again. */
  readonly streamSequence: number | null;

  constructor(
    { deliveryCount, streamSequence }: Receipt,
    readonly consumer: ConsumerDefinition,
  ) {
    this.deliveryCount = deliveryCount;
    this.streamSequence = streamSequence;
  }
}

/** Handles an event in the transaction of its tenant. */
export type EventMethod = (event: EventEnvelope, tx: TenantTransaction) => Promise<void>;

/** How an event came. */
export interface Receipt {
  /** How often the broker has delivered the message; 0 for a dead letter that is replayed. */
  readonly deliveryCount: number;
  /** The message's place in the stream; null for a dead letter that is replayed. */
  readonly streamSequence: number | null;
}

/** Handles an event that may have been handled before, and resolves when its effect is committed. */
export type IdempotentMethod = (event: EventEnvelope, receipt: Receipt) => Promise<void>;

/** What a consumer does with an event that it has read. */
export interface EventHandling {
  /** Whether the events of a record are handled in the order of arrival. */
  readonly isOrdered: boolean;
  /** Whether there is a handler for the event. */
  wants(event: EventEnvelope): boolean;
  /** @param deadLetterId a stored dead letter of the event, which is marked as replayed when the handling succeeds */
  handle(event: EventEnvelope, receipt: Receipt, deadLetterId?: string): Promise<'handled' | 'double'>;
  /**
   * Handles the event of a dead letter, of which there is at most one replay at a time.
   * @param tx holds the dead letter
   * @throws what the handlers throw
   */
  replay(event: EventEnvelope, tx: TenantTransaction): Promise<void>;
}

/** The handlers of a consumer, in the order in which they were added; those of an event run one after the other. */
class Handlers<Method> {
  private readonly added: { readonly events: readonly EventName[] | 'all'; readonly method: Method }[] = [];

  add(events: readonly EventName[] | 'all', method: Method): void {
    this.added.push({ events, method });
  }

  of({ type }: EventEnvelope): Method[] {
    return this.added
      .filter(({ events }) => events === 'all' || events.includes(type as EventName))
      .map(({ method }) => method);
  }
}

/** The effect and the inbox row that keeps it from happening twice are one transaction. */
export class TransactionalHandling implements EventHandling {
  readonly isOrdered = true;
  readonly handlers = new Handlers<EventMethod>();

  constructor(
    private readonly database: Database,
    private readonly consumer: string,
  ) {}

  wants(event: EventEnvelope): boolean {
    return this.handlers.of(event).length > 0;
  }

  handle(event: EventEnvelope, _receipt: Receipt, deadLetterId?: string): Promise<'handled' | 'double'> {
    return this.database.transaction(originOf(event), async (tx) => {
      const isNew = await this.handleOnce(event, tx);
      if (deadLetterId !== undefined) await markReplayed(tx, deadLetterId);
      return isNew ? 'handled' : 'double';
    });
  }

  async replay(event: EventEnvelope, tx: TenantTransaction): Promise<void> {
    tx.origin = originOf(event);
    await this.handleOnce(event, tx);
  }

  /** @throws Error when the transaction is of another tenant than the event, because the other tenant's receivers would get its data */
  private async handleOnce(event: EventEnvelope, tx: TenantTransaction): Promise<boolean> {
    if (event.tenantid.toLowerCase() !== tx.tenantId) {
      throw new Error('The event belongs to another tenant than the transaction');
    }
    if (!(await recordInbox(tx, this.consumer, event.id))) return false;
    for (const method of this.handlers.of(event)) await method(event, tx);
    return true;
  }
}

/** The handlers recognise by themselves what they have handled; there is no transaction and no inbox row. */
export class IdempotentHandling implements EventHandling {
  readonly isOrdered = false;
  readonly handlers = new Handlers<IdempotentMethod>();

  constructor(private readonly database: Database) {}

  wants(event: EventEnvelope): boolean {
    return this.handlers.of(event).length > 0;
  }

  async handle(event: EventEnvelope, receipt: Receipt, deadLetterId?: string): Promise<'handled'> {
    for (const method of this.handlers.of(event)) await method(event, receipt);
    if (deadLetterId !== undefined) {
      await this.database.transaction(event.tenantid, (tx) => markReplayed(tx, deadLetterId));
    }
    return 'handled';
  }

  async replay(event: EventEnvelope): Promise<void> {
    await this.handle(event, { deliveryCount: 0, streamSequence: null });
  }
}

/**
 * Replays a dead letter of a consumer.
 * @returns false when there is no such dead letter or it was replayed
 * @throws what the handlers throw, and Error for a message that is not an event of this tenant; the dead letter stays
 */
export function replayDeadLetter(
  database: Database,
  consumer: string,
  handling: EventHandling,
  { tenantId, deadLetterId }: { readonly tenantId: string; readonly deadLetterId: string },
): Promise<boolean> {
  return database.transaction(tenantId, async (tx) => {
    const stored = await lockDeadLetter(tx, deadLetterId);
    if (!stored || stored.consumer !== consumer) return false;
    // The header is not stored; a message that names two tenants is stored for the tenant in its header, and stays there.
    const event = readEvent(stored.payload, stored.tenantId);
    if (!event.ok) throw new Error(event.problem);
    event.envelope.traceparent = continueTrace(event.envelope.traceparent);
    await handling.replay(event.envelope, tx);
    await markReplayed(tx, deadLetterId);
    return true;
  });
}

/** Events of the handler belong to the request that caused the event. */
const originOf = ({ tenantid, traceparent }: EventEnvelope): TransactionOrigin => ({ tenantId: tenantid, traceparent });

/** The pattern of a handler for all events. */
export const ALL_EVENTS = '*';

type Handler = (event: EventEnvelope, ...bound: never[]) => Promise<void>;

/**
 * Makes a method of a controller handle events of a durable consumer: Nest's `EventPattern` of their names. It gets the
 * event as `@Payload()` and, as `@Ctx()`, an {@link EventContext} with the tenant transaction that also records the
 * event as handled, so that its effect happens once however often the event is delivered. An exception rolls both back
 * and the event is delivered again later; a PlatformError SERVICE_UNAVAILABLE or DEADLINE_EXCEEDED means that waiting will
 * help, unless it is due to a statement in `tx` that took too long or too much memory.
 */
export function EventHandler(consumer: ConsumerDefinition, events: EventName | readonly EventName[] | 'all') {
  return handlerOf(events, { consumer });
}

/**
 * Like EventHandler, for a handler that stores its effect itself and recognises an event that comes again by what it has
 * stored: there is no transaction and no inbox row. It gets an {@link EventReceipt} as `@Ctx()`; the event is acknowledged
 * when it resolves, so it must not resolve before its effect is committed. The events of a record are not in order.
 */
export function IdempotentEventHandler(consumer: ConsumerDefinition, events: EventName | readonly EventName[] | 'all') {
  return handlerOf(events, { consumer, isIdempotent: true });
}

function handlerOf(
  events: EventName | readonly EventName[] | 'all',
  extras: { consumer: ConsumerDefinition; isIdempotent?: true },
) {
  const patterns = events === 'all' ? [ALL_EVENTS] : [events].flat();
  return <T extends Handler>(target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<T>): void => {
    requirePayload(target, key, descriptor.value);
    applyDecorators(EventPattern(patterns, extras), UseFilters(OriginalErrorFilter), Public())(target, key, descriptor);
  };
}
