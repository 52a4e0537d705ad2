import { Public } from '@crm/access';
import type { ConsumerDefinition, EventEnvelope, EventName } from '@crm/contracts';
import { applyDecorators, UseFilters } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { requirePayload } from '../require-payload.js';
import { OriginalErrorFilter } from './original-error.filter.js';

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
