-- What is done for one tenant is a function of it, which a cluster runs where the tenant's rows are (decision record 0244), so that its
-- statements may insert rows from arrays. They are written so that a cluster accepts them: what changes a row is computed of its values and
-- of variables, by immutable functions.
--
-- The rate of a workflow is `next_at`, to which each start adds its part. A transaction that begins later is less ahead than a minute: of a
-- rate that was set further ahead, by a clock that was, nothing is owed.

-- Stores runs of one cause, at most one of a workflow, by workflow, and queues them; known ids are skipped. They count in the rates,
-- where `next_at` goes on ahead, while hook calls over the rate are refused: a run over the rate is due later. With an error they
-- are stored as cancelled. A cluster inserts single rows fastest, and could not count the rows of a list.
CREATE FUNCTION start_runs(tenant uuid, ids uuid[], workflows uuid[], versions integer[], event uuid, chain_depth integer, payload json,
                           code text, detail text, per_minute integer, trace text)
RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
  moment timestamptz := now();
  gap interval := interval '1 minute' / per_minute;
  due timestamptz;
BEGIN
  FOR n IN 1 .. cardinality(ids) LOOP
    INSERT INTO run (tenant_id, id, workflow_id, workflow_version, event_id, depth, input, status, error_code, error_detail, finished_at)
    VALUES (tenant, ids[n], workflows[n], versions[n], event, chain_depth, payload,
            CASE WHEN code IS NULL THEN 'queued' ELSE 'cancelled' END, code, detail, CASE WHEN code IS NOT NULL THEN moment END)
    ON CONFLICT (tenant_id, id) DO NOTHING;
    CONTINUE WHEN NOT FOUND OR code IS NOT NULL;
    INSERT INTO workflow_rate AS rate (tenant_id, workflow_id, next_at, granted) VALUES (tenant, workflows[n], moment + gap, 1)
    ON CONFLICT (tenant_id, workflow_id) DO UPDATE SET granted = 1, next_at = (
        CASE WHEN rate.set_at < (moment AT TIME ZONE 'UTC' + interval '1 minute') AT TIME ZONE 'UTC' THEN greatest(rate.next_at, moment) ELSE moment END
        AT TIME ZONE 'UTC' + gap) AT TIME ZONE 'UTC', set_at = moment
    RETURNING rate.next_at INTO due;
    due := due - interval '1 minute';
    INSERT INTO run_queue (tenant_id, run_id, workflow_id, due_at, waits, traceparent)
    VALUES (tenant, ids[n], workflows[n], greatest(moment, due), due > moment, trace);
  END LOOP;
END $body$;

-- Continues a claimed run with the lease renewed and claims reset, or gives it back for when it is due; a longer lease is kept. Stores a
-- step, unless its position is null. Returns whether the claim was held: without it nothing is written.
CREATE FUNCTION continue_run(
  tenant uuid, this_run uuid, this_claim uuid, due timestamptz, lease_seconds integer,
  step_position integer, step_key text, step_type text, step_status text, step_attempts integer, step_due timestamptz,
  step_output json, step_code text, step_detail text, begun timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $body$
DECLARE
  renewed timestamptz := now() + make_interval(secs => lease_seconds);
BEGIN
  PERFORM set_config('app.tenant_id', tenant::text, true);
  UPDATE run_queue q
     SET due_at = coalesce(due, greatest(q.due_at, renewed)), claim_id = CASE WHEN due IS NULL THEN q.claim_id END,
         claims = CASE WHEN due IS NULL THEN 1 ELSE 0 END
   WHERE q.tenant_id = tenant AND q.run_id = this_run AND q.claim_id = this_claim;
  IF NOT FOUND THEN RETURN false; END IF;
  IF step_position IS NOT NULL THEN
    INSERT INTO run_step (tenant_id, run_id, position, key, type, status, attempts, due_at, output, error_code, error_detail)
    VALUES (tenant, this_run, step_position, step_key, step_type, step_status, step_attempts, step_due, step_output, step_code, step_detail)
    ON CONFLICT (tenant_id, run_id, position) DO UPDATE SET
      status = excluded.status, attempts = excluded.attempts, due_at = excluded.due_at, output = excluded.output,
      error_code = excluded.error_code, error_detail = excluded.error_detail, updated_at = excluded.updated_at;
  END IF;
  UPDATE run r SET status = 'running', started_at = greatest(r.created_at, begun)
   WHERE r.tenant_id = tenant AND r.id = this_run AND r.status = 'queued';
  RETURN true;
END $body$;

-- Ends a claimed run; `begun` is null when it was never under way. Returns whether the claim was held.
CREATE FUNCTION end_run(
  tenant uuid, this_run uuid, this_claim uuid, outcome text, begun timestamptz,
  step_position integer, step_key text, step_type text, step_status text, step_attempts integer, step_due timestamptz,
  step_output json, step_code text, step_detail text, code text, detail text)
RETURNS boolean LANGUAGE plpgsql AS $body$
DECLARE
  moment timestamptz := now();
BEGIN
  PERFORM set_config('app.tenant_id', tenant::text, true);
  DELETE FROM run_queue q WHERE q.tenant_id = tenant AND q.run_id = this_run AND q.claim_id = this_claim;
  IF NOT FOUND THEN RETURN false; END IF;
  IF step_position IS NOT NULL THEN
    INSERT INTO run_step (tenant_id, run_id, position, key, type, status, attempts, due_at, output, error_code, error_detail)
    VALUES (tenant, this_run, step_position, step_key, step_type, step_status, step_attempts, step_due, step_output, step_code, step_detail)
    ON CONFLICT (tenant_id, run_id, position) DO UPDATE SET
      status = excluded.status, attempts = excluded.attempts, due_at = excluded.due_at, output = excluded.output,
      error_code = excluded.error_code, error_detail = excluded.error_detail, updated_at = excluded.updated_at;
  END IF;
  UPDATE run r SET status = outcome, error_code = code, error_detail = detail, finished_at = moment,
         started_at = CASE WHEN begun IS NULL THEN r.started_at ELSE coalesce(r.started_at, greatest(r.created_at, begun)) END
   WHERE r.tenant_id = tenant AND r.id = this_run;
  RETURN true;
END $body$;

-- Cancels unfinished runs of deleted workflows; their workers lose the claim. Returns how many.
CREATE FUNCTION cancel_runs(tenant uuid, workflows uuid[], most integer, code text, detail text) RETURNS integer LANGUAGE plpgsql AS $body$
DECLARE
  moment timestamptz := now();
  gone uuid[];
BEGIN
  WITH cancelled AS (
    DELETE FROM run_queue q
     WHERE q.tenant_id = tenant AND q.run_id IN (
       SELECT u.run_id FROM run_queue u WHERE u.tenant_id = tenant AND u.workflow_id = ANY (workflows) LIMIT most FOR UPDATE)
    RETURNING q.run_id)
  SELECT array_agg(run_id) INTO gone FROM cancelled;
  UPDATE run r SET status = 'cancelled', error_code = code, error_detail = detail, finished_at = moment
   WHERE r.tenant_id = tenant AND r.id = ANY (gone);
  RETURN coalesce(cardinality(gone), 0);
END $body$;

-- Claims the oldest due runs of a tenant without waiting for other workers: on a cluster, where CLAIM_RUNS cannot be carried out.
CREATE FUNCTION claim_runs(tenant uuid, this_claim uuid, lease_seconds integer, most integer)
RETURNS TABLE (run_id uuid, workflow_id uuid, was_due_at timestamptz, claims integer, traceparent text) LANGUAGE plpgsql AS $body$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH due AS MATERIALIZED (
    SELECT q.run_id, q.due_at, now() + make_interval(secs => lease_seconds * power(2, q.claims) * (1 + random() / 2)) AS lease
      FROM run_queue q
     WHERE q.tenant_id = tenant AND (NOT q.waits AND q.due_at <= now() OR q.waits AND q.due_at <= now())
     ORDER BY q.due_at LIMIT most FOR UPDATE SKIP LOCKED)
  UPDATE run_queue q SET claim_id = this_claim, claims = q.claims + 1, waits = true, due_at = due.lease
    FROM due WHERE q.tenant_id = tenant AND q.run_id = due.run_id
  RETURNING q.run_id, q.workflow_id, due.due_at, q.claims, q.traceparent;
END $body$;

-- Stores what hook calls of a tenant start, on a cluster, where ACCEPT_CALLS cannot be carried out: calls by workflow and key, so that
-- rows are locked in one order, each workflow's rate before its keys. A row a call, as there. A call with the same key is taken for a
-- repetition for 24 hours. Workflows of revoked apps accept nothing.
CREATE FUNCTION accept_calls(tenant uuid, workflows uuid[], are_known boolean[], runs uuid[], keys bytea[], depths integer[], inputs json[],
                             traces text[], per_minute integer, most_depth integer, code text, detail text, queue_is_full boolean,
                             revoked_apps text[])
RETURNS TABLE (is_accepted boolean, run uuid, is_full boolean, retry_after_ms integer) LANGUAGE plpgsql AS $body$
DECLARE
  moment timestamptz := now();
  gap interval := interval '1 minute' / per_minute;
  latest timestamptz := now() + interval '1 minute';
  forgotten timestamptz := now() - interval '24 hours';
  pinned integer;
  free timestamptz;
  is_deep boolean;
BEGIN
  PERFORM set_config('app.tenant_id', tenant::text, true);
  FOR n IN 1 .. cardinality(workflows) LOOP
    SELECT w.definition_version INTO pinned FROM workflow w
     WHERE w.tenant_id = tenant AND w.id = workflows[n] AND w.enabled
       AND (w.app_key = ANY (revoked_apps)) IS NOT TRUE AND w.trigger_type = 'webhook_received';
    is_accepted := pinned IS NOT NULL AND are_known[n];
    run := NULL;
    is_full := false;
    retry_after_ms := NULL;
    IF is_accepted AND keys[n] IS NOT NULL THEN
      SELECT k.run_id INTO run FROM hook_call_key k
       WHERE k.tenant_id = tenant AND k.workflow_id = workflows[n] AND k.key_hash = keys[n] AND k.created_at > forgotten;
    END IF;
    IF is_accepted AND run IS NULL THEN
      is_full := queue_is_full;
      SELECT r.next_at + gap INTO free FROM workflow_rate r WHERE r.tenant_id = tenant AND r.workflow_id = workflows[n] AND r.set_at < latest;
      IF is_full THEN
        NULL;
      ELSIF free > latest THEN
        retry_after_ms := least(ceil(extract(epoch FROM free - latest) * 1000), 86400000);
      ELSE
        INSERT INTO workflow_rate AS rate (tenant_id, workflow_id, next_at, granted) VALUES (tenant, workflows[n], moment + gap, 1)
        ON CONFLICT (tenant_id, workflow_id) DO UPDATE SET granted = 1, next_at = (
            CASE WHEN rate.set_at < (moment AT TIME ZONE 'UTC' + interval '1 minute') AT TIME ZONE 'UTC' THEN greatest(rate.next_at, moment) ELSE moment END
            AT TIME ZONE 'UTC' + gap) AT TIME ZONE 'UTC', set_at = moment
         WHERE (
            CASE WHEN rate.set_at < (moment AT TIME ZONE 'UTC' + interval '1 minute') AT TIME ZONE 'UTC' THEN greatest(rate.next_at, moment) ELSE moment END
            AT TIME ZONE 'UTC' + gap) AT TIME ZONE 'UTC' <= latest;
        IF NOT FOUND THEN
          retry_after_ms := ceil(extract(epoch FROM gap) * 1000);
        ELSE
          run := runs[n];
          IF keys[n] IS NOT NULL THEN
            INSERT INTO hook_call_key AS known (tenant_id, workflow_id, key_hash, run_id) VALUES (tenant, workflows[n], keys[n], runs[n])
            ON CONFLICT (tenant_id, workflow_id, key_hash) DO UPDATE SET run_id = excluded.run_id, created_at = excluded.created_at
             WHERE known.created_at <= forgotten;
            IF NOT FOUND THEN run := NULL; END IF;
          END IF;
          IF run IS NOT NULL THEN
            is_deep := depths[n] > most_depth;
            INSERT INTO run (tenant_id, id, workflow_id, workflow_version, depth, input, status, error_code, error_detail, finished_at)
            VALUES (tenant, runs[n], workflows[n], pinned, depths[n], inputs[n], CASE WHEN is_deep THEN 'cancelled' ELSE 'queued' END,
                    CASE WHEN is_deep THEN code END, CASE WHEN is_deep THEN detail END, CASE WHEN is_deep THEN moment END);
            IF NOT is_deep THEN
              INSERT INTO run_queue (tenant_id, run_id, workflow_id, traceparent) VALUES (tenant, runs[n], workflows[n], traces[n]);
            END IF;
          END IF;
        END IF;
      END IF;
    END IF;
    RETURN NEXT;
  END LOOP;
END $body$;
