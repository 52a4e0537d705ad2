import { idOf, millisecondsOfId } from '@crm/database';

/**
 * The id of the delivery of an event to a subscription: always the same, so that an event that comes again makes no second
 * delivery. It has the time of the event's id: deliveries sort by their events, and are in the partition of their day.
 */
export function deliveryId(eventId: string, subscriptionId: string): string {
  const event = eventId.toLowerCase();
  return idOf(millisecondsOfId(event), event, subscriptionId);
}
