import { OUTBOX_CONSUMER } from './outbox-row.js';

/** In this order. $1: tenants, $2: ids, $3: names, $4: subjects, each an array; $5: envelopes, one JSON array, which needs no escaping. */
export const APPEND_EVENTS = `
  INSERT INTO outbox (tenant_id, id, name, subject, envelope)
  SELECT * FROM ROWS FROM (unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]), json_array_elements($5::json)) AS event`;

/** What is published, as of the last mark. */
export const READ_POSITION = 'SELECT published::text AS published FROM outbox_position ORDER BY hour DESC LIMIT 1';

/**
 * One row an hour, so that the sweep knows since when an event is published. The row of the last hour is the position also
 * when the clock goes back. $1: what is published.
 */
export const MARK_EVENTS_PUBLISHED = `
  INSERT INTO outbox_position (hour, published)
  SELECT greatest(date_trunc('hour', now()), max(hour)), $1::int8multirange FROM outbox_position
  ON CONFLICT (hour) DO UPDATE SET published = excluded.published`;

const claimEvents = (after: string, before: string, limit: string): string => `
  SELECT event.*
    FROM unnest(${after}::bigint[], ${before}::bigint[]) AS gap (after, before)
   CROSS JOIN LATERAL (SELECT seq, tenant_id AS "tenantId", id, subject, envelope::text AS envelope FROM outbox
                        WHERE seq > gap.after AND seq < gap.before ORDER BY seq LIMIT ${limit}) AS event
   ORDER BY event.seq LIMIT ${limit}`;

/** The oldest first. $1, $2: gaps between what is published, in ascending order; $3: limit. */
export const CLAIM_EVENTS = claimEvents('$1', '$2', '$3');

/** Both at once. $1: what is published; $2, $3: the gaps in it; $4: limit. */
export const MARK_AND_CLAIM_EVENTS = `WITH marked AS (${MARK_EVENTS_PUBLISHED})${claimEvents('$2', '$3', '$4')}`;

/**
 * Stores events that the broker refuses for good as dead letters, and marks them, both or neither. One that was stored,
 * replayed and refused again waits once more. $1: what is published, with them; $2: their numbers, $3: ids of the dead
 * letters, $4: reasons, $5: tries, each an array.
 */
export const SET_ASIDE_EVENTS = `
  WITH marked AS (${MARK_EVENTS_PUBLISHED})
  INSERT INTO dead_letter (tenant_id, id, consumer, message_key, event_id, subject, payload, error, deliveries)
  SELECT tenant_id, refused.dead_letter_id, '${OUTBOX_CONSUMER}', outbox.id::text, outbox.id, subject,
         convert_to(envelope::text, 'UTF8'), refused.reason, refused.tries
    FROM unnest($2::bigint[], $3::uuid[], $4::text[], $5::integer[]) AS refused (seq, dead_letter_id, reason, tries)
    JOIN outbox ON outbox.seq = refused.seq
  ON CONFLICT (tenant_id, consumer, message_key) DO UPDATE
     SET error = excluded.error, deliveries = excluded.deliveries, replayed_at = NULL`;

/**
 * Puts a dead letter of the outbox back at its end, under the id that the event has. Its row may still be there, with a
 * number that is marked. $1: id of the dead letter.
 */
export const REPLAY_EVENT = `
  WITH replayed AS (
    UPDATE dead_letter SET replayed_at = now()
     WHERE consumer = '${OUTBOX_CONSUMER}' AND id = $1 AND replayed_at IS NULL
    RETURNING tenant_id, event_id, subject, convert_from(payload, 'UTF8')::json AS envelope)
  INSERT INTO outbox (tenant_id, id, name, subject, envelope)
  SELECT tenant_id, event_id, envelope ->> 'type', subject, envelope FROM replayed
  ON CONFLICT (tenant_id, id) DO UPDATE
     SET seq = DEFAULT, name = excluded.name, subject = excluded.subject, envelope = excluded.envelope
  RETURNING 1`;

/** How many events wait, counted up to 10,000, and the age of the oldest in seconds. $1, $2: gaps as above. */
export const MEASURE_OUTBOX = `
  SELECT count(*) AS waiting, extract(epoch FROM now() - min(event.created_at)) AS oldest
    FROM unnest($1::bigint[], $2::bigint[]) AS gap (after, before)
   CROSS JOIN LATERAL (SELECT created_at FROM outbox
                        WHERE seq > gap.after AND seq < gap.before ORDER BY seq LIMIT 10000) AS event`;

/** The transactions that have appended an event and are still open: each holds this lock since before it took a `seq`. */
export const LIST_WRITERS = `
  SELECT DISTINCT virtualtransaction AS writer FROM pg_locks
   WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND relation = (SELECT 'outbox'::regclass)
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Deletes the oldest events, if they have been published for long enough. $1: seconds that one is kept, $2: limit. */
export const SWEEP_OUTBOX = `
  WITH passed AS (
    SELECT hour, published FROM outbox_position
     WHERE hour <= now() - make_interval(hours => 1, secs => $1) ORDER BY hour DESC LIMIT 1),
  old AS (
    SELECT head.tenant_id, head.id
      FROM passed, LATERAL (SELECT tenant_id, id, seq FROM outbox
                             WHERE seq < upper(passed.published) ORDER BY seq LIMIT $2) AS head
     WHERE passed.published @> head.seq),
  forgotten AS (
    DELETE FROM outbox_position WHERE hour < (SELECT hour FROM passed)),
  gone AS (
    DELETE FROM outbox USING old WHERE outbox.tenant_id = old.tenant_id AND outbox.id = old.id RETURNING 1)
  SELECT count(*) AS deleted FROM gone`;
