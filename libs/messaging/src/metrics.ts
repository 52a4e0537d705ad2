import { absentUntilSet, counter, gauge, histogram } from '@crm/telemetry';

export const metrics = {
  rpcSeconds: histogram('rpc_request_seconds', 'Time of a call between services, by side and outcome', [
    'side',
    'subject',
    'code',
  ]),
  eventsHandled: counter('consumer_events_total', 'Deliveries by outcome', ['consumer', 'outcome']),
  eventSeconds: histogram('consumer_event_seconds', 'Time to handle an event', ['consumer']),
  deadLetters: counter('consumer_dead_letters_total', 'Events stored as dead letters', ['consumer']),
  deadLettersWaiting: gauge('consumer_dead_letters_waiting', 'Dead letters that were not replayed', ['consumer']),
  pending: gauge(
    'consumer_pending_events',
    'Events in the stream that were not delivered to the consumer yet, over all its processes, each of which says so: max, not sum',
    ['consumer'],
  ),
  unacknowledged: gauge(
    'consumer_unacknowledged_events',
    'Events that were delivered to the consumer and are not acknowledged, over all its processes: max, not sum',
    ['consumer'],
  ),
  lag: gauge(
    'consumer_lag_events',
    'Events that the consumer has to catch up with, pending and unacknowledged, over all its processes: max, not sum',
    ['consumer'],
  ),
  retentionUsed: gauge(
    'consumer_retention_used_ratio',
    'Age of the oldest event that is not acknowledged, as a part of the time that the stream keeps one; above 0.5 is an alarm',
    ['consumer'],
  ),
  // Only processes with consumers look at it.
  streamBytes: absentUntilSet(
    gauge(
      'event_stream_bytes',
      'Bytes that the event stream takes on each server that has a copy of it, as its leader says: max, not sum',
    ),
  ),
  consumerFailures: counter('consumer_fetch_failures_total', 'Pulls that failed and were tried again', ['consumer']),
  revocations: gauge('revocations_known', 'Cut-offs that tokens are checked against'),
  revocationAge: gauge(
    'revocation_watch_age_seconds',
    'Time since the broker last confirmed that the process knows every cut-off; above 5 s calls that administer are refused',
  ),
};

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
