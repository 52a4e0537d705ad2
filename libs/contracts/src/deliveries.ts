/** What can become of a delivery of an event to a subscription. */
export const DELIVERY_STATUSES = ['pending', 'retrying', 'delivered', 'failed', 'blocked', 'held'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Why a delivery that has not ended is not in an attempt now; the last one: it is due, and others are before it. */
export const DELIVERY_WAITS = ['retry', 'receiver', 'rate_limit', 'record', 'slot'] as const;
export type DeliveryWait = (typeof DELIVERY_WAITS)[number];

/** Where an attempt without an answer can fail, in the order in which an attempt goes through them. */
export const ATTEMPT_PHASES = ['policy', 'dns', 'connect', 'tls', 'headers', 'body'] as const;
export type AttemptPhase = (typeof ATTEMPT_PHASES)[number];
