import type { ConsumerDefinition, EventEnvelope, EventName } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { SetMetadata } from '@nestjs/common';

export const EVENT_SUBSCRIPTION = 'crm:event-subscription';

export type EventMethod = (event: EventEnvelope, tx: TenantTransaction) => Promise<void>;

export interface EventSubscription {
  readonly consumer: ConsumerDefinition;
  readonly events: readonly EventName[] | 'all';
}

/**
 * Makes a method of a provider handle events of a durable consumer. It runs in the tenant transaction that also notes the
 * event as handled, so its effect happens once however often the event is delivered. What it throws rolls both back and
 * the event comes again later; a PlatformError SERVICE_UNAVAILABLE or DEADLINE_EXCEEDED says that waiting will help,
 * unless it tells of a statement in `tx` that took too long or too much memory.
 */
export function EventHandler(consumer: ConsumerDefinition, events: EventName | readonly EventName[] | 'all') {
  const list = events === 'all' ? events : ([events].flat() as EventName[]);
  const subscription: EventSubscription = { consumer, events: list };
  return <T extends EventMethod>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<T>,
  ): void => {
    SetMetadata(EVENT_SUBSCRIPTION, subscription)(target, key, descriptor as TypedPropertyDescriptor<unknown>);
  };
}
