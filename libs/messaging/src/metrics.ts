import { Counter, Gauge, Histogram, register } from 'prom-client';

// The registry accepts a name only once; a second application in the same process (tests) shares the metric.
const counter = <L extends string>(name: string, help: string, labelNames: L[] = []): Counter<L> =>
  (register.getSingleMetric(name) as Counter<L> | undefined) ?? new Counter({ name, help, labelNames });
const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []): Gauge<L> =>
  (register.getSingleMetric(name) as Gauge<L> | undefined) ?? new Gauge({ name, help, labelNames });
const histogram = <L extends string>(name: string, help: string, labelNames: L[] = []): Histogram<L> =>
  (register.getSingleMetric(name) as Histogram<L> | undefined) ?? new Histogram({ name, help, labelNames });

export const metrics = {
  rpcSeconds: histogram('rpc_request_seconds', 'Time of a call between services, by side and outcome', [
    'side',
    'subject',
    'code',
  ]),
  outboxPublished: counter('outbox_published_total', 'Events acknowledged by JetStream'),
  outboxFailures: counter('outbox_failures_total', 'Batches or sessions of the outbox relay that failed'),
  outboxRefills: counter(
    'outbox_refills_total',
    'Times that published events were lost by the stream and published again',
  ),
  outboxWaiting: gauge('outbox_waiting_events', 'Committed events that are not published, counted up to 10,000'),
  outboxLag: gauge('outbox_lag_seconds', 'Age of the oldest event that is not published'),
  outboxLeader: gauge('outbox_relay_active', '1 where this process is the active relay of its database'),
  eventsHandled: counter('consumer_events_total', 'Deliveries by outcome', ['consumer', 'outcome']),
  eventSeconds: histogram('consumer_event_seconds', 'Time to handle an event', ['consumer']),
  deadLetters: counter('consumer_dead_letters_total', 'Events stored as dead letters', ['consumer']),
  deadLettersWaiting: gauge('consumer_dead_letters_waiting', 'Dead letters that were not replayed', ['consumer']),
  retentionUsed: gauge(
    'consumer_retention_used_ratio',
    'Age of the oldest event that is not acknowledged, as a part of the time that the stream keeps one; above 0.5 is an alarm',
    ['consumer'],
  ),
  consumerFailures: counter('consumer_fetch_failures_total', 'Pulls that failed and were tried again', ['consumer']),
  revocations: gauge('revocations_known', 'Cut-offs that tokens are checked against'),
};
