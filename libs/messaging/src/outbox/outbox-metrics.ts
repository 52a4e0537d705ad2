import { absentUntilSet, counter, gauge } from '@crm/telemetry';

/** Gauges of the active relay have no value elsewhere: what the last one measured must not stay behind. */
export const outboxMetrics = {
  published: counter('outbox_published_total', 'Events acknowledged by JetStream'),
  refused: counter('outbox_refused_total', 'Publishes that the broker refused; each event is tried again'),
  failures: counter('outbox_failures_total', 'Batches or sessions of the outbox relay that failed'),
  refills: counter('outbox_refills_total', 'Times that published events were lost by the stream and published again'),
  waiting: absentUntilSet(
    gauge(
      'outbox_waiting_events',
      'Committed events that are not published, counted up to 10,000; of the active relay',
    ),
  ),
  lag: absentUntilSet(
    gauge('outbox_lag_seconds', 'Age of the oldest event that is not published; of the active relay'),
  ),
  active: absentUntilSet(
    gauge('outbox_relay_active', '1 where this process is the active relay of its database, 0 where it stands by'),
  ),
};
