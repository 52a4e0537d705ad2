-- What the migrations of webhook-dispatcher make, for readers: nothing runs it. "npm test -- --update apps/webhook-dispatcher/test/schema.spec.ts" writes it.

TABLE app_secret (
  app_key text NOT NULL,
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_secret_until timestamp with time zone,
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT app_secret_pkey PRIMARY KEY (app_key)
)
POLICY narrow_insert FOR INSERT TO webhooks_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO webhooks_narrow USING true
POLICY narrow_update FOR UPDATE TO webhooks_narrow USING true WITH CHECK true
GRANT INSERT, SELECT, UPDATE TO webhooks_narrow

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
POLICY narrow_insert FOR INSERT TO webhooks_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO webhooks_narrow USING true
POLICY narrow_update FOR UPDATE TO webhooks_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT, UPDATE TO webhooks_narrow
GRANT INSERT, SELECT, UPDATE TO webhooks_runtime

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
POLICY owner_delete FOR DELETE TO webhooks_owner USING true
POLICY owner_select FOR SELECT TO webhooks_owner USING true

TABLE delivery (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  subscription_id uuid NOT NULL,
  event_id uuid NOT NULL,
  event text NOT NULL,
  url text NOT NULL,
  status text NOT NULL,
  attempts integer NOT NULL,
  next_attempt_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  attempted_at timestamp with time zone,
  http_status integer,
  latency_ms integer,
  response_excerpt text,
  error_code text,
  error_message text,
  error_phase text,
  app_key text,
  installation_id uuid,
  record_id text,
  record_version bigint,
  set_aside boolean NOT NULL DEFAULT false,
  CONSTRAINT delivery_check CHECK (((next_attempt_at IS NULL) OR (status = ANY (ARRAY['pending'::text, 'retrying'::text])))),
  CONSTRAINT delivery_check1 CHECK (((next_attempt_at IS NOT NULL) OR (status <> ALL (ARRAY['pending'::text, 'retrying'::text])) OR (record_id IS NOT NULL))),
  CONSTRAINT delivery_check2 CHECK (((record_id IS NULL) = (record_version IS NULL))),
  CONSTRAINT delivery_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'retrying'::text, 'delivered'::text, 'failed'::text, 'blocked'::text, 'held'::text]))),
  CONSTRAINT delivery_pkey PRIMARY KEY (tenant_id, id)
) PARTITION BY RANGE (id)
CREATE INDEX delivery_app_key_error_code_id_idx ON ONLY public.delivery USING btree (app_key, error_code, id) WHERE ((app_key IS NOT NULL) AND (error_code IS NOT NULL))
CREATE INDEX delivery_app_key_event_id_idx ON ONLY public.delivery USING btree (app_key, event, id) WHERE (app_key IS NOT NULL)
CREATE INDEX delivery_app_key_id_idx ON ONLY public.delivery USING btree (app_key, id) WHERE (app_key IS NOT NULL)
CREATE INDEX delivery_app_key_status_id_idx ON ONLY public.delivery USING btree (app_key, status, id) WHERE ((app_key IS NOT NULL) AND (status <> 'delivered'::text))
CREATE INDEX delivery_event_tenant_id_id_idx ON ONLY public.delivery USING btree (event, tenant_id, id)
CREATE INDEX delivery_subscription_id_id_idx ON ONLY public.delivery USING btree (subscription_id, id)
CREATE INDEX delivery_subscription_id_id_idx1 ON ONLY public.delivery USING btree (subscription_id, id) WHERE (status = ANY (ARRAY['held'::text, 'failed'::text, 'blocked'::text]))
CREATE INDEX delivery_tenant_id_error_code_id_idx ON ONLY public.delivery USING btree (tenant_id, error_code, id) WHERE (error_code IS NOT NULL)
CREATE INDEX delivery_tenant_id_status_id_idx ON ONLY public.delivery USING btree (tenant_id, status, id) WHERE (status <> 'delivered'::text)
POLICY narrow_insert FOR INSERT TO webhooks_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO webhooks_narrow USING true
POLICY narrow_update FOR UPDATE TO webhooks_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT, UPDATE TO webhooks_narrow
GRANT INSERT, SELECT, UPDATE TO webhooks_runtime

TABLE delivery_attempt (
  tenant_id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  number integer NOT NULL,
  at timestamp with time zone NOT NULL,
  http_status integer,
  error_code text,
  error_message text,
  error_phase text,
  latency_ms integer NOT NULL,
  response_excerpt text,
  CONSTRAINT delivery_attempt_pkey PRIMARY KEY (tenant_id, delivery_id, number)
) PARTITION BY RANGE (delivery_id)
POLICY narrow_insert FOR INSERT TO webhooks_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO webhooks_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT TO webhooks_narrow
GRANT INSERT, SELECT, UPDATE TO webhooks_runtime

TABLE delivery_attempt_default (
  tenant_id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  number integer NOT NULL,
  at timestamp with time zone NOT NULL,
  http_status integer,
  error_code text,
  error_message text,
  error_phase text,
  latency_ms integer NOT NULL,
  response_excerpt text
) -- PARTITION OF delivery_attempt
CREATE INDEX delivery_attempt_default_arrival_idx ON public.delivery_attempt_default USING btree (at)
POLICY owner_delete FOR DELETE TO webhooks_owner USING true
POLICY owner_select FOR SELECT TO webhooks_owner USING true

TABLE delivery_default (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  subscription_id uuid NOT NULL,
  event_id uuid NOT NULL,
  event text NOT NULL,
  url text NOT NULL,
  status text NOT NULL,
  attempts integer NOT NULL,
  next_attempt_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  attempted_at timestamp with time zone,
  http_status integer,
  latency_ms integer,
  response_excerpt text,
  error_code text,
  error_message text,
  error_phase text,
  app_key text,
  installation_id uuid,
  record_id text,
  record_version bigint,
  set_aside boolean NOT NULL DEFAULT false
) -- PARTITION OF delivery
CREATE INDEX delivery_default_arrival_idx ON public.delivery_default USING btree (created_at)
POLICY owner_delete FOR DELETE TO webhooks_owner USING true
POLICY owner_select FOR SELECT TO webhooks_owner USING true

TABLE due_delivery (
  tenant_id uuid NOT NULL -- STATISTICS 0,
  delivery_id uuid NOT NULL,
  subscription_id uuid NOT NULL,
  event_id uuid NOT NULL,
  attempts integer NOT NULL,
  throttled integer NOT NULL DEFAULT 0,
  is_retry boolean NOT NULL,
  due_at timestamp with time zone NOT NULL,
  is_head boolean NOT NULL DEFAULT false,
  claim uuid,
  claimed_until timestamp with time zone,
  CONSTRAINT due_delivery_pkey PRIMARY KEY (tenant_id, delivery_id)
) WITH (fillfactor=80, autovacuum_vacuum_scale_factor=0.02)
CREATE INDEX due_delivery_tenant_id_subscription_id_is_retry_due_at_idx ON public.due_delivery USING btree (tenant_id, subscription_id, is_retry, due_at)
POLICY narrow_delete FOR DELETE TO webhooks_narrow USING true
POLICY narrow_insert FOR INSERT TO webhooks_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO webhooks_narrow USING true
POLICY narrow_update FOR UPDATE TO webhooks_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO webhooks_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO webhooks_runtime

TABLE encryption_key (
  id text NOT NULL,
  check_box bytea NOT NULL,
  registered_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT encryption_key_pkey PRIMARY KEY (id)
)
POLICY narrow_delete FOR DELETE TO webhooks_narrow USING true
POLICY narrow_insert FOR INSERT TO webhooks_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO webhooks_narrow USING true
GRANT DELETE, INSERT, SELECT TO webhooks_narrow

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
POLICY narrow_delete FOR DELETE TO webhooks_narrow USING true
POLICY narrow_select FOR SELECT TO webhooks_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT TO webhooks_narrow
GRANT INSERT, SELECT, UPDATE TO webhooks_runtime

TABLE event_body (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  event text NOT NULL,
  body text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  traceparent text,
  CONSTRAINT event_body_pkey PRIMARY KEY (tenant_id, id)
) PARTITION BY RANGE (id)
POLICY narrow_insert FOR INSERT TO webhooks_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO webhooks_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT TO webhooks_narrow
GRANT INSERT, SELECT, UPDATE TO webhooks_runtime

TABLE event_body_default (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  event text NOT NULL,
  body text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  traceparent text
) -- PARTITION OF event_body
CREATE INDEX event_body_default_arrival_idx ON public.event_body_default USING btree (created_at)
POLICY owner_delete FOR DELETE TO webhooks_owner USING true
POLICY owner_select FOR SELECT TO webhooks_owner USING true

TABLE inbox (
  tenant_id uuid NOT NULL,
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  handled_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT inbox_pkey PRIMARY KEY (tenant_id, consumer, event_id)
) PARTITION BY RANGE (event_id)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT TO webhooks_runtime

TABLE inbox_default (
  tenant_id uuid NOT NULL,
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  handled_at timestamp with time zone NOT NULL DEFAULT now()
) -- PARTITION OF inbox
CREATE INDEX inbox_default_arrival_idx ON public.inbox_default USING btree (handled_at)
POLICY owner_delete FOR DELETE TO webhooks_owner USING true
POLICY owner_select FOR SELECT TO webhooks_owner USING true

TABLE ordered_delivery (
  tenant_id uuid NOT NULL -- STATISTICS 0,
  delivery_id uuid NOT NULL,
  subscription_id uuid NOT NULL,
  record_id text NOT NULL,
  record_version bigint NOT NULL,
  event_id uuid NOT NULL,
  attempts integer NOT NULL,
  stream_sequence bigint,
  arrived_at timestamp with time zone NOT NULL DEFAULT now(),
  stored_at timestamp with time zone,
  state text NOT NULL,
  CONSTRAINT ordered_delivery_state_check CHECK ((state = ANY (ARRAY['new'::text, 'waiting'::text, 'head'::text, 'ended'::text]))),
  CONSTRAINT ordered_delivery_pkey PRIMARY KEY (tenant_id, delivery_id)
) WITH (fillfactor=80, autovacuum_vacuum_scale_factor=0.02)
CREATE INDEX ordered_delivery_arrived_at_idx ON public.ordered_delivery USING btree (arrived_at) WHERE (state = ANY (ARRAY['new'::text, 'ended'::text]))
CREATE UNIQUE INDEX ordered_delivery_head_key ON public.ordered_delivery USING btree (tenant_id, subscription_id, record_id) WHERE (state = 'head'::text)
CREATE INDEX ordered_delivery_tenant_id_subscription_id_record_id_record_idx ON public.ordered_delivery USING btree (tenant_id, subscription_id, record_id, record_version, event_id)
POLICY narrow_delete FOR DELETE TO webhooks_narrow USING true
POLICY narrow_insert FOR INSERT TO webhooks_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO webhooks_narrow USING true
POLICY narrow_update FOR UPDATE TO webhooks_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO webhooks_narrow
GRANT INSERT, SELECT, UPDATE TO webhooks_runtime

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
POLICY narrow_delete FOR DELETE TO webhooks_narrow USING true
POLICY narrow_insert FOR INSERT TO webhooks_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO webhooks_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT TO webhooks_narrow
GRANT INSERT TO webhooks_runtime

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
POLICY owner_delete FOR DELETE TO webhooks_owner USING true
POLICY owner_select FOR SELECT TO webhooks_owner USING true

TABLE outbox_position (
  since timestamp with time zone NOT NULL,
  published int8multirange NOT NULL,
  stream_seq bigint,
  stream_subject text,
  CONSTRAINT outbox_position_pkey PRIMARY KEY (since)
)
POLICY narrow_delete FOR DELETE TO webhooks_narrow USING true
POLICY narrow_insert FOR INSERT TO webhooks_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO webhooks_narrow USING true
POLICY narrow_update FOR UPDATE TO webhooks_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO webhooks_narrow

TABLE recovery (
  tenant_id uuid NOT NULL,
  subscription_id uuid NOT NULL,
  state text NOT NULL,
  since timestamp with time zone,
  include_failed boolean NOT NULL,
  total integer NOT NULL,
  done integer NOT NULL DEFAULT 0,
  next_id uuid NOT NULL,
  end_id uuid NOT NULL,
  started_at timestamp with time zone NOT NULL,
  finished_at timestamp with time zone,
  due_at timestamp with time zone,
  claim uuid,
  CONSTRAINT recovery_check CHECK ((((state = 'running'::text) = (due_at IS NOT NULL)) AND ((state = 'running'::text) = (finished_at IS NULL)))),
  CONSTRAINT recovery_state_check CHECK ((state = ANY (ARRAY['running'::text, 'completed'::text, 'stopped'::text]))),
  CONSTRAINT recovery_subscription_id_fkey FOREIGN KEY (tenant_id, subscription_id) REFERENCES webhook_subscription(tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT recovery_pkey PRIMARY KEY (tenant_id, subscription_id)
)
CREATE INDEX recovery_due_at_idx ON public.recovery USING btree (due_at) WHERE (due_at IS NOT NULL)
POLICY narrow_select FOR SELECT TO webhooks_narrow USING true
POLICY narrow_update FOR UPDATE TO webhooks_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT SELECT, UPDATE TO webhooks_narrow
GRANT INSERT, SELECT, UPDATE TO webhooks_runtime

TABLE subscription_hold (
  tenant_id uuid NOT NULL,
  subscription_id uuid NOT NULL,
  held integer NOT NULL DEFAULT 0,
  dropped bigint NOT NULL DEFAULT 0,
  is_discarded boolean NOT NULL DEFAULT false,
  CONSTRAINT subscription_hold_pkey PRIMARY KEY (tenant_id, subscription_id)
) WITH (fillfactor=50)
CREATE INDEX subscription_hold_tenant_id_subscription_id_idx ON public.subscription_hold USING btree (tenant_id, subscription_id) WHERE is_discarded
POLICY narrow_delete FOR DELETE TO webhooks_narrow USING true
POLICY narrow_select FOR SELECT TO webhooks_narrow USING true
POLICY narrow_update FOR UPDATE TO webhooks_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT, UPDATE TO webhooks_narrow
GRANT INSERT, SELECT, UPDATE TO webhooks_runtime

TABLE subscription_queue (
  tenant_id uuid NOT NULL,
  subscription_id uuid NOT NULL,
  due_at timestamp with time zone NOT NULL,
  CONSTRAINT subscription_queue_pkey PRIMARY KEY (tenant_id, subscription_id)
)
CREATE INDEX subscription_queue_due_at_idx ON public.subscription_queue USING btree (due_at)
POLICY narrow_delete FOR DELETE TO webhooks_narrow USING true
POLICY narrow_insert FOR INSERT TO webhooks_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO webhooks_narrow USING true
POLICY narrow_update FOR UPDATE TO webhooks_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO webhooks_narrow
GRANT INSERT, SELECT, UPDATE TO webhooks_runtime

TABLE webhook_subscription (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  installation_id uuid,
  app_key text,
  sandbox boolean NOT NULL DEFAULT false,
  version integer NOT NULL DEFAULT 1,
  url text NOT NULL,
  events text[] NOT NULL,
  description text,
  filter text,
  rate_limit integer,
  rate_reserved_until timestamp with time zone,
  paused_at timestamp with time zone,
  paused_until timestamp with time zone,
  enabled boolean NOT NULL DEFAULT true,
  disabled_reason text,
  ordering text NOT NULL DEFAULT 'none'::text,
  on_stall text NOT NULL DEFAULT 'skip'::text,
  public_key text,
  headers bytea,
  secret bytea,
  previous_secret bytea,
  previous_secret_until timestamp with time zone,
  failing_since timestamp with time zone,
  failed_at timestamp with time zone,
  failing_hours integer NOT NULL DEFAULT 0,
  created_by uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  removed_at timestamp with time zone,
  CONSTRAINT webhook_subscription_check CHECK ((((app_key IS NULL) = (installation_id IS NULL)) AND ((app_key IS NULL) = (secret IS NOT NULL)))),
  CONSTRAINT webhook_subscription_check1 CHECK (((app_key IS NULL) OR ((public_key IS NULL) AND (headers IS NULL)))),
  CONSTRAINT webhook_subscription_check2 CHECK (((removed_at IS NULL) OR (installation_id IS NOT NULL))),
  CONSTRAINT webhook_subscription_on_stall_check CHECK ((on_stall = ANY (ARRAY['skip'::text, 'hold'::text]))),
  CONSTRAINT webhook_subscription_ordering_check CHECK ((ordering = ANY (ARRAY['none'::text, 'record'::text]))),
  CONSTRAINT webhook_subscription_rate_limit_check CHECK (((rate_limit >= 1) AND (rate_limit <= 1000))),
  CONSTRAINT webhook_subscription_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX webhook_subscription_removed_at_idx ON public.webhook_subscription USING btree (removed_at) WHERE (removed_at IS NOT NULL)
CREATE INDEX webhook_subscription_tenant_id_installation_id_idx ON public.webhook_subscription USING btree (tenant_id, installation_id) WHERE (installation_id IS NOT NULL)
POLICY narrow_delete FOR DELETE TO webhooks_narrow USING (removed_at IS NOT NULL)
POLICY narrow_select FOR SELECT TO webhooks_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE TO webhooks_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO webhooks_runtime
GRANT SELECT (app_key, id, installation_id, paused_at, paused_until, rate_limit, rate_reserved_until, removed_at, tenant_id, version) TO webhooks_narrow

CREATE OR REPLACE FUNCTION public.append_events(tenant uuid, ids uuid[], names text[], subjects text[], envelopes json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO outbox (tenant_id, id, name, subject, envelope)
    SELECT tenant, event.* FROM ROWS FROM (unnest(ids, names, subjects), json_array_elements(envelopes)) AS event;
  END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.appoint_heads(tenant uuid, changes uuid[], up_to bigint, longest_ms double precision, since timestamp with time zone, until timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.change_ledger(tenant uuid, locked uuid[], events json, deliveries json, most_held integer, ids uuid[], settlements json, claimed uuid[], claims uuid[], heads uuid[], woken uuid[], times timestamp with time zone[], OUT settled uuid[], OUT dropped integer)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.claim_deliveries(tenant uuid, claim_id uuid, subscriptions uuid[], most integer[], claim_ms double precision)
 RETURNS TABLE(tenant_id uuid, subscription_id uuid, id uuid, event_id uuid, attempts integer, throttled integer, is_head boolean, version integer, app_key text, body text, traceparent text)
 LANGUAGE plpgsql
AS $function$
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
CALLERS webhooks_narrow

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
CALLERS webhooks_narrow

CREATE OR REPLACE FUNCTION public.hold_claimed(tenant uuid, ids uuid[], claims uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.hold_deliveries(tenant uuid, events json, deliveries json, most integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.hold_due(tenant uuid, subscription uuid, most integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.listening_horizon(tenant uuid, OUT moment text, OUT horizon text)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
BEGIN
  SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
         to_char(greatest(least(min(xact_start), now()) - interval '100 ms', now() - interval '5 s') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') INTO moment, horizon
    FROM pg_stat_activity
   -- By ids, so that the view needs no join, whose plan would depend on what else is in the server.
   WHERE datid = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND usesysid = (SELECT oid FROM pg_roles WHERE rolname = current_user) AND pid <> pg_backend_pid();
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.make_due(tenant uuid, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
CALLERS webhooks_narrow

CREATE OR REPLACE FUNCTION public.pause_subscription(tenant uuid, subscription uuid, ms double precision)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  moment CONSTANT timestamptz := now();
  latest CONSTANT timestamptz := now() + interval '1 minute';
  until CONSTANT timestamptz := now() + ms * interval '1 millisecond';
BEGIN
  UPDATE webhook_subscription AS s SET paused_until = until, paused_at = moment, version = s.version + 1
   WHERE s.tenant_id = tenant AND s.id = subscription
     AND (s.paused_until IS NULL OR s.paused_until < until OR s.paused_at > latest);
  RETURN FOUND;
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.record_deliveries(tenant uuid, event_tenants uuid[], event_ids uuid[], event_names text[], bodies text[], traceparents text[], tenants uuid[], ids uuid[], subscriptions uuid[], of_events uuid[], names text[], urls text[], app_keys text[], installations uuid[], statuses text[], attempts integer[], next_times timestamp with time zone[], times timestamp with time zone[], http_statuses integer[], latencies integer[], excerpts text[], codes text[], messages text[], phases text[], due json, ordered json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.record_settled(tenant uuid, settled uuid[], lowest uuid, highest uuid, settlements json)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.recount_holds(tenant uuid, subscriptions uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE subscription_hold AS hold
     SET held = (SELECT count(*) FROM delivery
                  WHERE delivery.tenant_id = tenant AND delivery.subscription_id = hold.subscription_id
                    AND delivery.status = 'held')
   WHERE hold.tenant_id = tenant AND hold.subscription_id = ANY (subscriptions);
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.recover_deliveries(tenant uuid, subscription uuid, failed_too boolean, lowest uuid, beyond uuid, most integer, OUT ids uuid[], OUT held integer)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.redeliver(tenant uuid, delivery_id uuid)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.release_deliveries(tenant uuid, ids uuid[], claims uuid[], subscriptions uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE due_delivery AS due SET claim = NULL, claimed_until = NULL
    FROM unnest(ids, claims) AS released (id, claim)
   WHERE due.tenant_id = tenant AND due.delivery_id = ANY (ids) AND due.delivery_id = released.id AND due.claim = released.claim;
  PERFORM wake_queues(tenant, subscriptions, NULL);
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.repair_queues(tenant uuid, subscriptions uuid[], times timestamp with time zone[])
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.reserve_permits(tenant uuid, subscription uuid, ms double precision, ahead_ms double precision)
 RETURNS double precision
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.settle_deliveries(tenant uuid, ids uuid[], settlements json)
 RETURNS uuid[]
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.settle_queues(tenant uuid, subscriptions uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
CALLERS webhooks_narrow

CREATE OR REPLACE FUNCTION public.wake_queues(tenant uuid, subscriptions uuid[], times timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
END $function$
CALLERS PUBLIC
