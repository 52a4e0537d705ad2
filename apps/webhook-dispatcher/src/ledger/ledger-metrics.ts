import { counter } from '@crm/telemetry';

/** Alarm on an increase: a subscription holds as many deliveries as it may, and events are lost to it. */
export const droppedDeliveries = counter(
  'webhook_held_dropped_total',
  'Deliveries that were not held, because their subscription holds as many as it may',
);
