export const APPEND_EVENT = 'INSERT INTO outbox (tenant_id, id, name, subject, envelope) VALUES ($1, $2, $3, $4, $5)';

/** $1: limit. */
export const CLAIM_EVENTS = `
  SELECT tenant_id AS "tenantId", id, name, subject, envelope::text AS envelope
    FROM outbox WHERE published_at IS NULL ORDER BY seq LIMIT $1`;

/** $1, $2: tenants and ids of the events, in pairs. */
export const MARK_EVENTS_PUBLISHED = `
  UPDATE outbox SET published_at = now()
    FROM unnest($1::uuid[], $2::uuid[]) AS done (tenant_id, id)
   WHERE outbox.tenant_id = done.tenant_id AND outbox.id = done.id`;

/** How many events wait, counted up to 10,000, and the age of the oldest in seconds. */
export const MEASURE_OUTBOX = `
  SELECT count(*) AS waiting, extract(epoch FROM now() - min(created_at)) AS oldest
    FROM (SELECT created_at FROM outbox WHERE published_at IS NULL ORDER BY seq LIMIT 10000) AS head`;

/** $1: seconds that a published event is kept, $2: limit. */
export const SWEEP_OUTBOX = `
  WITH old AS (
    SELECT tenant_id, id FROM outbox
     WHERE published_at < now() - make_interval(secs => $1) ORDER BY published_at LIMIT $2),
  gone AS (
    DELETE FROM outbox USING old WHERE outbox.tenant_id = old.tenant_id AND outbox.id = old.id RETURNING 1)
  SELECT count(*) AS deleted FROM gone`;
