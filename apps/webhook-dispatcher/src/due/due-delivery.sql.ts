/**
 * $1: the claim, $2: deliveries in all, $3: subscriptions and $4: tenants that are left out, $5: queues to look into,
 * $6: deliveries of one subscription, $7, $8: subscriptions that may have fewer, and how many, in pairs, $9: milliseconds
 * that the claim holds. First attempts come before retries.
 */
export const CLAIM_DELIVERIES = `
  WITH queue AS MATERIALIZED (
    SELECT tenant_id, subscription_id, due_at, coalesce(narrowed.places, $6) AS room
      FROM (SELECT tenant_id, subscription_id, due_at FROM subscription_queue
             WHERE due_at <= now() AND subscription_id <> ALL ($3::uuid[]) AND tenant_id <> ALL ($4::uuid[])
             ORDER BY due_at LIMIT $5) AS next
      LEFT JOIN unnest($7::uuid[], $8::int[]) AS narrowed (subscription_id, places) USING (subscription_id)
     ORDER BY due_at, subscription_id),
  due AS MATERIALIZED (
    SELECT delivery.tenant_id, delivery.delivery_id
      FROM queue CROSS JOIN LATERAL (
        SELECT tenant_id, delivery_id FROM due_delivery
         WHERE tenant_id = queue.tenant_id AND subscription_id = queue.subscription_id
           AND due_at <= now() AND (claimed_until IS NULL OR claimed_until < now())
         ORDER BY is_retry, due_at
         LIMIT queue.room
           FOR UPDATE SKIP LOCKED) AS delivery
     LIMIT $2),
  claimed AS (
    UPDATE due_delivery SET claim = $1, claimed_until = now() + $9 * interval '1 millisecond'
     WHERE (tenant_id, delivery_id) IN (SELECT tenant_id, delivery_id FROM due)
    RETURNING tenant_id, subscription_id, delivery_id, event_id, attempts, is_head)
  SELECT queue.tenant_id AS "tenantId", queue.subscription_id AS "subscriptionId", claimed.delivery_id AS id,
         claimed.event_id AS "eventId", claimed.attempts, claimed.is_head AS "isHead"
    FROM queue LEFT JOIN claimed USING (tenant_id, subscription_id)
   ORDER BY queue.due_at, queue.subscription_id`;

/**
 * What events send. $1, $2: tenants and events, in pairs, $3, $4: the lowest and the highest of the events' ids, by which the
 * partitions of other days are left out.
 */
export const FIND_BODIES = `
  SELECT id AS "eventId", body, traceparent FROM event_body
    JOIN unnest($1::uuid[], $2::uuid[]) AS wanted (tenant_id, id) USING (tenant_id, id)
   WHERE id BETWEEN $3 AND $4`;

/** $1, $2, $3: tenants, ids and claims of the deliveries, in threes. */
export const RELEASE_DELIVERIES = `
  UPDATE due_delivery AS due SET claim = NULL, claimed_until = NULL
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS released (tenant_id, delivery_id, claim)
   WHERE due.tenant_id = released.tenant_id AND due.delivery_id = released.delivery_id AND due.claim = released.claim`;

/**
 * Deliveries that are due and in no attempt, of the 500 queues that are due for longest: up to 1,000 first attempts and as many
 * retries of each, in the order of the index. $1: tenants whose deliveries wait for something else.
 */
export const MEASURE_DUE_DELIVERIES = `
  SELECT count(*)::int AS items, extract(epoch FROM now() - min(due.due_at))::float8 AS "oldestSeconds"
    FROM (SELECT tenant_id, subscription_id FROM subscription_queue
           WHERE due_at <= now() AND tenant_id <> ALL ($1::uuid[]) ORDER BY due_at LIMIT 500) AS queue
   CROSS JOIN (VALUES (false), (true)) AS kind (is_retry)
   CROSS JOIN LATERAL (
     SELECT due_at FROM due_delivery
      WHERE tenant_id = queue.tenant_id AND subscription_id = queue.subscription_id AND is_retry = kind.is_retry
        AND due_at <= now() AND (claimed_until IS NULL OR claimed_until < now())
      ORDER BY due_at LIMIT 1000) AS due`;
