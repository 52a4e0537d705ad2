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

export class DeadLetterStore {
  constructor(
    private readonly database: Database,
    private readonly consumer: string,
  ) {}

  /** Stores a message, or updates its problem. @returns its id, and whether this call stored it */
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

/** Before every global filter: an event has no caller, and a filter that answered would acknowledge it. */
@Catch()
export class OriginalErrorFilter implements ExceptionFilter {
  catch(thrown: unknown): Observable<never> {
    return throwError(() => thrown);
  }
}

export class EventContext {
  /** @param tx also records the event as handled: an effect in it happens once */
  constructor(
    readonly tx: TenantTransaction,
    readonly consumer: ConsumerDefinition,
  ) {}
}

export class EventReceipt implements Receipt {
  /** From 1; 0 for a replayed dead letter. One is no proof that the event is new: a lost stream is published again. */
  readonly deliveryCount: number;
  /** The message's place in the stream; null for a dead letter that is replayed. A stream that was lost counts from 1 again. */
  readonly streamSequence: number | null;
  /** When the stream stored it, by the broker's clock: distinguishes streams. */
  readonly storedAt: Date | null;
  readonly shouldPutOff: boolean;

  constructor(
    { deliveryCount, streamSequence, storedAt, shouldPutOff }: Receipt,
    readonly consumer: ConsumerDefinition,
  ) {
    this.deliveryCount = deliveryCount;
    this.streamSequence = streamSequence;
    this.storedAt = storedAt;
    this.shouldPutOff = shouldPutOff;
  }
}

export type EventMethod = (event: EventEnvelope, tx: TenantTransaction) => Promise<void>;

export interface Receipt {
  /** How often the broker has delivered the message; 0 for a dead letter that is replayed. */
  readonly deliveryCount: number;
  readonly streamSequence: number | null;
  readonly storedAt: Date | null;
  /** True when what can be done later should be: others' events cannot be read for all that waits of this tenant, or the process ends. */
  readonly shouldPutOff: boolean;
}

/** Handles an event that may have been handled before, and resolves when its effect is committed. */
export type IdempotentMethod = (event: EventEnvelope, receipt: Receipt) => Promise<void>;

export interface EventHandling {
  readonly isOrdered: boolean;
  wants(event: EventEnvelope): boolean;
  /** @param deadLetterId a stored dead letter of the event, which is marked as replayed when the handling succeeds */
  handle(event: EventEnvelope, receipt: Receipt, deadLetterId?: string): Promise<'handled' | 'double'>;
  /** @param tx holds the dead letter, so that there is one replay at a time */
  replay(event: EventEnvelope, tx: TenantTransaction): Promise<void>;
}

/** The handlers of a consumer, in the order in which they were added; those of an event run one after the other. */
class Handlers<Method> {
  private readonly added: { readonly events: readonly EventName[] | 'all'; readonly method: Method }[] = [];

  add(events: readonly EventName[] | 'all', method: Method): void {
    this.added.push({ events, method });
  }

  wants(event: EventEnvelope): boolean {
    return this.methodsFor(event).length > 0;
  }

  protected methodsFor({ type }: EventEnvelope): Method[] {
    const added = this.added.filter(({ events }) => events === 'all' || events.includes(type as EventName));
    return added.map(({ method }) => method);
  }
}

/** The effect and the inbox row that keeps it from happening twice are one transaction. */
export class TransactionalHandling extends Handlers<EventMethod> implements EventHandling {
  readonly isOrdered = true;

  constructor(
    private readonly database: Database,
    private readonly consumer: string,
  ) {
    super();
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
    for (const method of this.methodsFor(event)) await method(event, tx);
    return true;
  }
}

/** The handlers recognise by themselves what they have handled; there is no transaction and no inbox row. */
export class IdempotentHandling extends Handlers<IdempotentMethod> implements EventHandling {
  readonly isOrdered = false;

  constructor(private readonly database: Database) {
    super();
  }

  async handle(event: EventEnvelope, receipt: Receipt, deadLetterId?: string): Promise<'handled'> {
    for (const method of this.methodsFor(event)) await method(event, receipt);
    if (deadLetterId !== undefined) {
      await this.database.transaction(event.tenantid, (tx) => markReplayed(tx, deadLetterId));
    }
    return 'handled';
  }

  async replay(event: EventEnvelope): Promise<void> {
    const receipt = { deliveryCount: 0, streamSequence: null, storedAt: null, shouldPutOff: false };
    await this.handle(event, receipt);
  }
}

/** @returns false when no such dead letter waits; it stays when the handlers throw or it is no event of this tenant */
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

export const ALL_EVENTS = '*';

type Handler = (event: EventEnvelope, ...bound: never[]) => Promise<void>;

/**
 * Nest's `EventPattern`, with the event as `@Payload()` and an {@link EventContext} as `@Ctx()`, in whose transaction
 * it is recorded as handled. An exception rolls both back; SERVICE_UNAVAILABLE or DEADLINE_EXCEEDED: waiting helps.
 */
export function EventHandler(consumer: ConsumerDefinition, events: EventName | readonly EventName[] | 'all') {
  return handlerOf(events, { consumer });
}

/**
 * For a handler that recognises by what it has stored an event that comes again: no transaction, no inbox row, no
 * order. The event is acknowledged when it resolves, so it must not resolve before its effect is committed.
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
