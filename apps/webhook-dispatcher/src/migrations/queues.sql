-- What waits is claimed and moved on by functions of one tenant, as the ledger is changed. What began over a minute from now was written by a
-- clock that was ahead: a transaction that begins later is less ahead than that.

-- A row that is due already is shared and not written, so that events that arrive together do not wait for each other.
-- `times`: when something in each is due; null for now.
CREATE FUNCTION wake_queues(tenant uuid, subscriptions uuid[], times timestamptz[]) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
  moment CONSTANT timestamptz := now();
BEGIN
  WITH wanted AS MATERIALIZED (
    SELECT w.id, min(coalesce(w.due_at, moment)) AS due_at FROM unnest(subscriptions, times) AS w (id, due_at) GROUP BY w.id),
  due AS MATERIALIZED (
    SELECT queue.subscription_id AS id FROM subscription_queue AS queue JOIN wanted ON wanted.id = queue.subscription_id
     WHERE queue.tenant_id = tenant AND queue.due_at <= wanted.due_at
       FOR KEY SHARE OF queue)
  INSERT INTO subscription_queue AS queue (tenant_id, subscription_id, due_at)
  SELECT tenant, wanted.id, wanted.due_at FROM wanted
   WHERE NOT EXISTS (SELECT 1 FROM due WHERE due.id = wanted.id)
   ORDER BY wanted.id
  ON CONFLICT (tenant_id, subscription_id) DO UPDATE SET due_at = least(queue.due_at, EXCLUDED.due_at);
END $body$;

-- Moves queues on to their next claimable delivery and deletes empty ones; a queue that is still due goes behind all others. One
-- that another transaction has locked stays as it is, which is always right.
CREATE FUNCTION settle_queues(tenant uuid, subscriptions uuid[]) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
  locked uuid[];
BEGIN
  SELECT array_agg(free.subscription_id) INTO locked
    FROM (SELECT queue.subscription_id FROM subscription_queue AS queue
           WHERE queue.tenant_id = tenant AND queue.subscription_id = ANY (subscriptions)
             FOR UPDATE SKIP LOCKED) AS free;
  -- A statement of its own, so that it sees everything that was committed before the rows were locked.
  WITH queue AS MATERIALIZED (
    SELECT held.id, least(first.at, claimed_first.until, retry.at, claimed_retry.until) AS due_at
      FROM unnest(locked) AS held (id)
    LEFT JOIN LATERAL (
      SELECT due_at AS at FROM due_delivery
       WHERE tenant_id = tenant AND subscription_id = held.id AND NOT is_retry
         AND (claimed_until IS NULL OR claimed_until < now())
       ORDER BY due_at LIMIT 1) AS first ON true
    -- Claimed deliveries stand before the first unclaimed one; those behind it are not needed.
    LEFT JOIN LATERAL (
      SELECT min(claimed_until) AS until FROM due_delivery
       WHERE tenant_id = tenant AND subscription_id = held.id AND NOT is_retry
         AND due_at < coalesce(first.at, 'infinity') AND claimed_until >= now()) AS claimed_first ON true
    LEFT JOIN LATERAL (
      SELECT due_at AS at FROM due_delivery
       WHERE tenant_id = tenant AND subscription_id = held.id AND is_retry
         AND (claimed_until IS NULL OR claimed_until < now())
       ORDER BY due_at LIMIT 1) AS retry ON true
    -- Claimed deliveries stand before the first unclaimed one; those behind it are not needed.
    LEFT JOIN LATERAL (
      SELECT min(claimed_until) AS until FROM due_delivery
       WHERE tenant_id = tenant AND subscription_id = held.id AND is_retry
         AND due_at < coalesce(retry.at, 'infinity') AND claimed_until >= now()) AS claimed_retry ON true),
  empty AS (
    DELETE FROM subscription_queue USING queue
     WHERE subscription_queue.tenant_id = tenant AND subscription_queue.subscription_id = queue.id AND queue.due_at IS NULL)
  UPDATE subscription_queue SET due_at = greatest(queue.due_at, now()) FROM queue
   WHERE subscription_queue.tenant_id = tenant AND subscription_queue.subscription_id = queue.id AND queue.due_at IS NOT NULL;
END $body$;

-- First attempts come before retries. `most`: of each queue. Rows that another process is claiming are skipped. One row of each event
-- has its body, if it is kept.
CREATE FUNCTION claim_deliveries(tenant uuid, claim_id uuid, subscriptions uuid[], most integer[], claim_ms float8)
RETURNS TABLE (tenant_id uuid, subscription_id uuid, id uuid, event_id uuid, attempts integer, throttled integer, is_head boolean,
               version integer, app_key text, body text, traceparent text)
LANGUAGE plpgsql AS $body$
DECLARE
  moment CONSTANT timestamptz := now();
  chosen uuid[];
  event_ids uuid[];
BEGIN
  SELECT array_agg(due.delivery_id), array_agg(due.event_id ORDER BY due.event_id) INTO chosen, event_ids
    FROM unnest(subscriptions, most) AS queue (id, most)
   CROSS JOIN LATERAL (
     SELECT d.delivery_id, d.event_id FROM due_delivery AS d
      WHERE d.tenant_id = tenant AND d.subscription_id = queue.id
        AND d.due_at <= moment AND (d.claimed_until IS NULL OR d.claimed_until < moment)
      ORDER BY d.is_retry, d.due_at LIMIT queue.most FOR UPDATE SKIP LOCKED) AS due;
  IF chosen IS NOT NULL THEN
    UPDATE due_delivery AS d SET claim = claim_id, claimed_until = moment + claim_ms * interval '1 millisecond'
     WHERE d.tenant_id = tenant AND d.delivery_id = ANY (chosen);
    RETURN QUERY
      SELECT d.tenant_id, d.subscription_id, d.delivery_id, d.event_id, d.attempts, d.throttled, d.is_head, s.version, s.app_key,
             CASE WHEN row_number() OVER (PARTITION BY d.event_id ORDER BY d.delivery_id) = 1 THEN b.body END, b.traceparent
        FROM due_delivery AS d
        LEFT JOIN webhook_subscription AS s ON s.tenant_id = d.tenant_id AND s.id = d.subscription_id
        -- The bounds exclude partitions of other days.
        LEFT JOIN event_body AS b ON b.tenant_id = d.tenant_id AND b.id = d.event_id
                                 AND b.id BETWEEN event_ids[1] AND event_ids[cardinality(event_ids)]
       WHERE d.tenant_id = tenant AND d.delivery_id = ANY (chosen);
  END IF;
  PERFORM settle_queues(tenant, subscriptions);
END $body$;

CREATE FUNCTION release_deliveries(tenant uuid, ids uuid[], claims uuid[], subscriptions uuid[])
RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
  UPDATE due_delivery AS due SET claim = NULL, claimed_until = NULL
    FROM unnest(ids, claims) AS released (id, claim)
   WHERE due.tenant_id = tenant AND due.delivery_id = ANY (ids) AND due.delivery_id = released.id AND due.claim = released.claim;
  PERFORM wake_queues(tenant, subscriptions, NULL);
END $body$;

-- `times`: when something is due in each. A queue that is due is looked into anyway, and keeps its turn. Returns how many are changed.
CREATE FUNCTION repair_queues(tenant uuid, subscriptions uuid[], times timestamptz[]) RETURNS integer LANGUAGE plpgsql AS $body$
DECLARE
  moment CONSTANT timestamptz := now();
  repaired integer;
BEGIN
  WITH changed AS (
    INSERT INTO subscription_queue AS queue (tenant_id, subscription_id, due_at)
    SELECT tenant, waiting.* FROM unnest(subscriptions, times) AS waiting
    ON CONFLICT (tenant_id, subscription_id) DO UPDATE SET due_at = EXCLUDED.due_at
      WHERE queue.due_at > EXCLUDED.due_at AND queue.due_at > moment
    RETURNING 1)
  SELECT count(*) INTO repaired FROM changed;
  RETURN repaired;
END $body$;

-- Removes those of the changed rows that have ended, and makes the first row of each of their partitions without a head its head,
-- due now. Heads of a tenant are appointed by one process at a time. `up_to` is what of the stream is recorded, which it stored
-- `since` and `until`. Returns how many queues have got something. The table grows from nothing within a second, and a plan for an
-- empty one reads it whole per partition.
CREATE FUNCTION appoint_heads(tenant uuid, changes uuid[], up_to bigint, longest_ms float8, since timestamptz, until timestamptz)
RETURNS integer LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $body$
DECLARE
  moment CONSTANT timestamptz := now();
  ended uuid[];
  fresh uuid[];
  heads uuid[];
  woken uuid[];
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('record_lines:' || tenant, 0));
  -- What ends or begins after this is left to the next look, which finds it: each statement sees what was committed until then.
  SELECT coalesce(array_agg(o.delivery_id) FILTER (WHERE o.state = 'ended'), '{}'),
         coalesce(array_agg(o.delivery_id) FILTER (WHERE o.state = 'new'), '{}')
    INTO ended, fresh FROM ordered_delivery AS o WHERE o.tenant_id = tenant AND o.delivery_id = ANY (changes);
  SELECT array_agg(head.delivery_id), array_agg(DISTINCT head.subscription_id) INTO heads, woken
    FROM (SELECT DISTINCT o.subscription_id, o.record_id FROM ordered_delivery AS o
           WHERE o.tenant_id = tenant AND o.delivery_id = ANY (ended || fresh)) AS changed
   CROSS JOIN LATERAL (
     SELECT o.* FROM ordered_delivery AS o
      WHERE o.tenant_id = tenant AND o.subscription_id = changed.subscription_id AND o.record_id = changed.record_id
        AND o.state <> 'ended'
      ORDER BY o.record_version, o.event_id LIMIT 1) AS head
    -- With a limit, so that each partition is looked up, however few heads there seem to be.
    LEFT JOIN LATERAL (
      SELECT o.delivery_id FROM ordered_delivery AS o
       WHERE o.tenant_id = tenant AND o.subscription_id = changed.subscription_id AND o.record_id = changed.record_id
         AND o.state = 'head'
       LIMIT 1) AS present ON true
   WHERE present.delivery_id IS NULL
     AND (head.state <> 'new' OR head.stream_sequence IS NULL
          OR (head.stream_sequence <= up_to AND head.stored_at BETWEEN since AND until)
          OR head.arrived_at < moment - longest_ms * interval '1 millisecond');
  heads := coalesce(heads, '{}');
  DELETE FROM ordered_delivery AS o WHERE o.tenant_id = tenant AND o.delivery_id = ANY (ended) AND o.state = 'ended';
  UPDATE ordered_delivery AS o SET state = CASE WHEN o.delivery_id = ANY (heads) THEN 'head' ELSE 'waiting' END
   WHERE o.tenant_id = tenant AND (o.delivery_id = ANY (heads) OR (o.delivery_id = ANY (fresh) AND o.state = 'new'));
  INSERT INTO due_delivery (tenant_id, delivery_id, subscription_id, event_id, attempts, is_retry, due_at, is_head)
  SELECT tenant, o.delivery_id, o.subscription_id, o.event_id, o.attempts, o.attempts > 0, moment, true
    FROM ordered_delivery AS o WHERE o.tenant_id = tenant AND o.delivery_id = ANY (heads);
  PERFORM wake_queues(tenant, woken, NULL);
  RETURN coalesce(cardinality(woken), 0);
END $body$;

-- Returns whether it was paused for less than that; only then the row is written.
CREATE FUNCTION pause_subscription(tenant uuid, subscription uuid, ms float8) RETURNS boolean LANGUAGE plpgsql AS $body$
DECLARE
  moment CONSTANT timestamptz := now();
  latest CONSTANT timestamptz := now() + interval '1 minute';
  until CONSTANT timestamptz := now() + ms * interval '1 millisecond';
BEGIN
  UPDATE webhook_subscription AS s SET paused_until = until, paused_at = moment, version = s.version + 1
   WHERE s.tenant_id = tenant AND s.id = subscription
     AND (s.paused_until IS NULL OR s.paused_until < until OR s.paused_at > latest);
  RETURN FOUND;
END $body$;

-- Returns in how many milliseconds those reserved begin; null, with none, when others have reserved too far ahead, which is seconds.
CREATE FUNCTION reserve_permits(tenant uuid, subscription uuid, ms float8, ahead_ms float8) RETURNS float8
LANGUAGE plpgsql AS $body$
DECLARE
  moment CONSTANT timestamptz := now();
  begins timestamptz;
BEGIN
  SELECT greatest(s.rate_reserved_until, moment) INTO begins FROM webhook_subscription AS s
   WHERE s.tenant_id = tenant AND s.id = subscription FOR NO KEY UPDATE;
  IF begins > moment + interval '1 minute' THEN begins := moment; END IF;
  IF begins IS NULL OR begins > moment + ahead_ms * interval '1 millisecond' THEN RETURN NULL; END IF;
  UPDATE webhook_subscription AS s SET rate_reserved_until = begins + ms * interval '1 millisecond'
   WHERE s.tenant_id = tenant AND s.id = subscription;
  RETURN extract(epoch FROM begins - moment) * 1000;
END $body$;

-- Before the horizon everything is committed: rows have the time at which their transaction began on their node, and all writers use
-- this role. A transaction may not be visible for a tenth of a second; one of over five seconds is not waited for.
CREATE FUNCTION listening_horizon(tenant uuid, OUT moment text, OUT horizon text) LANGUAGE plpgsql AS $body$
BEGIN
  SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
         to_char(greatest(least(min(xact_start), now()) - interval '100 ms', now() - interval '5 s') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') INTO moment, horizon
    FROM pg_stat_activity
   -- By ids, so that the view needs no join, whose plan would depend on what else is in the server.
   WHERE datid = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND usesysid = (SELECT oid FROM pg_roles WHERE rolname = current_user) AND pid <> pg_backend_pid();
END $body$;
