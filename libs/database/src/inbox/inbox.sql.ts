/** $1: tenant, $2: consumer, $3: event. */
export const RECORD_HANDLED = `
  INSERT INTO inbox (tenant_id, consumer, event_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1`;

/** $1: seconds that a row is kept, $2: limit. */
export const SWEEP_INBOX = `
  WITH old AS (
    SELECT tenant_id, consumer, event_id FROM inbox
     WHERE handled_at < now() - make_interval(secs => $1) ORDER BY handled_at LIMIT $2),
  gone AS (
    DELETE FROM inbox USING old
     WHERE inbox.tenant_id = old.tenant_id AND inbox.consumer = old.consumer AND inbox.event_id = old.event_id
    RETURNING 1)
  SELECT count(*) AS deleted FROM gone`;
