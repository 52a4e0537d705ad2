import { OUTBOX_CONSUMER } from '../transaction.js';

/** $1: tenant, $2: ids, $3: names, $4: subjects, each an array; $5: envelopes, one JSON array, which needs no escaping. */
export const APPEND_EVENTS = 'SELECT append_events($1, $2, $3, $4, $5)';

/** What is published, as of the last mark. */
export const READ_POSITION = `
  SELECT published::text AS published, stream_seq AS "streamSeq", stream_subject AS "streamSubject"
    FROM outbox_position ORDER BY since DESC LIMIT 1`;

/**
 * A row for ten seconds; the latest is the position also when the clock goes back. $1: what is published,
 * $2, $3: number and subject of the last of these events in the stream, or null.
 */
export const MARK_EVENTS_PUBLISHED = `
  INSERT INTO outbox_position (since, published, stream_seq, stream_subject)
  SELECT greatest(date_bin('10 seconds', now(), '2000-01-01Z'), max(since)), $1::int8multirange, $2::bigint, $3::text
    FROM outbox_position
  ON CONFLICT (since) DO UPDATE
     SET published = excluded.published, stream_seq = excluded.stream_seq, stream_subject = excluded.stream_subject`;

/** Keeps the last row of each hour, and of those past the retention only the youngest. $1: days of the retention. */
export const THIN_POSITIONS = `
  DELETE FROM outbox_position AS old
   WHERE since < now() - interval '1 hour'
     AND EXISTS (SELECT 1 FROM outbox_position AS later
                  WHERE later.since > old.since AND later.since < now() - interval '1 hour'
                    AND (date_trunc('hour', later.since) = date_trunc('hour', old.since)
                         OR later.since <= now() - make_interval(days => $1, secs => 10)))`;

/** Where the published events end in the stream, the latest first. $1: seconds that the stream keeps an event. */
export const LIST_POSITIONS = `
  SELECT since::text AS since, stream_seq AS "streamSeq", stream_subject AS "streamSubject" FROM outbox_position
   WHERE stream_seq IS NOT NULL AND since > now() - make_interval(secs => $1) ORDER BY outbox_position.since DESC`;

/** Goes back to what was published by a mark; without one ($1 is null), to nothing. */
export const RETURN_TO_POSITION = 'DELETE FROM outbox_position WHERE $1::timestamptz IS NULL OR since > $1';

const EVENTS = 'outbox';

/** @param events the table, or its parts that lie on a node of a cluster */
const claimEvents = (after: string, before: string, limit: string, events = EVENTS, first = ''): string => `
  SELECT event.*
    FROM unnest(${after}::bigint[], ${before}::bigint[]) AS gap (after, before)
   CROSS JOIN LATERAL (SELECT seq, tenant_id AS "tenantId", id, subject, envelope::text AS envelope FROM ${events}
                        WHERE seq > gap.after AND seq < gap.before ORDER BY seq LIMIT ${limit}) AS event
   ORDER BY ${first}event.seq LIMIT ${limit}`;

/** The oldest first. $1, $2: gaps between what is published, in ascending order; $3: limit. */
export const CLAIM_EVENTS = claimEvents('$1', '$2', '$3');

/** Those of the shards on a node. What has come with a shard from another node is older than what was written to it here. */
export const claimEventsOf = (shards: readonly string[], block: number): string =>
  claimEvents('$1', '$2', '$3', allOf(shards), `event.seq >> 48 = ${block}, `);

const allOf = (shards: readonly string[]): string =>
  `(${shards.map((shard) => `SELECT seq, tenant_id, id, subject, envelope, created_at FROM ${shard}`).join(' UNION ALL ')}) AS outbox`;

/** Both at once. $1 to $3: as for the mark; $4, $5: gaps; $6: limit. */
export const MARK_AND_CLAIM_EVENTS = `WITH marked AS (${MARK_EVENTS_PUBLISHED})${claimEvents('$4', '$5', '$6')}`;

/** One that was stored, replayed and refused again waits once more. $1: tenant, $2: id, $3: event, $4: subject, $5: envelope, $6: reason, $7: tries. */
export const SET_ASIDE_EVENT = `
  INSERT INTO dead_letter (tenant_id, id, consumer, message_key, event_id, subject, payload, error, deliveries)
  VALUES ($1::uuid, $2, '${OUTBOX_CONSUMER}', $3::uuid::text, $3::uuid, $4, convert_to($5::text, 'UTF8'), $6, $7)
  ON CONFLICT (tenant_id, id) DO UPDATE
     SET error = excluded.error, deliveries = excluded.deliveries, replayed_at = NULL`;

/** $1: id of the dead letter. */
export const TAKE_DEAD_LETTER = `
  UPDATE dead_letter SET replayed_at = now()
   WHERE consumer = '${OUTBOX_CONSUMER}' AND id = $1 AND replayed_at IS NULL
  RETURNING tenant_id AS "tenantId", event_id AS "eventId", subject, payload`;

/** Its row may still be there, with a marked number. $1: tenant, $2: id. */
export const REMOVE_EVENT = 'DELETE FROM outbox WHERE tenant_id = $1 AND id = $2';

const measureOutbox = (events: string): string => `
  SELECT count(*) AS waiting, extract(epoch FROM now() - min(event.created_at)) AS oldest
    FROM unnest($1::bigint[], $2::bigint[]) AS gap (after, before)
   CROSS JOIN LATERAL (SELECT created_at FROM ${events}
                        WHERE seq > gap.after AND seq < gap.before ORDER BY seq LIMIT 10000) AS event`;

/** How many events wait, counted up to 10,000, and the age of the oldest in seconds. $1, $2: gaps as above. */
export const MEASURE_OUTBOX = measureOutbox(EVENTS);

export const measureOutboxOf = (shards: readonly string[]): string => measureOutbox(allOf(shards));

/** Numbers of the events in the gaps, wherever they lie. $1, $2: gaps as above. */
export const LIST_WAITING = `
  SELECT seq FROM unnest($1::bigint[], $2::bigint[]) AS gap (after, before)
    JOIN outbox ON seq > gap.after AND seq < gap.before`;

/**
 * The transactions that have appended an event and are still open: each holds this lock since before it took a `seq`. One
 * that is prepared to be committed on several nodes has another number since then.
 */
export const LIST_WRITERS = `
  SELECT DISTINCT virtualtransaction AS writer, pid IS NULL AS prepared FROM pg_locks
   WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND relation = (SELECT 'outbox'::regclass)
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** $1: tenant, $2: id. */
export const FIND_SEQ = 'SELECT seq FROM outbox WHERE tenant_id = $1 AND id = $2';

/** By the last mark. $1: `seq`. */
export const IS_PUBLISHED = `
  SELECT published @> $1::bigint AS "isPublished" FROM outbox_position ORDER BY since DESC LIMIT 1`;

/** What had been published some time ago. $1: days. */
export const READ_PAST_POSITION = `
  SELECT published::text AS published FROM outbox_position
   WHERE since <= now() - make_interval(days => $1, secs => 10) ORDER BY since DESC LIMIT 1`;

/** Selects whether an event with an id of a time lies in the gaps. $1, $2: gaps as above; $3, $4: the lowest id, and the one beyond. */
export const IS_ANY_BETWEEN = `
  SELECT EXISTS (
    SELECT FROM unnest($1::bigint[], $2::bigint[]) AS gap (after, before)
     CROSS JOIN LATERAL (SELECT seq FROM outbox
                          WHERE seq > gap.after AND seq < gap.before AND id >= $3 AND id < $4 LIMIT 1) AS event) AS found`;

/** The same for a cluster, which refuses that and reads the whole day. $1: what is published, $2, $3: ids as above. */
export const IS_ANY_OUTSIDE = `
  SELECT count(*) > 0 AS found
    FROM (SELECT 1 FROM outbox WHERE id >= $2 AND id < $3 AND NOT $1::int8multirange @> seq LIMIT 1) AS event`;
