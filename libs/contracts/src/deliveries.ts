/** What can become of a delivery of an event to a subscription. */
export const DELIVERY_STATUSES = ['pending', 'retrying', 'delivered', 'failed', 'blocked', 'held'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Where an attempt without an answer can fail, in the order in which an attempt goes through them. */
export const ATTEMPT_PHASES = ['policy', 'dns', 'connect', 'tls', 'headers', 'body'] as const;
export type AttemptPhase = (typeof ATTEMPT_PHASES)[number];
