import { counter, gauge, histogram } from '@crm/telemetry';

/** From half a millisecond to the ten seconds that a queue may be configured to wait. */
const BUCKETS = [0.0005, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export const queueLength = gauge('password_hash_queue_length', 'Passwords that wait to be hashed or checked');

export const waitSeconds = histogram(
  'password_hash_wait_seconds',
  'Time that a password waited before it was hashed or checked',
  [],
  BUCKETS,
);

/** `full`: the queue had no place; `old`: it waited too long; `displaced`: another source had fewer in the queue. */
export const refusals = counter(
  'password_hash_refusals_total',
  'Passwords that were neither hashed nor checked, answered with 503',
  ['reason'],
);
