import type { EventEnvelope } from '@crm/contracts';
import type { NewDelivery, Place } from '../ledger/ledger-entry.js';
import type { Receiver } from '../receivers/receiver.js';
import { deliveryId } from './delivery-id.js';

/** The part of an event that says where it stands among those of its record. */
type Positioned = Pick<EventEnvelope, 'subject' | 'recordversion'>;

/**
 * Where the deliveries of an event stand in the lines of its record.
 * @param streamSequence null when the event did not come from the stream
 * @returns null for an event without a record or a version of it, which has no order
 */
export const placeOf = ({ subject, recordversion }: Positioned, streamSequence: number | null): Place | null =>
  subject === undefined || recordversion === undefined
    ? null
    : { recordId: subject, recordVersion: recordversion, streamSequence };

/** A delivery that stands in line. Nothing is attempted before it is recorded. */
export const orderedDelivery = (
  eventId: string,
  { subscriptionId, url, enabled }: Receiver,
  place: Place,
): NewDelivery => ({
  id: deliveryId(eventId, subscriptionId),
  subscriptionId,
  // Subscriptions of apps have no order.
  app: null,
  url,
  status: enabled ? 'pending' : 'held',
  attempts: 0,
  outcome: null,
  dueAt: null,
  place,
  claim: null,
});
