import { hash } from 'node:crypto';

/** The first 12 hexadecimal digits of a UUIDv7: Unix milliseconds. */
const TIME_DIGITS = 12;

/**
 * The id of the delivery of an event to a subscription: always the same, so that an event that comes again makes no second
 * delivery. A UUIDv7 (RFC 9562) with the time of the event's id, so that deliveries sort by their events, and with bits of a
 * hash of both ids where others are random.
 */
export function deliveryId(eventId: string, subscriptionId: string): string {
  const time = eventId.replace('-', '').slice(0, TIME_DIGITS).toLowerCase();
  const bits = hash('sha256', `${eventId.toLowerCase()} ${subscriptionId}`, 'hex');
  // The variant `10` leaves two bits of its digit.
  const variant = (8 + (Number.parseInt(bits.charAt(3), 16) & 3)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${bits.slice(0, 3)}-${variant}${bits.slice(4, 7)}-${bits.slice(7, 19)}`;
}
