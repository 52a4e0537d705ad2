-- The ledger is changed by functions of one tenant, their first argument: a cluster runs each where the tenant's rows are, and would
-- accept few of their statements otherwise.

-- New events and deliveries; none is written twice. Those that are due come again with what belongs to that, those that have an order
-- come in `ordered` alone. Rows name the tenant: on one server a call is for several tenants, whichever is its first argument. Most
-- have ended, so that these come as arrays, which are read faster than JSON.
CREATE FUNCTION record_deliveries(
  tenant uuid, event_tenants uuid[], event_ids uuid[], event_names text[], bodies text[], traceparents text[],
  tenants uuid[], ids uuid[], subscriptions uuid[], of_events uuid[], names text[], urls text[], app_keys text[],
  installations uuid[], statuses text[], attempts integer[], next_times timestamptz[], times timestamptz[],
  http_statuses integer[], latencies integer[], excerpts text[], codes text[], messages text[], phases text[], due json, ordered json)
RETURNS void LANGUAGE plpgsql AS $body$
#variable_conflict use_variable
DECLARE
  written uuid[];
BEGIN
  INSERT INTO event_body (tenant_id, id, event, body, traceparent)
  SELECT * FROM unnest(event_tenants, event_ids, event_names, bodies, traceparents)
  ON CONFLICT DO NOTHING;
  IF due IS NULL THEN
    INSERT INTO delivery
      (tenant_id, id, subscription_id, event_id, event, url, app_key, installation_id, status, attempts, next_attempt_at, attempted_at,
       http_status, latency_ms, response_excerpt, error_code, error_message, error_phase)
    SELECT * FROM unnest(tenants, ids, subscriptions, of_events, names, urls, app_keys, installations, statuses, attempts, next_times,
                         times, http_statuses, latencies, excerpts, codes, messages, phases)
    ON CONFLICT DO NOTHING;
  ELSE
    -- A cluster knows the variable within WITH alone.
    WITH inserted AS (
      INSERT INTO delivery
        (tenant_id, id, subscription_id, event_id, event, url, app_key, installation_id, status, attempts, next_attempt_at, attempted_at,
         http_status, latency_ms, response_excerpt, error_code, error_message, error_phase)
      SELECT * FROM unnest(tenants, ids, subscriptions, of_events, names, urls, app_keys, installations, statuses, attempts, next_times,
                           times, http_statuses, latencies, excerpts, codes, messages, phases)
      ON CONFLICT DO NOTHING RETURNING delivery.id)
    SELECT array_agg(inserted.id) INTO written FROM inserted;
    INSERT INTO due_delivery
      (tenant_id, delivery_id, subscription_id, event_id, attempts, is_retry, due_at, claim, claimed_until, throttled)
    SELECT d.tenant_id, d.id, d.subscription_id, d.event_id, d.attempts, d.attempts > 0, d.due_at, d.claim, d.claimed_until,
           d.throttled
      FROM json_to_recordset(due)
           AS d (tenant_id uuid, id uuid, subscription_id uuid, event_id uuid, attempts integer, due_at timestamptz, claim uuid,
                 claimed_until timestamptz, throttled integer)
     WHERE d.id = ANY (written);
  END IF;
  IF ordered IS NOT NULL THEN
    WITH inserted AS (
      INSERT INTO delivery
        (tenant_id, id, subscription_id, event_id, event, url, app_key, installation_id, record_id, record_version, status, attempts)
      SELECT d.* FROM json_to_recordset(ordered) AS d (tenant_id uuid,
        id uuid, subscription_id uuid, event_id uuid, event text, url text, app_key text, installation_id uuid, record_id text,
        record_version bigint, status text, attempts integer)
      ON CONFLICT DO NOTHING RETURNING delivery.id)
    SELECT array_agg(inserted.id) INTO written FROM inserted;
    INSERT INTO ordered_delivery
      (tenant_id, delivery_id, subscription_id, event_id, attempts, record_id, record_version, stream_sequence, stored_at, state)
    SELECT d.*, 'new'
      FROM json_to_recordset(ordered)
           AS d (tenant_id uuid, id uuid, subscription_id uuid, event_id uuid, attempts integer, record_id text,
                 record_version bigint, stream_sequence bigint, stored_at timestamptz)
     WHERE d.id = ANY (written);
  END IF;
END $body$;

-- What exceeds the bound is counted and not written, the latest first. Bodies are written if a delivery needs them. Returns how many exceeded.
CREATE FUNCTION hold_deliveries(tenant uuid, events json, deliveries json, most integer) RETURNS integer LANGUAGE plpgsql AS $body$
DECLARE
  fitting uuid[];
  beyond uuid[];
  kept uuid[];
  needed uuid[];
BEGIN
  SELECT array_agg(id) FILTER (WHERE fits), coalesce(array_agg(subscription_id) FILTER (WHERE NOT fits), '{}')
    INTO fitting, beyond
    FROM (SELECT given.id, given.subscription_id, hold.held + given.number <= most AS fits
            FROM (SELECT d.*, row_number() OVER (PARTITION BY d.subscription_id ORDER BY d.id) AS number
                    FROM json_to_recordset(deliveries) AS d (id uuid, subscription_id uuid)) AS given
            JOIN subscription_hold AS hold ON hold.subscription_id = given.subscription_id
           WHERE hold.tenant_id = tenant AND NOT hold.is_discarded) AS judged;
  WITH inserted AS (
    INSERT INTO delivery
      (tenant_id, status, attempts, id, subscription_id, event_id, event, url, app_key, installation_id, record_id, record_version)
    SELECT tenant, 'held', 0, d.* FROM json_to_recordset(deliveries) AS d (
      id uuid, subscription_id uuid, event_id uuid, event text, url text, app_key text, installation_id uuid, record_id text,
      record_version bigint) WHERE d.id = ANY (fitting)
    ON CONFLICT DO NOTHING RETURNING subscription_id, event_id)
  SELECT array_agg(subscription_id), array_agg(event_id) INTO kept, needed FROM inserted;
  INSERT INTO event_body (tenant_id, id, event, body)
  SELECT tenant, e.* FROM json_to_recordset(events) AS e (id uuid, event text, body text) WHERE e.id = ANY (needed)
  ON CONFLICT DO NOTHING;
  UPDATE subscription_hold AS hold SET held = hold.held + change.held, dropped = hold.dropped + change.dropped
    FROM (SELECT id, count(*) FILTER (WHERE fits) AS held, count(*) FILTER (WHERE NOT fits) AS dropped
            FROM (SELECT unnest(kept) AS id, true AS fits UNION ALL SELECT unnest(beyond), false) AS one
           GROUP BY id) AS change
   WHERE hold.tenant_id = tenant AND hold.subscription_id = change.id;
  RETURN cardinality(beyond);
END $body$;

-- What this process no longer claims stays as it is. The attempt before moves from the row of the delivery to the log. Returns the
-- ids of the others, also of those whose row was dropped with its partition: they have ended as well. `ids` are in order, so that the
-- first and the last exclude partitions of other days.
CREATE FUNCTION settle_deliveries(tenant uuid, ids uuid[], settlements json) RETURNS uuid[] LANGUAGE plpgsql AS $body$
DECLARE
  settled uuid[];
BEGIN
  WITH given AS MATERIALIZED (
    SELECT * FROM json_to_recordset(settlements)
           AS s (id uuid, claim uuid, attempts integer, due_at timestamptz, throttled integer)),
  ended AS (
    DELETE FROM due_delivery AS due USING given
     WHERE due.tenant_id = tenant AND due.delivery_id = ANY (ids)
       AND due.delivery_id = given.id AND due.claim = given.claim AND given.due_at IS NULL
    RETURNING due.delivery_id AS id),
  postponed AS (
    UPDATE due_delivery AS due
       SET due_at = given.due_at, attempts = given.attempts, throttled = given.throttled, is_retry = true,
           claim = NULL, claimed_until = NULL
      FROM given
     WHERE due.tenant_id = tenant AND due.delivery_id = ANY (ids)
       AND due.delivery_id = given.id AND due.claim = given.claim AND given.due_at IS NOT NULL
    RETURNING due.delivery_id AS id)
  SELECT coalesce(array_agg(id), '{}') INTO settled FROM (SELECT id FROM ended UNION ALL SELECT id FROM postponed) AS ours;
  PERFORM record_settled(tenant, settled, ids[1], ids[cardinality(ids)], settlements);
  RETURN settled;
END $body$;

-- Planned once, as there is a part of the plan for each day, and so that a day which was small then is not read whole.
CREATE FUNCTION record_settled(tenant uuid, settled uuid[], lowest uuid, highest uuid, settlements json)
RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $body$
BEGIN
  INSERT INTO delivery_attempt
    (tenant_id, delivery_id, number, at, http_status, error_code, error_message, error_phase, latency_ms, response_excerpt)
  SELECT tenant, id, attempts, attempted_at, http_status, error_code, error_message, error_phase, latency_ms, response_excerpt
    FROM delivery
   WHERE tenant_id = tenant AND id = ANY (settled) AND id BETWEEN lowest AND highest
     AND attempted_at IS NOT NULL
  ON CONFLICT DO NOTHING;
  UPDATE delivery
     SET status = s.status, attempts = s.attempts, next_attempt_at = s.due_at, url = coalesce(s.url, delivery.url),
         error_code = s.error_code, error_message = s.error_message, error_phase = s.error_phase, http_status = s.http_status,
         attempted_at = s.attempted_at, latency_ms = s.latency_ms, response_excerpt = s.response_excerpt, set_aside = s.set_aside
    FROM json_to_recordset(settlements) AS s (id uuid, url text, set_aside boolean,
         status text, attempts integer, due_at timestamptz, attempted_at timestamptz, http_status integer, latency_ms integer,
         response_excerpt text, error_code text, error_message text, error_phase text)
   WHERE delivery.tenant_id = tenant AND delivery.id = s.id AND delivery.id = ANY (settled)
     AND delivery.id BETWEEN lowest AND highest;
END $body$;

-- The bound does not apply to claimed ones, which were accepted before; `ids` are in order. Returns those that are held now.
CREATE FUNCTION hold_claimed(tenant uuid, ids uuid[], claims uuid[]) RETURNS uuid[] LANGUAGE plpgsql AS $body$
DECLARE
  kept uuid[];
BEGIN
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest(ids, claims) AS given (id, claim)),
  ended AS (
    DELETE FROM due_delivery AS due USING given, subscription_hold AS hold
     WHERE due.tenant_id = tenant AND due.delivery_id = ANY (ids) AND due.delivery_id = given.id AND due.claim = given.claim
       AND hold.tenant_id = tenant AND hold.subscription_id = due.subscription_id AND NOT hold.is_discarded
    RETURNING due.delivery_id AS id),
  held AS (
    UPDATE delivery SET status = 'held', next_attempt_at = NULL FROM ended
     WHERE delivery.tenant_id = tenant AND delivery.id = ANY (ids) AND delivery.id = ended.id
       AND delivery.id BETWEEN ids[1] AND ids[cardinality(ids)]
    RETURNING delivery.subscription_id, delivery.id),
  counted AS (
    UPDATE subscription_hold AS hold SET held = hold.held + change.count
      FROM (SELECT subscription_id, count(*)::integer AS count FROM held GROUP BY subscription_id) AS change
     WHERE hold.tenant_id = tenant AND hold.subscription_id = change.subscription_id)
  SELECT coalesce(array_agg(id), '{}') INTO kept FROM held;
  RETURN kept;
END $body$;

-- Leaves claimed ones alone, and unblocks the partitions of heads. Returns how many are held now.
CREATE FUNCTION hold_due(tenant uuid, subscription uuid, most integer) RETURNS integer LANGUAGE plpgsql AS $body$
DECLARE
  chosen uuid[];
  count integer;
BEGIN
  SELECT array_agg(free.delivery_id) INTO chosen
    FROM (SELECT due.delivery_id FROM due_delivery AS due
           WHERE due.tenant_id = tenant AND due.subscription_id = subscription AND due.due_at <= now()
             AND (due.claimed_until IS NULL OR due.claimed_until < now())
             AND EXISTS (SELECT 1 FROM subscription_hold AS hold
                          WHERE hold.tenant_id = tenant AND hold.subscription_id = subscription AND NOT hold.is_discarded)
           LIMIT most FOR UPDATE OF due SKIP LOCKED) AS free;
  IF chosen IS NULL THEN RETURN 0; END IF;
  DELETE FROM due_delivery AS due WHERE due.tenant_id = tenant AND due.delivery_id = ANY (chosen);
  UPDATE ordered_delivery AS head SET state = 'ended' WHERE head.tenant_id = tenant AND head.delivery_id = ANY (chosen);
  UPDATE delivery SET status = 'held', next_attempt_at = NULL WHERE tenant_id = tenant AND id = ANY (chosen);
  GET DIAGNOSTICS count = ROW_COUNT;
  UPDATE subscription_hold AS hold SET held = hold.held + count
   WHERE hold.tenant_id = tenant AND hold.subscription_id = subscription;
  RETURN cardinality(chosen);
END $body$;

CREATE FUNCTION recount_holds(tenant uuid, subscriptions uuid[]) RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
  UPDATE subscription_hold AS hold
     SET held = (SELECT count(*) FROM delivery
                  WHERE delivery.tenant_id = tenant AND delivery.subscription_id = hold.subscription_id
                    AND delivery.status = 'held')
   WHERE hold.tenant_id = tenant AND hold.subscription_id = ANY (subscriptions);
END $body$;

-- All that deliveries of one tenant have come to, besides new ones. `ids` are those of the settlements, `heads` those that are settled or
-- held for which others of their record wait. Returns which were settled or held, and how many not kept.
CREATE FUNCTION change_ledger(
  tenant uuid, locked uuid[], events json, deliveries json, most_held integer, ids uuid[], settlements json, claimed uuid[],
  claims uuid[], heads uuid[], woken uuid[], times timestamptz[],
  OUT settled uuid[], OUT dropped integer)
LANGUAGE plpgsql AS $body$
BEGIN
  settled := '{}';
  dropped := 0;
  -- First, so that no two transactions wait for each other.
  IF cardinality(locked) > 0 THEN
    PERFORM 1 FROM subscription_hold AS hold WHERE hold.tenant_id = tenant AND hold.subscription_id = ANY (locked)
      ORDER BY hold.subscription_id FOR UPDATE;
  END IF;
  IF deliveries IS NOT NULL THEN dropped := hold_deliveries(tenant, events, deliveries, most_held); END IF;
  IF settlements IS NOT NULL THEN settled := settle_deliveries(tenant, ids, settlements); END IF;
  IF cardinality(claimed) > 0 THEN settled := settled || hold_claimed(tenant, claimed, claims); END IF;
  IF cardinality(woken) > 0 THEN PERFORM wake_queues(tenant, woken, times); END IF;
  IF cardinality(heads) > 0 THEN
    UPDATE ordered_delivery SET state = 'ended'
     WHERE tenant_id = tenant AND delivery_id = ANY (heads) AND delivery_id = ANY (settled);
  END IF;
END $body$;

-- Makes ended deliveries due behind first attempts, or puts those of a record back into their partition.
CREATE FUNCTION make_due(tenant uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO due_delivery (tenant_id, delivery_id, subscription_id, event_id, attempts, is_retry, due_at)
  SELECT tenant, d.id, d.subscription_id, d.event_id, d.attempts, true, d.next_attempt_at
    FROM delivery AS d WHERE d.tenant_id = tenant AND d.id = ANY (ids) AND d.record_id IS NULL;
  INSERT INTO ordered_delivery
    (tenant_id, delivery_id, subscription_id, record_id, record_version, event_id, attempts, state)
  SELECT tenant, d.id, d.subscription_id, d.record_id, d.record_version, d.event_id, d.attempts, 'new'
    FROM delivery AS d WHERE d.tenant_id = tenant AND d.id = ANY (ids) AND d.record_id IS NOT NULL
  -- It has just ended, and its row has not been removed yet.
  ON CONFLICT (tenant_id, delivery_id) DO UPDATE SET state = 'new', attempts = EXCLUDED.attempts;
END $body$;

-- Brings a waiting delivery's next attempt forward, or makes one due that has ended or is held, and whose event is kept; a hold is
-- locked. Returns in which state it was, `due` for one that waits; null for none of these.
CREATE FUNCTION redeliver(tenant uuid, delivery_id uuid) RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  moment CONSTANT timestamptz := now();
  before text;
BEGIN
  UPDATE due_delivery AS due SET due_at = moment WHERE due.tenant_id = tenant AND due.delivery_id = redeliver.delivery_id;
  IF FOUND THEN RETURN 'due'; END IF;
  SELECT d.status INTO before FROM delivery AS d
   WHERE d.tenant_id = tenant AND d.id = redeliver.delivery_id AND d.status NOT IN ('pending', 'retrying')
     AND EXISTS (SELECT 1 FROM event_body WHERE event_body.tenant_id = tenant AND event_body.id = d.event_id)
     FOR UPDATE OF d;
  IF before IS NOT NULL THEN
    UPDATE delivery AS d
       SET status = 'retrying', next_attempt_at = CASE WHEN d.record_id IS NULL THEN moment END, set_aside = false
     WHERE d.tenant_id = tenant AND d.id = redeliver.delivery_id;
    PERFORM make_due(tenant, ARRAY[redeliver.delivery_id]);
  END IF;
  RETURN before;
END $body$;

-- Makes the oldest due of what a subscription holds and, if asked, of what has failed. Returns them in order.
CREATE FUNCTION recover_deliveries(
  tenant uuid, subscription uuid, failed_too boolean, lowest uuid, beyond uuid, most integer, OUT ids uuid[], OUT held integer)
LANGUAGE plpgsql AS $body$
DECLARE
  moment CONSTANT timestamptz := now();
BEGIN
  SELECT coalesce(array_agg(chosen.id ORDER BY chosen.id), '{}'), count(*) FILTER (WHERE chosen.status = 'held') INTO ids, held
    FROM (SELECT d.id, d.status FROM delivery AS d
           WHERE d.tenant_id = tenant AND d.subscription_id = subscription
             AND d.status IN ('held', 'failed', 'blocked') AND (d.status = 'held' OR failed_too)
             AND d.id >= lowest AND d.id < beyond
           ORDER BY d.id LIMIT most FOR UPDATE SKIP LOCKED) AS chosen;
  UPDATE delivery AS d
     SET status = CASE WHEN d.attempts = 0 THEN 'pending' ELSE 'retrying' END,
         next_attempt_at = CASE WHEN d.record_id IS NULL THEN moment END, set_aside = false
   WHERE d.tenant_id = tenant AND d.id = ANY (ids);
  PERFORM make_due(tenant, ids);
END $body$;
