-- What the migrations of marketplace-certification make, for readers: nothing runs it. "npm test -- --update apps/marketplace-certification/test/schema.spec.ts" writes it.

TABLE app (
  key text NOT NULL,
  tenant_id uuid NOT NULL,
  publisher_name text NOT NULL,
  name text NOT NULL,
  kind text NOT NULL,
  summary text,
  visibility text NOT NULL DEFAULT 'public'::text,
  search_text text NOT NULL DEFAULT ''::text,
  published_version_id uuid,
  first_published_at timestamp with time zone,
  rating_count integer NOT NULL DEFAULT 0,
  rating_total bigint NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  unlisted_by_operator boolean NOT NULL DEFAULT false,
  CONSTRAINT app_visibility_check CHECK ((visibility = ANY (ARRAY['public'::text, 'unlisted'::text, 'private'::text]))),
  CONSTRAINT app_pkey PRIMARY KEY (key)
)
CREATE INDEX app_name_key_idx ON public.app USING btree (name, key) WHERE ((published_version_id IS NOT NULL) AND (visibility = 'public'::text))
CREATE INDEX app_tenant_id_idx ON public.app USING btree (tenant_id)
POLICY narrow_delete FOR DELETE TO marketplace_narrow USING true
POLICY narrow_insert FOR INSERT TO marketplace_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO marketplace_narrow USING true
POLICY narrow_update FOR UPDATE TO marketplace_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO marketplace_narrow

TABLE app_version (
  id uuid NOT NULL,
  app_key text NOT NULL,
  tenant_id uuid NOT NULL,
  version text NOT NULL,
  name text NOT NULL,
  kind text NOT NULL,
  manifest json NOT NULL,
  manifest_sha256 text NOT NULL,
  review_packet json NOT NULL,
  certification json NOT NULL,
  status text NOT NULL,
  submitted_by uuid NOT NULL,
  submitted_at timestamp with time zone NOT NULL DEFAULT now(),
  claimed_by text,
  verdict text,
  published_at timestamp with time zone,
  claimed_until timestamp with time zone,
  CONSTRAINT app_version_app_key_fkey FOREIGN KEY (app_key) REFERENCES app(key),
  CONSTRAINT app_version_pkey PRIMARY KEY (id),
  CONSTRAINT app_version_app_key_version_key UNIQUE (app_key, version)
)
CREATE UNIQUE INDEX app_version_one_published ON public.app_version USING btree (app_key) WHERE (status = 'published'::text)
CREATE INDEX app_version_status_submitted_at_id_idx ON public.app_version USING btree (status, submitted_at, id)
POLICY narrow_delete FOR DELETE TO marketplace_narrow USING true
POLICY narrow_insert FOR INSERT TO marketplace_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO marketplace_narrow USING true
POLICY narrow_update FOR UPDATE TO marketplace_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO marketplace_narrow

TABLE app_webhook_secret (
  app_key text NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  rotated_at timestamp with time zone,
  CONSTRAINT app_webhook_secret_app_key_fkey FOREIGN KEY (app_key) REFERENCES app(key),
  CONSTRAINT app_webhook_secret_pkey PRIMARY KEY (app_key)
)
POLICY narrow_delete FOR DELETE TO marketplace_narrow USING true
POLICY narrow_insert FOR INSERT TO marketplace_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO marketplace_narrow USING true
POLICY narrow_update FOR UPDATE TO marketplace_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO marketplace_narrow

TABLE certification (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  app_key text,
  version text,
  mode text NOT NULL,
  manifest_sha256 text,
  passed boolean NOT NULL,
  result json NOT NULL,
  created_by uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT certification_mode_check CHECK ((mode = ANY (ARRAY['certification'::text, 'submission'::text]))),
  CONSTRAINT certification_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX certification_tenant_id_created_at_idx ON public.certification USING btree (tenant_id, created_at)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO marketplace_runtime

TABLE client_status (
  app_key text NOT NULL,
  status text,
  decided_at timestamp with time zone NOT NULL,
  settings_changed boolean NOT NULL DEFAULT false,
  CONSTRAINT client_status_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'revoked'::text]))),
  CONSTRAINT client_status_pkey PRIMARY KEY (app_key)
)
CREATE INDEX client_status_decided_at_idx ON public.client_status USING btree (decided_at)
POLICY narrow_delete FOR DELETE TO marketplace_narrow USING true
POLICY narrow_insert FOR INSERT TO marketplace_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO marketplace_narrow USING true
POLICY narrow_update FOR UPDATE TO marketplace_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO marketplace_narrow

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
POLICY narrow_insert FOR INSERT TO marketplace_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO marketplace_narrow USING true
POLICY narrow_update FOR UPDATE TO marketplace_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT, UPDATE TO marketplace_narrow
GRANT INSERT, SELECT, UPDATE TO marketplace_runtime

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
POLICY owner_delete FOR DELETE TO marketplace_owner USING true
POLICY owner_select FOR SELECT TO marketplace_owner USING true

TABLE encryption_key (
  id text NOT NULL,
  check_box bytea NOT NULL,
  registered_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT encryption_key_pkey PRIMARY KEY (id)
)
POLICY narrow_delete FOR DELETE TO marketplace_narrow USING true
POLICY narrow_insert FOR INSERT TO marketplace_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO marketplace_narrow USING true
GRANT DELETE, INSERT, SELECT TO marketplace_narrow

TABLE idempotency (
  tenant_id uuid NOT NULL,
  principal_id text NOT NULL,
  route text NOT NULL,
  key text NOT NULL,
  body_hash bytea NOT NULL,
  record_id uuid NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT idempotency_pkey PRIMARY KEY (tenant_id, principal_id, route, key)
)
CREATE INDEX idempotency_expires_at_idx ON public.idempotency USING btree (expires_at)
POLICY narrow_delete FOR DELETE TO marketplace_narrow USING true
POLICY narrow_select FOR SELECT TO marketplace_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO marketplace_narrow
GRANT INSERT, SELECT, UPDATE TO marketplace_runtime

TABLE install_audit (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  installation_id uuid NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT now(),
  user_id uuid NOT NULL,
  action text NOT NULL,
  CONSTRAINT install_audit_action_check CHECK ((action = ANY (ARRAY['install_requested'::text, 'uninstall_requested'::text, 'hook_urls_shown'::text]))),
  CONSTRAINT install_audit_installation_id_fkey FOREIGN KEY (tenant_id, installation_id) REFERENCES installation(tenant_id, id) ON DELETE RESTRICT,
  CONSTRAINT install_audit_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX install_audit_tenant_id_installation_id_at_idx ON public.install_audit USING btree (tenant_id, installation_id, at)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO marketplace_runtime

TABLE install_count (
  app_key text NOT NULL,
  installs bigint NOT NULL DEFAULT 0,
  CONSTRAINT install_count_installs_check CHECK ((installs >= 0)),
  CONSTRAINT install_count_pkey PRIMARY KEY (app_key)
)
POLICY runtime_delete FOR DELETE TO marketplace_runtime USING true
POLICY runtime_insert FOR INSERT TO marketplace_runtime WITH CHECK true
POLICY runtime_select FOR SELECT TO marketplace_runtime USING true
POLICY runtime_update FOR UPDATE TO marketplace_runtime USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO marketplace_runtime

TABLE installation (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  app_key text NOT NULL,
  version_id uuid NOT NULL,
  version text NOT NULL,
  sandbox boolean NOT NULL,
  state text NOT NULL,
  granted_scopes text[] NOT NULL,
  objects jsonb NOT NULL DEFAULT '[]'::jsonb,
  hooks jsonb NOT NULL DEFAULT '[]'::jsonb,
  subscriptions jsonb NOT NULL DEFAULT '[]'::jsonb,
  failure jsonb,
  created_by uuid NOT NULL,
  notices jsonb NOT NULL DEFAULT '[]'::jsonb,
  acting_user_id uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT installation_state_check CHECK ((state = ANY (ARRAY['installing'::text, 'active'::text, 'compensating'::text, 'failed'::text, 'uninstalling'::text, 'uninstalled'::text]))),
  CONSTRAINT installation_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX installation_app_key_idx ON public.installation USING btree (app_key) WHERE (state = ANY (ARRAY['installing'::text, 'active'::text, 'compensating'::text, 'uninstalling'::text]))
CREATE UNIQUE INDEX installation_live ON public.installation USING btree (tenant_id, app_key) WHERE ((NOT sandbox) AND (state = ANY (ARRAY['installing'::text, 'active'::text, 'compensating'::text, 'uninstalling'::text])))
CREATE INDEX installation_tenant_id_app_key_idx ON public.installation USING btree (tenant_id, app_key)
CREATE INDEX installation_tenant_id_created_at_idx ON public.installation USING btree (tenant_id, created_at)
POLICY narrow_select FOR SELECT TO marketplace_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO marketplace_runtime
GRANT SELECT (app_key, id, sandbox, state, tenant_id, version_id) TO marketplace_narrow

TABLE installation_step (
  tenant_id uuid NOT NULL,
  installation_id uuid NOT NULL,
  position smallint NOT NULL,
  name text NOT NULL,
  state text NOT NULL DEFAULT 'pending'::text,
  unsettled boolean NOT NULL DEFAULT false,
  error jsonb,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT installation_step_name_check CHECK ((name = ANY (ARRAY['objects'::text, 'workflows'::text, 'subscriptions'::text, 'authorization'::text]))),
  CONSTRAINT installation_step_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'running'::text, 'done'::text, 'failed'::text, 'undone'::text]))),
  CONSTRAINT installation_step_installation_id_fkey FOREIGN KEY (tenant_id, installation_id) REFERENCES installation(tenant_id, id) ON DELETE RESTRICT,
  CONSTRAINT installation_step_pkey PRIMARY KEY (tenant_id, installation_id, "position")
)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO marketplace_runtime

TABLE installation_work (
  tenant_id uuid NOT NULL,
  installation_id uuid NOT NULL,
  due_at timestamp with time zone NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  lease_token uuid,
  lease_until timestamp with time zone,
  CONSTRAINT installation_work_installation_id_fkey FOREIGN KEY (tenant_id, installation_id) REFERENCES installation(tenant_id, id) ON DELETE RESTRICT,
  CONSTRAINT installation_work_pkey PRIMARY KEY (tenant_id, installation_id)
)
CREATE INDEX installation_work_due_at_idx ON public.installation_work USING btree (due_at)
POLICY narrow_select FOR SELECT TO marketplace_narrow USING true
POLICY narrow_update FOR UPDATE TO marketplace_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT SELECT, UPDATE TO marketplace_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO marketplace_runtime

TABLE operator_audit (
  id uuid NOT NULL,
  operator_id uuid,
  role text,
  act text NOT NULL,
  subject_kind text NOT NULL,
  subject_id text NOT NULL,
  subject_name text,
  reason text,
  findings jsonb,
  state_before jsonb,
  state_after jsonb,
  CONSTRAINT operator_audit_pkey PRIMARY KEY (id)
)
CREATE INDEX operator_audit_act_id_idx ON public.operator_audit USING btree (act, id)
CREATE INDEX operator_audit_operator_id_id_idx ON public.operator_audit USING btree (operator_id, id)
CREATE INDEX operator_audit_subject_kind_subject_id_id_idx ON public.operator_audit USING btree (subject_kind, subject_id, id)
POLICY narrow_insert FOR INSERT TO marketplace_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO marketplace_narrow USING true
GRANT INSERT, SELECT TO marketplace_narrow

TABLE outbox (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  subject text NOT NULL,
  envelope json NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT outbox_pkey PRIMARY KEY (tenant_id, id)
) PARTITION BY RANGE (id)
CREATE INDEX outbox_seq_idx ON ONLY public.outbox USING btree (seq)
POLICY narrow_delete FOR DELETE TO marketplace_narrow USING true
POLICY narrow_insert FOR INSERT TO marketplace_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO marketplace_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT TO marketplace_narrow
GRANT INSERT TO marketplace_runtime

TABLE outbox_default (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  subject text NOT NULL,
  envelope json NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now()
) -- PARTITION OF outbox WITH (toast_tuple_target=8160)
CREATE INDEX outbox_default_arrival_idx ON public.outbox_default USING btree (created_at)
POLICY owner_delete FOR DELETE TO marketplace_owner USING true
POLICY owner_select FOR SELECT TO marketplace_owner USING true

TABLE outbox_position (
  since timestamp with time zone NOT NULL,
  published int8multirange NOT NULL,
  stream_seq bigint,
  stream_subject text,
  CONSTRAINT outbox_position_pkey PRIMARY KEY (since)
)
POLICY narrow_delete FOR DELETE TO marketplace_narrow USING true
POLICY narrow_insert FOR INSERT TO marketplace_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO marketplace_narrow USING true
POLICY narrow_update FOR UPDATE TO marketplace_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO marketplace_narrow

TABLE quota_use (
  tenant_id uuid NOT NULL,
  name text NOT NULL,
  used integer NOT NULL,
  resets_at timestamp with time zone NOT NULL,
  CONSTRAINT quota_use_pkey PRIMARY KEY (tenant_id, name)
)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT, UPDATE TO marketplace_runtime

TABLE rating (
  app_key text NOT NULL,
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  stars smallint NOT NULL,
  text text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT rating_stars_check CHECK (((stars >= 1) AND (stars <= 5))),
  CONSTRAINT rating_app_key_fkey FOREIGN KEY (app_key) REFERENCES app(key),
  CONSTRAINT rating_pkey PRIMARY KEY (app_key, tenant_id, user_id)
)
CREATE INDEX rating_app_key_updated_at_idx ON public.rating USING btree (app_key, updated_at)
POLICY narrow_delete FOR DELETE TO marketplace_narrow USING true
POLICY narrow_insert FOR INSERT TO marketplace_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO marketplace_narrow USING true
POLICY narrow_update FOR UPDATE TO marketplace_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO marketplace_narrow

TABLE submission_audit (
  id uuid NOT NULL,
  submission_id uuid NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT now(),
  actor_kind text NOT NULL,
  actor_id text NOT NULL,
  action text NOT NULL,
  from_status text NOT NULL,
  to_status text NOT NULL,
  reason text,
  CONSTRAINT submission_audit_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['developer'::text, 'operator'::text, 'system'::text]))),
  CONSTRAINT submission_audit_submission_id_fkey FOREIGN KEY (submission_id) REFERENCES app_version(id),
  CONSTRAINT submission_audit_pkey PRIMARY KEY (id)
)
CREATE INDEX submission_audit_submission_id_at_idx ON public.submission_audit USING btree (submission_id, at)
POLICY narrow_insert FOR INSERT TO marketplace_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO marketplace_narrow USING true
GRANT INSERT, SELECT TO marketplace_narrow

CREATE OR REPLACE FUNCTION public.append_events(tenant uuid, ids uuid[], names text[], subjects text[], envelopes json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO outbox (tenant_id, id, name, subject, envelope)
    SELECT tenant, event.* FROM ROWS FROM (unnest(ids, names, subjects), json_array_elements(envelopes)) AS event;
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
CALLERS marketplace_narrow

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
CALLERS marketplace_narrow

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
CALLERS marketplace_narrow

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
CALLERS marketplace_narrow
