import { counter, gauge, histogram } from '@crm/telemetry';

/** Seconds, up to an event that has waited out an outage. */
const DELAY_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800];

export const deliveryMetrics = {
  attempts: counter(
    'webhook_attempts_total',
    'Delivery attempts by outcome: delivered, an error code of the receiver or the way to it, or defect, which is ours',
    ['outcome'],
  ),
  seconds: histogram('webhook_attempt_seconds', 'Duration of delivery attempts'),
  slow: gauge('webhook_slow_attempts', 'Attempts that have taken over a second and are under way'),
  firstAttemptDelay: histogram(
    'webhook_first_attempt_delay_seconds',
    'From the moment in the id of an event to the beginning of the first attempt: direct, or due, when there was no place at once or the receiver was slow, limited, or its deliveries were held',
    ['lane'],
    DELAY_BUCKETS,
  ),
};
