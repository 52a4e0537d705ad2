/**
 * $1: the claim, $2: deliveries in all, $3: subscriptions and $4: tenants that are left out, $5: queues to look into,
 * $6: deliveries of one subscription, $7, $8: subscriptions that may have fewer, and how many, in pairs, $9: milliseconds
 * that the claim holds.
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
    SELECT delivery.tenant_id, delivery.id
      FROM queue CROSS JOIN LATERAL (
        SELECT tenant_id, id FROM delivery
         WHERE tenant_id = queue.tenant_id AND subscription_id = queue.subscription_id
           AND next_attempt_at <= now() AND (claimed_until IS NULL OR claimed_until < now())
         ORDER BY next_attempt_at
         LIMIT queue.room
           FOR UPDATE SKIP LOCKED) AS delivery
     LIMIT $2),
  claimed AS (
    UPDATE delivery SET claim = $1, claimed_until = now() + $9 * interval '1 millisecond'
     WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM due)
    RETURNING tenant_id, subscription_id, id)
  SELECT tenant_id AS "tenantId", subscription_id AS "subscriptionId",
         array_agg(claimed.id) FILTER (WHERE claimed.id IS NOT NULL) AS deliveries
    FROM queue LEFT JOIN claimed USING (tenant_id, subscription_id)
   GROUP BY tenant_id, subscription_id, due_at ORDER BY due_at, subscription_id`;

/** $1, $2, $3: tenants, ids and claims of the deliveries, in threes. */
export const RELEASE_DELIVERIES = `
  UPDATE delivery SET claim = NULL, claimed_until = NULL
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS released (tenant_id, id, claim)
   WHERE delivery.tenant_id = released.tenant_id AND delivery.id = released.id AND delivery.claim = released.claim`;
