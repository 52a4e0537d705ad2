// What subscriptions hold while they are paused or disabled. `held` counts the rows of the ledger with this status, so that
// neither the bound nor an answer has to count them. Who changes such rows holds the row of their hold, in the order of the
// subscriptions and before any other row. A hold that is discarded counts no more: its subscription was deleted.

/** $1, $2: tenants and subscriptions, in pairs. */
export const LOCK_HOLDS = `
  SELECT 1 AS locked FROM subscription_hold AS hold
    JOIN (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[]) AS wanted (tenant_id, subscription_id)) AS wanted
         USING (tenant_id, subscription_id)
   ORDER BY tenant_id, subscription_id
     FOR UPDATE OF hold`;

/**
 * Deliveries that are held before any attempt. What a subscription holds beyond the bound is counted and not written, the
 * latest first. A body is written only if a delivery needs it.
 * $1: tenants, $2: ids, $3: subscriptions, $4: events, $5: names of events, $6: URLs, $7: what a subscription may hold,
 * $8: tenants, $9: ids, $10: names and $11: bodies of the events of which every delivery is held, $12, $13: apps and their
 * installations of the deliveries; null for what is no app's; $14, $15: records and
 * versions of those with an order.
 */
export const INSERT_HELD_DELIVERIES = `
  WITH given AS MATERIALIZED (
    SELECT given.*, row_number() OVER (PARTITION BY tenant_id, subscription_id ORDER BY id) AS number
      FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $12::text[], $13::uuid[],
                  $14::text[], $15::bigint[])
        AS given (tenant_id, id, subscription_id, event_id, event, url, app_key, installation_id, record_id, record_version)),
  judged AS MATERIALIZED (
    SELECT given.*, hold.held + number <= $7 AS fits
      FROM given JOIN subscription_hold AS hold USING (tenant_id, subscription_id) WHERE NOT hold.is_discarded),
  inserted AS (
    INSERT INTO delivery
      (tenant_id, id, subscription_id, event_id, event, url, status, attempts, app_key, installation_id,
       record_id, record_version)
    SELECT tenant_id, id, subscription_id, event_id, event, url, 'held', 0, app_key, installation_id,
           record_id, record_version FROM judged WHERE fits
    ON CONFLICT DO NOTHING RETURNING tenant_id, subscription_id, event_id),
  bodies AS (
    INSERT INTO event_body (tenant_id, id, event, body)
    SELECT * FROM unnest($8::uuid[], $9::uuid[], $10::text[], $11::text[]) AS body (tenant_id, id, event, body)
     WHERE (tenant_id, id) IN (SELECT tenant_id, event_id FROM inserted)
    ON CONFLICT DO NOTHING),
  change AS (
    SELECT tenant_id, subscription_id, sum(held)::int AS held, sum(dropped)::int AS dropped
      FROM (SELECT tenant_id, subscription_id, 1 AS held, 0 AS dropped FROM inserted
             UNION ALL
            SELECT tenant_id, subscription_id, 0, 1 FROM judged WHERE NOT fits) AS one
     GROUP BY tenant_id, subscription_id),
  counted AS (
    UPDATE subscription_hold AS hold SET held = hold.held + change.held, dropped = hold.dropped + change.dropped
      FROM change WHERE hold.tenant_id = change.tenant_id AND hold.subscription_id = change.subscription_id)
  SELECT count(*)::int AS dropped FROM judged WHERE NOT fits`;

/**
 * Claimed deliveries whose subscription was paused or disabled before they were attempted; they are held whatever the bound,
 * because they were accepted before. Those that this process no longer claims stay as they are.
 * $1: tenants, $2: ids, $3: claims, $4, $5: the lowest and the highest of the ids, by which the partitions of other days are
 * left out.
 */
export const HOLD_CLAIMED_DELIVERIES = `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS given (tenant_id, id, claim)),
  ended AS (
    DELETE FROM due_delivery AS due USING given, subscription_hold AS hold
     WHERE due.tenant_id = given.tenant_id AND due.delivery_id = given.id AND due.claim = given.claim
       AND hold.tenant_id = due.tenant_id AND hold.subscription_id = due.subscription_id AND NOT hold.is_discarded
    RETURNING due.tenant_id, due.delivery_id AS id),
  held AS (
    UPDATE delivery SET status = 'held', next_attempt_at = NULL FROM ended
     WHERE delivery.tenant_id = ended.tenant_id AND delivery.id = ended.id AND delivery.id BETWEEN $4 AND $5
    RETURNING delivery.tenant_id, delivery.subscription_id, delivery.id),
  counted AS (
    UPDATE subscription_hold AS hold SET held = hold.held + change.count
      FROM (SELECT tenant_id, subscription_id, count(*)::int AS count FROM held GROUP BY tenant_id, subscription_id) AS change
     WHERE hold.tenant_id = change.tenant_id AND hold.subscription_id = change.subscription_id)
  SELECT id FROM held`;

/** Deliveries that are due and that nobody has claimed. $1: tenant, $2: subscription, $3: how many. */
export const HOLD_DUE_DELIVERIES = `
  WITH chosen AS MATERIALIZED (
    SELECT due.tenant_id, due.delivery_id FROM due_delivery AS due
     WHERE due.tenant_id = $1 AND due.subscription_id = $2 AND due.due_at <= now()
       AND (due.claimed_until IS NULL OR due.claimed_until < now())
       AND EXISTS (SELECT 1 FROM subscription_hold AS hold
                    WHERE hold.tenant_id = $1 AND hold.subscription_id = $2 AND NOT hold.is_discarded)
     LIMIT $3 FOR UPDATE OF due SKIP LOCKED),
  ended AS (
    DELETE FROM due_delivery AS due USING chosen
     WHERE due.tenant_id = chosen.tenant_id AND due.delivery_id = chosen.delivery_id
    RETURNING due.tenant_id, due.delivery_id AS id),
  -- Those that others of their record wait for: the next in line follows.
  heads AS (
    UPDATE ordered_delivery AS head SET state = 'ended' FROM ended
     WHERE head.tenant_id = ended.tenant_id AND head.delivery_id = ended.id),
  held AS (
    UPDATE delivery SET status = 'held', next_attempt_at = NULL FROM ended
     WHERE delivery.tenant_id = ended.tenant_id AND delivery.id = ended.id
    RETURNING 1),
  counted AS (
    UPDATE subscription_hold SET held = held + (SELECT count(*)::int FROM held)
     WHERE tenant_id = $1 AND subscription_id = $2)
  SELECT count(*)::int AS count FROM ended`;

/** Counts what subscriptions hold. $1, $2: tenants and subscriptions, in pairs. */
export const RECOUNT_HOLDS = `
  UPDATE subscription_hold AS hold SET held = counted.held
    FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[]) AS wanted (tenant_id, subscription_id)) AS wanted
         CROSS JOIN LATERAL (
           SELECT count(*)::int AS held FROM delivery
            WHERE delivery.tenant_id = wanted.tenant_id AND delivery.subscription_id = wanted.subscription_id
              AND delivery.status = 'held') AS counted
   WHERE hold.tenant_id = wanted.tenant_id AND hold.subscription_id = wanted.subscription_id`;

/** A hold begins; what the subscription still holds from before is counted by RECOUNT_HOLDS. $1: tenant, $2: subscription. */
export const OPEN_HOLD = `
  INSERT INTO subscription_hold AS hold (tenant_id, subscription_id) VALUES ($1, $2)
  ON CONFLICT (tenant_id, subscription_id) DO UPDATE SET dropped = 0`;

/** $1: tenant, $2: subscriptions. */
export const LIST_HOLDS = `
  SELECT subscription_id AS "subscriptionId", held, dropped::float8 AS dropped FROM subscription_hold
   WHERE tenant_id = $1 AND subscription_id = ANY ($2::uuid[])`;

/** Fewer are held, because they are attempted. $1: tenant, $2: subscription, $3: how many. */
export const REDUCE_HOLD = `
  UPDATE subscription_hold SET held = greatest(held - $3, 0) WHERE tenant_id = $1 AND subscription_id = $2`;

/** Of subscriptions that are deleted, also of those that were never paused. $1: tenant, $2: subscriptions. */
export const DISCARD_HOLDS = `
  INSERT INTO subscription_hold (tenant_id, subscription_id, is_discarded)
  SELECT $1, subscription_id, true FROM unnest($2::uuid[]) AS subscription_id ORDER BY subscription_id
  ON CONFLICT (tenant_id, subscription_id) DO UPDATE SET is_discarded = true`;

/** Holds that count something, in order. $1, $2: tenant and subscription of the last one before, $3: how many. */
export const LIST_COUNTING_HOLDS = `
  SELECT tenant_id AS "tenantId", subscription_id AS "subscriptionId" FROM subscription_hold
   WHERE held > 0 AND NOT is_discarded AND (tenant_id, subscription_id) > ($1::uuid, $2::uuid)
   ORDER BY tenant_id, subscription_id LIMIT $3`;

/** $1: how many. */
export const LIST_DISCARDED_HOLDS = `
  SELECT tenant_id AS "tenantId", subscription_id AS "subscriptionId" FROM subscription_hold
   WHERE is_discarded ORDER BY tenant_id, subscription_id LIMIT $1`;

/** Ends some of what a deleted subscription held. $1: tenant, $2: subscription, $3: how many. */
export const DISCARD_HELD_DELIVERIES = `
  WITH chosen AS MATERIALIZED (
    SELECT tenant_id, id FROM delivery
     WHERE tenant_id = $1 AND subscription_id = $2 AND status = 'held'
     ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED)
  UPDATE delivery SET status = 'failed', error_code = 'subscription_deleted',
                      error_message = 'The subscription was deleted while it held the delivery'
    FROM chosen WHERE delivery.tenant_id = chosen.tenant_id AND delivery.id = chosen.id
  RETURNING 1`;

/** $1: tenant, $2: subscription. */
export const DELETE_HOLD = `
  DELETE FROM subscription_hold WHERE tenant_id = $1 AND subscription_id = $2 AND is_discarded`;
