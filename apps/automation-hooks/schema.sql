-- What the migrations of automation-hooks make, for readers: nothing runs it. "npm test -- --update apps/automation-hooks/test/schema.spec.ts" writes it.

TABLE dead_letter (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  consumer text NOT NULL,
  message_key text NOT NULL,
  event_id uuid,
  subject text NOT NULL,
  payload bytea NOT NULL,
  error text NOT NULL,
  deliveries integer NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  replayed_at timestamp with time zone,
  CONSTRAINT dead_letter_pkey PRIMARY KEY (tenant_id, id)
) PARTITION BY RANGE (id)
CREATE INDEX dead_letter_consumer_id_idx ON ONLY public.dead_letter USING btree (consumer, id) WHERE (replayed_at IS NULL)
POLICY narrow_insert FOR INSERT TO automations_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO automations_narrow USING true
POLICY narrow_update FOR UPDATE TO automations_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT, UPDATE TO automations_narrow
GRANT INSERT, SELECT, UPDATE TO automations_runtime

TABLE dead_letter_default (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  consumer text NOT NULL,
  message_key text NOT NULL,
  event_id uuid,
  subject text NOT NULL,
  payload bytea NOT NULL,
  error text NOT NULL,
  deliveries integer NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  replayed_at timestamp with time zone
) -- PARTITION OF dead_letter
CREATE INDEX dead_letter_default_arrival_idx ON public.dead_letter_default USING btree (created_at)
POLICY owner_delete FOR DELETE TO automations_owner USING true
POLICY owner_select FOR SELECT TO automations_owner USING true

TABLE encryption_key (
  id text NOT NULL,
  check_box bytea NOT NULL,
  registered_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT encryption_key_pkey PRIMARY KEY (id)
)
POLICY narrow_delete FOR DELETE TO automations_narrow USING true
POLICY narrow_insert FOR INSERT TO automations_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO automations_narrow USING true
GRANT DELETE, INSERT, SELECT TO automations_narrow

TABLE erased_record (
  tenant_id uuid NOT NULL,
  record_id text NOT NULL,
  event json NOT NULL,
  detail json,
  erased_at timestamp with time zone NOT NULL DEFAULT now(),
  due_at timestamp with time zone,
  CONSTRAINT erased_record_pkey PRIMARY KEY (tenant_id, record_id)
)
CREATE INDEX erased_record_erased_at_idx ON public.erased_record USING btree (erased_at) WHERE (due_at IS NOT NULL)
CREATE INDEX erased_record_erased_at_idx1 ON public.erased_record USING btree (erased_at)
POLICY narrow_delete FOR DELETE TO automations_narrow USING true
POLICY narrow_select FOR SELECT TO automations_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT TO automations_narrow
GRANT INSERT, SELECT, UPDATE TO automations_runtime

TABLE hook (
  workflow_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  secret_hash bytea NOT NULL,
  secret_created_at timestamp with time zone NOT NULL DEFAULT now(),
  secret_last_used_at timestamp with time zone,
  previous_secret_hash bytea,
  previous_secret_created_at timestamp with time zone,
  previous_secret_last_used_at timestamp with time zone,
  previous_valid_until timestamp with time zone,
  CONSTRAINT hook_pkey PRIMARY KEY (workflow_id)
)
POLICY narrow_delete FOR DELETE TO automations_narrow USING true
POLICY narrow_insert FOR INSERT TO automations_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO automations_narrow USING true
POLICY narrow_update FOR UPDATE TO automations_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT TO automations_narrow
GRANT UPDATE (previous_secret_created_at, previous_secret_hash, previous_secret_last_used_at, previous_valid_until, secret_created_at, secret_hash, secret_last_used_at) TO automations_narrow

TABLE hook_call_key (
  tenant_id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  key_hash bytea NOT NULL,
  run_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT hook_call_key_pkey PRIMARY KEY (tenant_id, workflow_id, key_hash)
)
CREATE INDEX hook_call_key_created_at_idx ON public.hook_call_key USING btree (created_at)
POLICY narrow_delete FOR DELETE TO automations_narrow USING true
POLICY narrow_insert FOR INSERT TO automations_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO automations_narrow USING true
POLICY narrow_update FOR UPDATE TO automations_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO automations_narrow
GRANT INSERT, SELECT, UPDATE TO automations_runtime

TABLE hook_secret (
  tenant_id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  sealed bytea NOT NULL,
  CONSTRAINT hook_secret_workflow_id_fkey FOREIGN KEY (tenant_id, workflow_id) REFERENCES workflow(tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT hook_secret_pkey PRIMARY KEY (tenant_id, workflow_id)
)
POLICY narrow_select FOR SELECT TO automations_narrow USING true
POLICY narrow_update FOR UPDATE TO automations_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT TO automations_runtime
GRANT SELECT (tenant_id, workflow_id) TO automations_narrow
GRANT UPDATE (sealed) TO automations_narrow
GRANT UPDATE (sealed) TO automations_runtime

TABLE inbox (
  tenant_id uuid NOT NULL,
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  handled_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT inbox_pkey PRIMARY KEY (tenant_id, consumer, event_id)
) PARTITION BY RANGE (event_id)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT TO automations_runtime

TABLE inbox_default (
  tenant_id uuid NOT NULL,
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  handled_at timestamp with time zone NOT NULL DEFAULT now()
) -- PARTITION OF inbox
CREATE INDEX inbox_default_arrival_idx ON public.inbox_default USING btree (handled_at)
POLICY owner_delete FOR DELETE TO automations_owner USING true
POLICY owner_select FOR SELECT TO automations_owner USING true

TABLE run (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  workflow_version integer NOT NULL,
  event_id uuid,
  depth integer NOT NULL DEFAULT 0,
  input json NOT NULL,
  status text NOT NULL,
  error_code text,
  error_detail text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  CONSTRAINT run_pkey PRIMARY KEY (tenant_id, id)
) PARTITION BY RANGE (id)
CREATE INDEX run_tenant_id_status_id_idx ON ONLY public.run USING btree (tenant_id, status, id)
CREATE INDEX run_tenant_id_workflow_id_id_idx ON ONLY public.run USING btree (tenant_id, workflow_id, id)
POLICY narrow_insert FOR INSERT TO automations_narrow WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT TO automations_narrow
GRANT INSERT, SELECT, UPDATE TO automations_runtime

TABLE run_default (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  workflow_version integer NOT NULL,
  event_id uuid,
  depth integer NOT NULL DEFAULT 0,
  input json NOT NULL,
  status text NOT NULL,
  error_code text,
  error_detail text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone
) -- PARTITION OF run
CREATE INDEX run_default_arrival_idx ON public.run_default USING btree (created_at)
POLICY owner_delete FOR DELETE TO automations_owner USING true
POLICY owner_select FOR SELECT TO automations_owner USING true

TABLE run_queue (
  tenant_id uuid NOT NULL,
  run_id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  due_at timestamp with time zone NOT NULL DEFAULT now(),
  claim_id uuid,
  claims integer NOT NULL DEFAULT 0,
  waits boolean NOT NULL DEFAULT false,
  traceparent text,
  CONSTRAINT run_queue_pkey PRIMARY KEY (tenant_id, run_id)
)
CREATE INDEX run_queue_tenant_id_due_at_idx ON public.run_queue USING btree (tenant_id, due_at) WHERE (NOT waits)
CREATE INDEX run_queue_waits_due_at_idx ON public.run_queue USING btree (due_at) WHERE waits
POLICY narrow_insert FOR INSERT TO automations_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO automations_narrow USING true
POLICY narrow_update FOR UPDATE TO automations_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT, UPDATE TO automations_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO automations_runtime

TABLE run_step (
  tenant_id uuid NOT NULL,
  run_id uuid NOT NULL,
  position integer NOT NULL,
  key text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamp(3) with time zone,
  output json,
  error_code text,
  error_detail text,
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT run_step_pkey PRIMARY KEY (tenant_id, run_id, "position")
) PARTITION BY RANGE (run_id)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT, UPDATE TO automations_runtime

TABLE run_step_default (
  tenant_id uuid NOT NULL,
  run_id uuid NOT NULL,
  position integer NOT NULL,
  key text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamp(3) with time zone,
  output json,
  error_code text,
  error_detail text,
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now()
) -- PARTITION OF run_step
CREATE INDEX run_step_default_arrival_idx ON public.run_step_default USING btree (updated_at)
POLICY owner_delete FOR DELETE TO automations_owner USING true
POLICY owner_select FOR SELECT TO automations_owner USING true

TABLE waiting_event (
  tenant_id uuid NOT NULL,
  event_id uuid NOT NULL,
  event json NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT waiting_event_pkey PRIMARY KEY (tenant_id, event_id)
)
POLICY narrow_select FOR SELECT TO automations_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO automations_runtime
GRANT SELECT (tenant_id) TO automations_narrow

TABLE workflow (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 1,
  name text NOT NULL,
  definition json NOT NULL,
  definition_version integer NOT NULL DEFAULT 1,
  trigger_type text NOT NULL,
  event_name text,
  enabled boolean NOT NULL DEFAULT true,
  author_id uuid NOT NULL,
  installation_id uuid,
  automation_key text,
  app_key text,
  sandbox boolean NOT NULL DEFAULT false,
  granted_scopes text[],
  object_names json NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT workflow_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT workflow_installation_id_automation_key_key UNIQUE (tenant_id, installation_id, automation_key)
)
CREATE INDEX workflow_tenant_id_event_name_idx ON public.workflow USING btree (tenant_id, event_name) WHERE (enabled AND (event_name IS NOT NULL))
POLICY narrow_select FOR SELECT TO automations_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO automations_runtime
GRANT SELECT (app_key, definition_version, enabled, id, tenant_id, trigger_type) TO automations_narrow

TABLE workflow_rate (
  tenant_id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  next_at timestamp with time zone NOT NULL,
  granted integer NOT NULL,
  set_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT workflow_rate_pkey PRIMARY KEY (tenant_id, workflow_id)
) WITH (fillfactor=50)
POLICY narrow_insert FOR INSERT TO automations_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO automations_narrow USING true
POLICY narrow_update FOR UPDATE TO automations_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT, UPDATE TO automations_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO automations_runtime

TABLE workflow_version (
  tenant_id uuid NOT NULL,
  workflow_id uuid NOT NULL,
  version integer NOT NULL,
  definition json NOT NULL,
  object_names json NOT NULL,
  replaced_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT workflow_version_workflow_id_fkey FOREIGN KEY (tenant_id, workflow_id) REFERENCES workflow(tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT workflow_version_pkey PRIMARY KEY (tenant_id, workflow_id, version)
)
CREATE INDEX workflow_version_replaced_at_idx ON public.workflow_version USING btree (replaced_at)
POLICY narrow_delete FOR DELETE TO automations_narrow USING true
POLICY narrow_select FOR SELECT TO automations_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT TO automations_narrow
GRANT INSERT, SELECT TO automations_runtime

CREATE OR REPLACE FUNCTION public.accept_calls(tenant uuid, workflows uuid[], are_known boolean[], runs uuid[], keys bytea[], depths integer[], inputs json[], traces text[], per_minute integer, most_depth integer, code text, detail text, queue_is_full boolean, revoked_apps text[])
 RETURNS TABLE(is_accepted boolean, run uuid, is_full boolean, retry_after_ms integer)
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.cancel_runs(tenant uuid, workflows uuid[], most integer, code text, detail text)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.claim_runs(tenant uuid, this_claim uuid, lease_seconds integer, most integer)
 RETURNS TABLE(run_id uuid, workflow_id uuid, was_due_at timestamp with time zone, claims integer, traceparent text)
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.continue_run(tenant uuid, this_run uuid, this_claim uuid, due timestamp with time zone, lease_seconds integer, step_position integer, step_key text, step_type text, step_status text, step_attempts integer, step_due timestamp with time zone, step_output json, step_code text, step_detail text, begun timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.count_default_partition(table_name text, max_rows integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET lock_timeout TO '100'
AS $function$
DECLARE
  parent oid;
  fallback oid;
  counted bigint;
BEGIN
  
  SELECT c.oid, p.partdefid INTO parent, fallback
    FROM pg_class c JOIN pg_partitioned_table p ON p.partrelid = c.oid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.partattrs[0]
   WHERE c.relname = table_name AND c.relnamespace = 'public'::regnamespace
     AND pg_get_userbyid(c.relowner) = current_user AND p.partstrat = 'r' AND p.partnatts = 1
     AND a.atttypid = 'uuid'::regtype AND p.partdefid <> 0;
  IF parent IS NULL THEN
    RAISE EXCEPTION 'no table % is partitioned by day', table_name USING ERRCODE = 'undefined_table';
  END IF;
  EXECUTE format('SELECT count(*) FROM (SELECT 1 FROM %s LIMIT $1) AS found', fallback::regclass) INTO counted USING max_rows;
  RETURN counted;
END$function$
CALLERS automations_narrow

CREATE OR REPLACE FUNCTION public.drop_partition(table_name text, day date)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET lock_timeout TO '100'
AS $function$
DECLARE
  parent oid;
  fallback oid;
  partition oid;
BEGIN
  
  SELECT c.oid, p.partdefid INTO parent, fallback
    FROM pg_class c JOIN pg_partitioned_table p ON p.partrelid = c.oid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.partattrs[0]
   WHERE c.relname = table_name AND c.relnamespace = 'public'::regnamespace
     AND pg_get_userbyid(c.relowner) = current_user AND p.partstrat = 'r' AND p.partnatts = 1
     AND a.atttypid = 'uuid'::regtype AND p.partdefid <> 0;
  IF parent IS NULL THEN
    RAISE EXCEPTION 'no table % is partitioned by day', table_name USING ERRCODE = 'undefined_table';
  END IF;
  IF day IS NULL OR day >= (now() AT TIME ZONE 'UTC')::date - 1 THEN
    RAISE EXCEPTION 'the partition of % is not dropped', day USING ERRCODE = 'invalid_parameter_value';
  END IF;
  
  SET LOCAL lock_timeout = 100;
  IF NOT pg_try_advisory_xact_lock(47152015, parent::integer) THEN
    RETURN 'busy';
  END IF;
  SELECT c.oid INTO partition FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
   WHERE i.inhparent = parent AND c.relname = table_name || to_char(day, '"_p"YYYYMMDD');
  IF partition IS NULL THEN
    RETURN 'absent';
  END IF;
  EXECUTE format('DROP TABLE %s', partition::regclass);
  RETURN 'dropped';
END$function$
CALLERS automations_narrow

CREATE OR REPLACE FUNCTION public.end_run(tenant uuid, this_run uuid, this_claim uuid, outcome text, begun timestamp with time zone, step_position integer, step_key text, step_type text, step_status text, step_attempts integer, step_due timestamp with time zone, step_output json, step_code text, step_detail text, code text, detail text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.make_partition(table_name text, day date)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET lock_timeout TO '100'
AS $function$
DECLARE
  parent oid;
  fallback oid;
  partition text := table_name || to_char(day, '"_p"YYYYMMDD');
  options text;
BEGIN
  
  SELECT c.oid, p.partdefid INTO parent, fallback
    FROM pg_class c JOIN pg_partitioned_table p ON p.partrelid = c.oid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.partattrs[0]
   WHERE c.relname = table_name AND c.relnamespace = 'public'::regnamespace
     AND pg_get_userbyid(c.relowner) = current_user AND p.partstrat = 'r' AND p.partnatts = 1
     AND a.atttypid = 'uuid'::regtype AND p.partdefid <> 0;
  IF parent IS NULL THEN
    RAISE EXCEPTION 'no table % is partitioned by day', table_name USING ERRCODE = 'undefined_table';
  END IF;
  IF day IS NULL OR day NOT BETWEEN (now() AT TIME ZONE 'UTC')::date - 400 AND (now() AT TIME ZONE 'UTC')::date + 60 THEN
    RAISE EXCEPTION 'no partition is made for %', day USING ERRCODE = 'invalid_parameter_value';
  END IF;
  
  SET LOCAL lock_timeout = 100;
  IF NOT pg_try_advisory_xact_lock(47152015, parent::integer) THEN
    RETURN 'busy';
  END IF;
  IF to_regclass(format('public.%I', partition)) IS NOT NULL THEN
    RETURN 'present';
  END IF;
  SELECT ' WITH (' || array_to_string(c.reloptions, ', ') || ')' INTO options FROM pg_class c WHERE c.oid = fallback;
  BEGIN
    EXECUTE format('CREATE TABLE public.%I (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED'
      ' INCLUDING STORAGE INCLUDING COMPRESSION)%s', partition, parent::regclass, coalesce(options, ''));
    EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', partition);
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)', parent::regclass, partition,
      (lpad(to_hex(extract(epoch FROM (day)::timestamp)::bigint * 1000), 12, '0') || repeat('0', 20))::uuid, (lpad(to_hex(extract(epoch FROM (day + 1)::timestamp)::bigint * 1000), 12, '0') || repeat('0', 20))::uuid);
  EXCEPTION WHEN check_violation THEN
    RETURN 'default';
  END;
  RETURN 'made';
END$function$
CALLERS automations_narrow

CREATE OR REPLACE FUNCTION public.start_runs(tenant uuid, ids uuid[], workflows uuid[], versions integer[], event uuid, chain_depth integer, payload json, code text, detail text, per_minute integer, trace text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.sweep_default_partition(table_name text, keep_days integer, max_rows integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET lock_timeout TO '100'
AS $function$
DECLARE
  parent oid;
  fallback oid;
  arrival name;
  key_columns text;
  deleted bigint;
BEGIN
  
  SELECT c.oid, p.partdefid INTO parent, fallback
    FROM pg_class c JOIN pg_partitioned_table p ON p.partrelid = c.oid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.partattrs[0]
   WHERE c.relname = table_name AND c.relnamespace = 'public'::regnamespace
     AND pg_get_userbyid(c.relowner) = current_user AND p.partstrat = 'r' AND p.partnatts = 1
     AND a.atttypid = 'uuid'::regtype AND p.partdefid <> 0;
  IF parent IS NULL THEN
    RAISE EXCEPTION 'no table % is partitioned by day', table_name USING ERRCODE = 'undefined_table';
  END IF;
  IF keep_days IS NULL OR keep_days < 1 THEN
    RAISE EXCEPTION 'rows are kept for a day at least' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT a.attname INTO STRICT arrival FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
   WHERE i.indrelid = fallback AND NOT EXISTS (SELECT 1 FROM pg_inherits h WHERE h.inhrelid = i.indexrelid);
  SELECT string_agg(quote_ident(a.attname), ', ') INTO STRICT key_columns FROM pg_index i
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey::smallint[])
   WHERE i.indrelid = fallback AND i.indisprimary;
  EXECUTE format('DELETE FROM %1$s WHERE (%3$s) IN (SELECT %3$s FROM %1$s WHERE %2$I < now() - make_interval(days => $1)'
    ' ORDER BY %2$I LIMIT $2)', fallback::regclass, arrival, key_columns) USING keep_days, max_rows;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END$function$
CALLERS automations_narrow
