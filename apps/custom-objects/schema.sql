-- What the migrations of custom-objects make, for readers: nothing runs it. "npm test -- --update apps/custom-objects/test/schema.spec.ts" writes it.

TABLE cleared_reference (
  tenant_id uuid NOT NULL,
  target_id uuid NOT NULL,
  object_id uuid NOT NULL,
  record_id uuid NOT NULL,
  field_key integer NOT NULL,
  cleared_at timestamp with time zone NOT NULL,
  version integer,
  by uuid,
  actor text,
  app text,
  CONSTRAINT cleared_reference_pkey PRIMARY KEY (tenant_id, target_id, object_id, record_id, field_key)
)
CREATE INDEX cleared_reference_cleared_at_idx ON public.cleared_reference USING btree (cleared_at)
POLICY narrow_delete FOR DELETE TO custom_objects_narrow USING true
POLICY narrow_select FOR SELECT TO custom_objects_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT TO custom_objects_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO custom_objects_runtime

TABLE custom_field (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  object_id uuid NOT NULL,
  api_name text NOT NULL,
  key integer NOT NULL,
  position integer NOT NULL,
  slot text,
  reference_object_id uuid,
  definition jsonb NOT NULL,
  CONSTRAINT custom_field_object_id_fkey FOREIGN KEY (tenant_id, object_id) REFERENCES custom_object(tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT custom_field_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT custom_field_object_id_api_name_key UNIQUE (tenant_id, object_id, api_name)
)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO custom_objects_runtime

TABLE custom_object (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  installation_id uuid,
  app_key text,
  sandbox boolean NOT NULL,
  declared_api_name text NOT NULL,
  api_name text NOT NULL,
  label text NOT NULL,
  plural_label text NOT NULL,
  description text,
  name_field text,
  state text NOT NULL DEFAULT 'active'::text,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  settings jsonb,
  CONSTRAINT custom_object_state_check CHECK ((state = ANY (ARRAY['active'::text, 'removed'::text]))),
  CONSTRAINT custom_object_pkey PRIMARY KEY (tenant_id, id)
)
CREATE UNIQUE INDEX custom_object_api_name ON public.custom_object USING btree (tenant_id, api_name) WHERE (state = 'active'::text)
CREATE INDEX custom_object_tenant_id_installation_id_idx ON public.custom_object USING btree (tenant_id, installation_id)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO custom_objects_runtime

TABLE custom_object_share (
  tenant_id uuid NOT NULL,
  object_id uuid NOT NULL,
  app_key text NOT NULL,
  access text NOT NULL,
  CONSTRAINT custom_object_share_access_check CHECK ((access = ANY (ARRAY['read'::text, 'write'::text]))),
  CONSTRAINT custom_object_share_object_id_fkey FOREIGN KEY (tenant_id, object_id) REFERENCES custom_object(tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT custom_object_share_pkey PRIMARY KEY (tenant_id, object_id, app_key)
)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO custom_objects_runtime

TABLE custom_record (
  tenant_id uuid NOT NULL,
  object_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  deleted_at timestamp with time zone,
  data jsonb NOT NULL,
  created_by uuid,
  s1 text COLLATE "C",
  s2 text COLLATE "C",
  s3 text COLLATE "C",
  s4 text COLLATE "C",
  s5 text COLLATE "C",
  s6 text COLLATE "C",
  s7 text COLLATE "C",
  s8 text COLLATE "C",
  s9 text COLLATE "C",
  s10 text COLLATE "C",
  s11 text COLLATE "C",
  s12 text COLLATE "C",
  s13 text COLLATE "C",
  s14 text COLLATE "C",
  s15 text COLLATE "C",
  s16 text COLLATE "C",
  s17 text COLLATE "C",
  s18 text COLLATE "C",
  s19 text COLLATE "C",
  s20 text COLLATE "C",
  s21 text COLLATE "C",
  s22 text COLLATE "C",
  s23 text COLLATE "C",
  s24 text COLLATE "C",
  n1 double precision,
  n2 double precision,
  n3 double precision,
  n4 double precision,
  n5 double precision,
  n6 double precision,
  n7 double precision,
  n8 double precision,
  t1 timestamp with time zone,
  t2 timestamp with time zone,
  t3 timestamp with time zone,
  t4 timestamp with time zone,
  t5 timestamp with time zone,
  t6 timestamp with time zone,
  t7 timestamp with time zone,
  t8 timestamp with time zone,
  deleted_by uuid,
  deleted_with uuid,
  merged_into uuid,
  bytes integer GENERATED STORED octet_length((data)::text),
  CONSTRAINT custom_record_pkey PRIMARY KEY (tenant_id, object_id, id)
) WITH (fillfactor=85, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.05, autovacuum_analyze_scale_factor=0.02, autovacuum_vacuum_cost_limit=1000)
CREATE INDEX custom_record_along ON public.custom_record USING btree (tenant_id, deleted_with) WHERE (deleted_with IS NOT NULL)
CREATE INDEX custom_record_bin ON public.custom_record USING btree (tenant_id, object_id, deleted_at, id) WHERE (deleted_at IS NOT NULL)
CREATE INDEX custom_record_deleted ON public.custom_record USING btree (deleted_at) WHERE (deleted_at IS NOT NULL)
CREATE INDEX custom_record_merged ON public.custom_record USING btree (tenant_id, merged_into) WHERE (merged_into IS NOT NULL)
CREATE INDEX custom_record_tenant_id_object_id_id_idx ON public.custom_record USING btree (tenant_id, object_id, id) WHERE (deleted_at IS NULL)
CREATE INDEX custom_record_tenant_id_object_id_n1_id_idx ON public.custom_record USING btree (tenant_id, object_id, n1, id) WHERE ((n1 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_n2_id_idx ON public.custom_record USING btree (tenant_id, object_id, n2, id) WHERE ((n2 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_n3_id_idx ON public.custom_record USING btree (tenant_id, object_id, n3, id) WHERE ((n3 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_n4_id_idx ON public.custom_record USING btree (tenant_id, object_id, n4, id) WHERE ((n4 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_n5_id_idx ON public.custom_record USING btree (tenant_id, object_id, n5, id) WHERE ((n5 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_n6_id_idx ON public.custom_record USING btree (tenant_id, object_id, n6, id) WHERE ((n6 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_n7_id_idx ON public.custom_record USING btree (tenant_id, object_id, n7, id) WHERE ((n7 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_n8_id_idx ON public.custom_record USING btree (tenant_id, object_id, n8, id) WHERE ((n8 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s10_id_idx ON public.custom_record USING btree (tenant_id, object_id, s10, id) WHERE ((s10 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s11_id_idx ON public.custom_record USING btree (tenant_id, object_id, s11, id) WHERE ((s11 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s12_id_idx ON public.custom_record USING btree (tenant_id, object_id, s12, id) WHERE ((s12 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s13_id_idx ON public.custom_record USING btree (tenant_id, object_id, s13, id) WHERE ((s13 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s14_id_idx ON public.custom_record USING btree (tenant_id, object_id, s14, id) WHERE ((s14 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s15_id_idx ON public.custom_record USING btree (tenant_id, object_id, s15, id) WHERE ((s15 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s16_id_idx ON public.custom_record USING btree (tenant_id, object_id, s16, id) WHERE ((s16 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s17_id_idx ON public.custom_record USING btree (tenant_id, object_id, s17, id) WHERE ((s17 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s18_id_idx ON public.custom_record USING btree (tenant_id, object_id, s18, id) WHERE ((s18 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s19_id_idx ON public.custom_record USING btree (tenant_id, object_id, s19, id) WHERE ((s19 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s1_id_idx ON public.custom_record USING btree (tenant_id, object_id, s1, id) WHERE ((s1 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s20_id_idx ON public.custom_record USING btree (tenant_id, object_id, s20, id) WHERE ((s20 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s21_id_idx ON public.custom_record USING btree (tenant_id, object_id, s21, id) WHERE ((s21 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s22_id_idx ON public.custom_record USING btree (tenant_id, object_id, s22, id) WHERE ((s22 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s23_id_idx ON public.custom_record USING btree (tenant_id, object_id, s23, id) WHERE ((s23 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s24_id_idx ON public.custom_record USING btree (tenant_id, object_id, s24, id) WHERE ((s24 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s2_id_idx ON public.custom_record USING btree (tenant_id, object_id, s2, id) WHERE ((s2 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s3_id_idx ON public.custom_record USING btree (tenant_id, object_id, s3, id) WHERE ((s3 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s4_id_idx ON public.custom_record USING btree (tenant_id, object_id, s4, id) WHERE ((s4 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s5_id_idx ON public.custom_record USING btree (tenant_id, object_id, s5, id) WHERE ((s5 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s6_id_idx ON public.custom_record USING btree (tenant_id, object_id, s6, id) WHERE ((s6 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s7_id_idx ON public.custom_record USING btree (tenant_id, object_id, s7, id) WHERE ((s7 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s8_id_idx ON public.custom_record USING btree (tenant_id, object_id, s8, id) WHERE ((s8 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_s9_id_idx ON public.custom_record USING btree (tenant_id, object_id, s9, id) WHERE ((s9 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_t1_id_idx ON public.custom_record USING btree (tenant_id, object_id, t1, id) WHERE ((t1 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_t2_id_idx ON public.custom_record USING btree (tenant_id, object_id, t2, id) WHERE ((t2 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_t3_id_idx ON public.custom_record USING btree (tenant_id, object_id, t3, id) WHERE ((t3 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_t4_id_idx ON public.custom_record USING btree (tenant_id, object_id, t4, id) WHERE ((t4 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_t5_id_idx ON public.custom_record USING btree (tenant_id, object_id, t5, id) WHERE ((t5 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_t6_id_idx ON public.custom_record USING btree (tenant_id, object_id, t6, id) WHERE ((t6 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_t7_id_idx ON public.custom_record USING btree (tenant_id, object_id, t7, id) WHERE ((t7 IS NOT NULL) AND (deleted_at IS NULL))
CREATE INDEX custom_record_tenant_id_object_id_t8_id_idx ON public.custom_record USING btree (tenant_id, object_id, t8, id) WHERE ((t8 IS NOT NULL) AND (deleted_at IS NULL))
CREATE STATISTICS public.custom_record_objects (ndistinct, dependencies) ON tenant_id, object_id FROM custom_record
POLICY narrow_delete FOR DELETE TO custom_objects_narrow USING (deleted_at IS NOT NULL)
POLICY narrow_select FOR SELECT TO custom_objects_narrow USING (deleted_at IS NOT NULL)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE TO custom_objects_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO custom_objects_runtime
GRANT SELECT (bytes, deleted_at, id, object_id, tenant_id) TO custom_objects_narrow

TABLE custom_unique (
  tenant_id uuid NOT NULL,
  object_id uuid NOT NULL,
  field_id uuid NOT NULL,
  norm_value text COLLATE "C" NOT NULL,
  record_id uuid NOT NULL,
  CONSTRAINT custom_unique_pkey PRIMARY KEY (tenant_id, object_id, field_id, norm_value)
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.05, autovacuum_analyze_scale_factor=0.02, autovacuum_vacuum_cost_limit=1000)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO custom_objects_runtime

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
POLICY narrow_insert FOR INSERT TO custom_objects_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO custom_objects_narrow USING true
POLICY narrow_update FOR UPDATE TO custom_objects_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT, UPDATE TO custom_objects_narrow
GRANT INSERT, SELECT, UPDATE TO custom_objects_runtime

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
POLICY owner_delete FOR DELETE TO custom_objects_owner USING true
POLICY owner_select FOR SELECT TO custom_objects_owner USING true

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
POLICY narrow_delete FOR DELETE TO custom_objects_narrow USING true
POLICY narrow_select FOR SELECT TO custom_objects_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT TO custom_objects_narrow
GRANT INSERT, SELECT, UPDATE TO custom_objects_runtime

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
POLICY narrow_delete FOR DELETE TO custom_objects_narrow USING true
POLICY narrow_select FOR SELECT TO custom_objects_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT TO custom_objects_narrow
GRANT INSERT, SELECT, UPDATE TO custom_objects_runtime

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
POLICY narrow_delete FOR DELETE TO custom_objects_narrow USING true
POLICY narrow_insert FOR INSERT TO custom_objects_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO custom_objects_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT TO custom_objects_narrow
GRANT INSERT, SELECT, UPDATE TO custom_objects_runtime

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
POLICY owner_delete FOR DELETE TO custom_objects_owner USING true
POLICY owner_select FOR SELECT TO custom_objects_owner USING true

TABLE outbox_position (
  since timestamp with time zone NOT NULL,
  published int8multirange NOT NULL,
  stream_seq bigint,
  stream_subject text,
  CONSTRAINT outbox_position_pkey PRIMARY KEY (since)
)
POLICY narrow_delete FOR DELETE TO custom_objects_narrow USING true
POLICY narrow_insert FOR INSERT TO custom_objects_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO custom_objects_narrow USING true
POLICY narrow_update FOR UPDATE TO custom_objects_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO custom_objects_narrow

TABLE record_history (
  tenant_id uuid NOT NULL,
  object_id uuid NOT NULL,
  record_id uuid NOT NULL,
  version integer NOT NULL,
  besides_at timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  at timestamp with time zone NOT NULL,
  by uuid NOT NULL,
  actor text NOT NULL,
  app text,
  data jsonb NOT NULL,
  CONSTRAINT record_history_pkey PRIMARY KEY (tenant_id, object_id, record_id, version, besides_at)
) WITH (fillfactor=100, autovacuum_vacuum_insert_scale_factor=0.05, autovacuum_vacuum_scale_factor=0.02)
CREATE INDEX record_history_at_idx ON public.record_history USING btree (at)
POLICY narrow_delete FOR DELETE TO custom_objects_narrow USING true
POLICY narrow_select FOR SELECT TO custom_objects_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT TO custom_objects_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO custom_objects_runtime

TABLE record_note (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  object_id uuid NOT NULL,
  record_id uuid NOT NULL,
  kind text NOT NULL,
  text text NOT NULL,
  at timestamp with time zone NOT NULL,
  author_id uuid NOT NULL,
  version integer NOT NULL,
  changed_by uuid,
  changed_at timestamp with time zone,
  bytes integer GENERATED STORED octet_length(text),
  CONSTRAINT record_note_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX record_note_tenant_id_object_id_record_id_at_id_idx ON public.record_note USING btree (tenant_id, object_id, record_id, at, id)
POLICY narrow_delete FOR DELETE TO custom_objects_narrow USING true
POLICY narrow_select FOR SELECT TO custom_objects_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT TO custom_objects_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO custom_objects_runtime
GRANT SELECT (bytes, object_id, tenant_id) TO custom_objects_narrow

TABLE record_reference (
  tenant_id uuid NOT NULL,
  target_id uuid NOT NULL,
  object_id uuid NOT NULL,
  record_id uuid NOT NULL,
  field_key integer NOT NULL,
  CONSTRAINT record_reference_pkey PRIMARY KEY (tenant_id, target_id, object_id, record_id, field_key)
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.05, autovacuum_analyze_scale_factor=0.02, autovacuum_vacuum_cost_limit=1000)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO custom_objects_runtime

TABLE record_search (
  tenant_id uuid NOT NULL,
  object_id uuid NOT NULL,
  id uuid NOT NULL,
  audience text COLLATE "C" NOT NULL,
  text text NOT NULL,
  CONSTRAINT record_search_pkey PRIMARY KEY (tenant_id, object_id, id, audience)
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.05, autovacuum_analyze_scale_factor=0.02, autovacuum_vacuum_cost_limit=1000)
CREATE INDEX record_search_text_0 ON public.record_search USING gin (uuid_hash_extended(tenant_id, uuid_hash_extended(object_id, hashtextextended(audience, (0)::bigint))), text gin_trgm_ops) WITH (gin_pending_list_limit='65536') WHERE ((uuid_hash(tenant_id) & 7) = 0)
CREATE INDEX record_search_text_1 ON public.record_search USING gin (uuid_hash_extended(tenant_id, uuid_hash_extended(object_id, hashtextextended(audience, (0)::bigint))), text gin_trgm_ops) WITH (gin_pending_list_limit='65536') WHERE ((uuid_hash(tenant_id) & 7) = 1)
CREATE INDEX record_search_text_2 ON public.record_search USING gin (uuid_hash_extended(tenant_id, uuid_hash_extended(object_id, hashtextextended(audience, (0)::bigint))), text gin_trgm_ops) WITH (gin_pending_list_limit='65536') WHERE ((uuid_hash(tenant_id) & 7) = 2)
CREATE INDEX record_search_text_3 ON public.record_search USING gin (uuid_hash_extended(tenant_id, uuid_hash_extended(object_id, hashtextextended(audience, (0)::bigint))), text gin_trgm_ops) WITH (gin_pending_list_limit='65536') WHERE ((uuid_hash(tenant_id) & 7) = 3)
CREATE INDEX record_search_text_4 ON public.record_search USING gin (uuid_hash_extended(tenant_id, uuid_hash_extended(object_id, hashtextextended(audience, (0)::bigint))), text gin_trgm_ops) WITH (gin_pending_list_limit='65536') WHERE ((uuid_hash(tenant_id) & 7) = 4)
CREATE INDEX record_search_text_5 ON public.record_search USING gin (uuid_hash_extended(tenant_id, uuid_hash_extended(object_id, hashtextextended(audience, (0)::bigint))), text gin_trgm_ops) WITH (gin_pending_list_limit='65536') WHERE ((uuid_hash(tenant_id) & 7) = 5)
CREATE INDEX record_search_text_6 ON public.record_search USING gin (uuid_hash_extended(tenant_id, uuid_hash_extended(object_id, hashtextextended(audience, (0)::bigint))), text gin_trgm_ops) WITH (gin_pending_list_limit='65536') WHERE ((uuid_hash(tenant_id) & 7) = 6)
CREATE INDEX record_search_text_7 ON public.record_search USING gin (uuid_hash_extended(tenant_id, uuid_hash_extended(object_id, hashtextextended(audience, (0)::bigint))), text gin_trgm_ops) WITH (gin_pending_list_limit='65536') WHERE ((uuid_hash(tenant_id) & 7) = 7)
POLICY search_select FOR SELECT TO custom_objects_owner USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO custom_objects_runtime

TABLE saved_view (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  object_id uuid NOT NULL,
  owner_id uuid NOT NULL,
  name text NOT NULL,
  shared boolean NOT NULL,
  filter jsonb,
  sort text,
  columns jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT saved_view_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX saved_view_tenant_id_object_id_name_id_idx ON public.saved_view USING btree (tenant_id, object_id, name, id)
CREATE INDEX saved_view_tenant_id_owner_id_idx ON public.saved_view USING btree (tenant_id, owner_id)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO custom_objects_runtime

TABLE storage_use (
  tenant_id uuid NOT NULL,
  object_id uuid NOT NULL,
  slot uuid NOT NULL,
  records bigint NOT NULL,
  bytes bigint NOT NULL,
  CONSTRAINT storage_use_pkey PRIMARY KEY (tenant_id, object_id, slot)
) WITH (fillfactor=20)
POLICY narrow_insert FOR INSERT TO custom_objects_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO custom_objects_narrow USING true
POLICY narrow_update FOR UPDATE TO custom_objects_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT, UPDATE TO custom_objects_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO custom_objects_runtime

CREATE OR REPLACE FUNCTION public.append_events(tenant uuid, ids uuid[], names text[], subjects text[], envelopes json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO outbox (tenant_id, id, name, subject, envelope)
    SELECT tenant, event.* FROM ROWS FROM (unnest(ids, names, subjects), json_array_elements(envelopes)) AS event;
  END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.change_records(tenant uuid, object uuid, ids uuid[], records jsonb, slot_ids uuid[], slot_records jsonb, history jsonb, text_ids uuid[], audiences text[], texts text[], event_records uuid[], event_ids uuid[], names text[], subjects text[], envelopes json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  in_context CONSTANT text := set_config('app.tenant_id', tenant::text, true);
  free_slot uuid;
  grown_records CONSTANT bigint := 0;
  grown_bytes bigint := 0;
BEGIN
  IF cardinality(ids) > 0 THEN
    WITH changed_records AS (
      UPDATE custom_record AS stored SET version = w.version, data = w.data, updated_at = w.at
        FROM unnest(ids) WITH ORDINALITY AS changed (id, number),
             jsonb_to_record(records -> (changed.number::integer - 1)) AS w (version integer, data jsonb, at timestamptz)
       WHERE stored.tenant_id = tenant AND stored.object_id = object AND stored.id = changed.id
      RETURNING new.bytes - old.bytes AS grown
    ) SELECT grown_bytes + coalesce(sum(grown), 0) INTO grown_bytes FROM changed_records;
  END IF;
  IF cardinality(slot_ids) > 0 THEN
    WITH changed_records AS (
      UPDATE custom_record AS stored SET version = w.version, data = w.data, updated_at = w.at,
             s1 = w.s1, s2 = w.s2, s3 = w.s3, s4 = w.s4, s5 = w.s5, s6 = w.s6, s7 = w.s7, s8 = w.s8, s9 = w.s9, s10 = w.s10, s11 = w.s11,
             s12 = w.s12, s13 = w.s13, s14 = w.s14, s15 = w.s15, s16 = w.s16, s17 = w.s17, s18 = w.s18, s19 = w.s19, s20 = w.s20,
             s21 = w.s21, s22 = w.s22, s23 = w.s23, s24 = w.s24, n1 = w.n1, n2 = w.n2, n3 = w.n3, n4 = w.n4, n5 = w.n5, n6 = w.n6,
             n7 = w.n7, n8 = w.n8, t1 = w.t1, t2 = w.t2, t3 = w.t3, t4 = w.t4, t5 = w.t5, t6 = w.t6, t7 = w.t7, t8 = w.t8
        FROM unnest(slot_ids) WITH ORDINALITY AS changed (id, number),
             jsonb_to_record(slot_records -> (changed.number::integer - 1)) AS w (version integer, data jsonb, at timestamptz,
                  s1 text, s2 text, s3 text, s4 text, s5 text, s6 text, s7 text, s8 text, s9 text, s10 text, s11 text, s12 text, s13 text,
                  s14 text, s15 text, s16 text, s17 text, s18 text, s19 text, s20 text, s21 text, s22 text, s23 text, s24 text, n1 float8,
                  n2 float8, n3 float8, n4 float8, n5 float8, n6 float8, n7 float8, n8 float8, t1 timestamptz, t2 timestamptz,
                  t3 timestamptz, t4 timestamptz, t5 timestamptz, t6 timestamptz, t7 timestamptz, t8 timestamptz)
       WHERE stored.tenant_id = tenant AND stored.object_id = object AND stored.id = changed.id
      RETURNING new.bytes - old.bytes AS grown
    ) SELECT grown_bytes + coalesce(sum(grown), 0) INTO grown_bytes FROM changed_records;
  END IF;
  IF grown_records <> 0 OR grown_bytes <> 0 THEN
    SELECT u.slot INTO free_slot FROM storage_use u WHERE u.tenant_id = tenant AND u.object_id = object LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    IF FOUND THEN
      UPDATE storage_use AS u SET records = u.records + grown_records, bytes = u.bytes + grown_bytes
       WHERE u.tenant_id = tenant AND u.object_id = object AND u.slot = free_slot;
    ELSE
      INSERT INTO storage_use (tenant_id, object_id, slot, records, bytes)
      VALUES (tenant, object, gen_random_uuid(), grown_records, grown_bytes);
    END IF;
  END IF;
  IF history IS NOT NULL THEN
    INSERT INTO record_history (tenant_id, object_id, record_id, version, at, by, actor, app, data)
    SELECT tenant, object, w.* FROM jsonb_to_recordset(history)
           AS w (id uuid, version integer, at timestamptz, by uuid, actor text, app text, data jsonb);
  END IF;
  IF cardinality(text_ids) > 0 THEN
    INSERT INTO record_search (tenant_id, object_id, id, audience, text)
    SELECT tenant, object, w.* FROM unnest(text_ids, audiences, texts) AS w (id, audience, text) WHERE w.text IS NOT NULL
    ON CONFLICT (tenant_id, object_id, id, audience) DO UPDATE SET text = excluded.text;
  END IF;
  IF array_position(texts, NULL) IS NOT NULL THEN
    DELETE FROM record_search s USING unnest(text_ids, audiences, texts) AS w (id, audience, text)
     WHERE w.text IS NULL AND s.tenant_id = tenant AND s.object_id = object AND s.id = w.id AND s.audience = w.audience COLLATE "C";
  END IF;
  INSERT INTO outbox (tenant_id, id, name, subject, envelope)
  SELECT tenant, event.id, event.name, event.subject, event.envelope
    FROM ROWS FROM (unnest(event_records, event_ids, names, subjects), json_array_elements(envelopes))
         AS event (record_id, id, name, subject, envelope);
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.claim_calls(tenant uuid, calls jsonb)
 RETURNS uuid[]
 LANGUAGE plpgsql
AS $function$
  DECLARE
    moment CONSTANT timestamptz := now();
    claimed bigint;
  BEGIN
    -- A cluster knows the variable within WITH alone, and accepts no now() there.
    WITH written AS (
      INSERT INTO idempotency AS earlier (tenant_id, principal_id, route, key, body_hash, record_id, expires_at)
      SELECT tenant, c.principal, c.route, c.key, decode(c.hash, 'hex'), c.record, moment + make_interval(hours => c.hours)
        FROM jsonb_to_recordset(calls)
             AS c (lock text, principal text, route text, key text, hash text, record uuid, hours integer)
       WHERE pg_try_advisory_xact_lock(hashtextextended(c.lock, 0))
      ON CONFLICT (tenant_id, principal_id, route, key)
      DO UPDATE SET body_hash = excluded.body_hash, record_id = excluded.record_id, expires_at = excluded.expires_at
       WHERE earlier.expires_at <= moment RETURNING 1)
    SELECT count(*) INTO claimed FROM written;
    IF claimed = jsonb_array_length(calls) THEN RETURN '{}'; END IF;
    RETURN ARRAY(
      SELECT c.record FROM jsonb_to_recordset(calls) AS c (principal text, route text, key text, record uuid)
       WHERE NOT EXISTS (SELECT FROM idempotency i WHERE i.tenant_id = tenant AND i.principal_id = c.principal AND i.route = c.route
                            AND i.key = c.key AND i.record_id = c.record));
  END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.claim_references(tenant uuid, object uuid, record uuid, field_keys integer[], objects uuid[], targets uuid[])
 RETURNS integer[]
 LANGUAGE plpgsql
AS $function$
DECLARE
  claimed integer[] := '{}';
BEGIN
  FOR n IN 1 .. cardinality(targets) LOOP
    PERFORM 1 FROM custom_record r
      WHERE r.tenant_id = tenant AND r.object_id = objects[n] AND r.id = targets[n] AND r.deleted_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM custom_object o WHERE o.tenant_id = tenant AND o.id = objects[n] AND o.state = 'removed')
        FOR KEY SHARE OF r;
    CONTINUE WHEN NOT FOUND;
    INSERT INTO record_reference (tenant_id, target_id, object_id, record_id, field_key)
    VALUES (tenant, targets[n], object, record, field_keys[n]) ON CONFLICT DO NOTHING;
    IF FOUND THEN claimed := claimed || field_keys[n]; END IF;
  END LOOP;
  RETURN claimed;
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.claim_unique_values(tenant uuid, object uuid, record uuid, fields uuid[], norm_values text[])
 RETURNS uuid[]
 LANGUAGE plpgsql
AS $function$
DECLARE
  claimed uuid[] := '{}';
BEGIN
  FOR n IN 1 .. cardinality(fields) LOOP
    INSERT INTO custom_unique (tenant_id, object_id, field_id, norm_value, record_id)
    VALUES (tenant, object, fields[n], norm_values[n], record)
    ON CONFLICT (tenant_id, object_id, field_id, norm_value) DO NOTHING;
    IF FOUND THEN claimed := claimed || fields[n]; END IF;
  END LOOP;
  RETURN claimed;
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
CALLERS custom_objects_narrow

CREATE OR REPLACE FUNCTION public.count_storage(tenant uuid, object uuid, grown_records bigint, grown_bytes bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  in_context CONSTANT text := set_config('app.tenant_id', tenant::text, true);
  free_slot uuid;
BEGIN
  IF grown_records <> 0 OR grown_bytes <> 0 THEN
    SELECT u.slot INTO free_slot FROM storage_use u WHERE u.tenant_id = tenant AND u.object_id = object LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    IF FOUND THEN
      UPDATE storage_use AS u SET records = u.records + grown_records, bytes = u.bytes + grown_bytes
       WHERE u.tenant_id = tenant AND u.object_id = object AND u.slot = free_slot;
    ELSE
      INSERT INTO storage_use (tenant_id, object_id, slot, records, bytes)
      VALUES (tenant, object, gen_random_uuid(), grown_records, grown_bytes);
    END IF;
  END IF;
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.create_records(tenant uuid, object uuid, expected integer, records jsonb, calls jsonb, text_ids uuid[], audiences text[], texts text[], event_records uuid[], event_ids uuid[], names text[], subjects text[], envelopes json, OUT refusal text, OUT refused uuid[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  free_slot uuid;
  grown_records bigint;
  grown_bytes bigint;
BEGIN
  refused := '{}';
  refusal := hold_definition(tenant, object, expected);
  IF refusal IS NOT NULL THEN RETURN; END IF;
  IF calls IS NOT NULL THEN refused := claim_calls(tenant, calls); END IF;
  WITH created AS (
    INSERT INTO custom_record (tenant_id, object_id, id, version, data, created_at, updated_at, created_by,
      s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, s20, s21, s22, s23, s24, n1, n2, n3, n4, n5,
      n6, n7, n8, t1, t2, t3, t4, t5, t6, t7, t8)
    SELECT tenant, object, w.id, 1, w.data, w.at, w.at, w.by,
           s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, s20, s21, s22, s23, s24, n1, n2, n3, n4,
           n5, n6, n7, n8, t1, t2, t3, t4, t5, t6, t7, t8
      FROM jsonb_to_recordset(records) AS w (id uuid, data jsonb, at timestamptz, by uuid,
           s1 text, s2 text, s3 text, s4 text, s5 text, s6 text, s7 text, s8 text, s9 text, s10 text, s11 text, s12 text, s13 text,
           s14 text, s15 text, s16 text, s17 text, s18 text, s19 text, s20 text, s21 text, s22 text, s23 text, s24 text, n1 float8,
           n2 float8, n3 float8, n4 float8, n5 float8, n6 float8, n7 float8, n8 float8, t1 timestamptz, t2 timestamptz, t3 timestamptz,
           t4 timestamptz, t5 timestamptz, t6 timestamptz, t7 timestamptz, t8 timestamptz)
     WHERE w.id <> ALL (refused)
    RETURNING custom_record.bytes
  ) SELECT count(*), coalesce(sum(created.bytes), 0) INTO grown_records, grown_bytes FROM created;
  IF grown_records <> 0 OR grown_bytes <> 0 THEN
    SELECT u.slot INTO free_slot FROM storage_use u WHERE u.tenant_id = tenant AND u.object_id = object LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    IF FOUND THEN
      UPDATE storage_use AS u SET records = u.records + grown_records, bytes = u.bytes + grown_bytes
       WHERE u.tenant_id = tenant AND u.object_id = object AND u.slot = free_slot;
    ELSE
      INSERT INTO storage_use (tenant_id, object_id, slot, records, bytes)
      VALUES (tenant, object, gen_random_uuid(), grown_records, grown_bytes);
    END IF;
  END IF;
  INSERT INTO record_search (tenant_id, object_id, id, audience, text)
  SELECT tenant, object, w.* FROM unnest(text_ids, audiences, texts) AS w (id, audience, text) WHERE w.id <> ALL (refused);
  INSERT INTO outbox (tenant_id, id, name, subject, envelope)
  SELECT tenant, event.id, event.name, event.subject, event.envelope
    FROM ROWS FROM (unnest(event_records, event_ids, names, subjects), json_array_elements(envelopes))
         AS event (record_id, id, name, subject, envelope) WHERE event.record_id <> ALL (refused);
END $function$
CALLERS PUBLIC

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
CALLERS custom_objects_narrow

CREATE OR REPLACE FUNCTION public.find_record_ids(tenant uuid, object uuid, audiences text[], needle text, is_indexed boolean, wanted integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  PERFORM set_config('app.tenant_id', tenant::text, true);
  RETURN (SELECT s.ids FROM search_records(tenant, object, audiences, needle, is_indexed, NULL, wanted, 0) AS s);
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_add(a double precision, b double precision)
 RETURNS double precision
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
DECLARE
  x float8 := abs(a);
  y float8 := abs(b);
BEGIN
  IF a IS NULL OR b IS NULL THEN RETURN NULL; END IF;
  -- A number below 1e290 is less than half of the last digit of those near the end of the range.
  IF (x < 8e307 AND y < 8e307) OR least(x, y) < 1e290 THEN RETURN a + b; END IF;
  IF abs(a * 0.5 + b * 0.5) >= '8.98846567431158e+307'::float8 THEN RETURN NULL; END IF;
  RETURN a + b;
END
$function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_bounded(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (length(value) <= 4000) THEN value ELSE NULL::text END
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_contains(value text, part text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (strpos((COALESCE(value, ''::text) COLLATE "C"), (COALESCE(part, ''::text) COLLATE "C")) > 0)
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_contains(options text[], part text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((COALESCE(part, ''::text) = ''::text) OR COALESCE(((part COLLATE "C") = ANY (options)), false))
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_divide(a double precision, b double precision)
 RETURNS double precision
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
DECLARE
  x float8 := abs(a);
  y float8 := abs(b);
BEGIN
  IF a IS NULL OR b IS NULL OR b = 0 THEN RETURN NULL; END IF;
  IF a = 0 THEN RETURN 0; END IF;
  IF x < 1e150 AND x > 1e-150 AND y < 1e150 AND y > 1e-150 THEN RETURN a / b; END IF;
  IF y >= 1 THEN
    IF x >= 1 THEN RETURN a / b; END IF;
    IF x < '9.332636185032189e-302'::float8 AND y > '8.452712498170644e+270'::float8 THEN RETURN 0; END IF;
    IF (x * '1.0715086071862673e+301'::float8) / y <= '2.6469779601696886e-23'::float8 THEN RETURN 0; END IF;
    RETURN a / b;
  END IF;
  IF x >= 1 THEN
    IF y <= '5.562684646268003e-309'::float8 OR (x > '1.0715086071862673e+301'::float8 AND y < '1.1830521861667747e-271'::float8) THEN RETURN NULL; END IF;
    IF (x * '9.332636185032189e-302'::float8) / y >= '16777216'::float8 THEN RETURN NULL; END IF;
    RETURN a / b;
  END IF;
  IF x < '3.054936363499605e-151'::float8 THEN RETURN a / b; END IF;
  IF x / (y * '1.2676506002282294e+30'::float8) >= '1.418129833677085e+278'::float8 THEN RETURN NULL; END IF;
  RETURN a / b;
END
$function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_float(value numeric)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (abs(value) >= '179769313486231580793000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000'::numeric) THEN NULL::double precision WHEN (abs(value) < 0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000247032822920623272089) THEN (0)::double precision ELSE (value)::double precision END
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_lower(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN lower((value COLLATE pg_unicode_fast))
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_multiply(a double precision, b double precision)
 RETURNS double precision
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
DECLARE
  x float8 := greatest(abs(a), abs(b));
  y float8 := least(abs(a), abs(b));
  scaled float8;
  x_high float8;
  scaled_high float8;
BEGIN
  IF a IS NULL OR b IS NULL THEN RETURN NULL; END IF;
  IF y = 0 THEN RETURN 0; END IF;
  IF (x < 1e150 AND y > 1e-150) OR (x >= 1 AND y < 1) THEN RETURN a * b; END IF;
  IF y >= 1 THEN
    IF y >= '4.149515568880993e+180'::float8 THEN RETURN NULL; END IF;
    IF (x * '1.90109156629516e-211'::float8) * y >= '3.417579257473456e+97'::float8 THEN RETURN NULL; END IF;
    RETURN a * b;
  END IF;
  -- Half of the smallest number, 2^-1075, is the largest that becomes 0.
  IF x < '2.409919865102884e-181'::float8 THEN RETURN 0; END IF;
  scaled := y * '5.260135901548374e+210'::float8;
  IF scaled * x < '1.2994262207056124e-113'::float8 THEN RETURN 0; END IF;
  IF scaled * x = '1.2994262207056124e-113'::float8 THEN
    -- Perhaps rounded to it: what the rounding took away (Dekker's exact product) says from which side.
    x_high := '134217729'::float8 * x - ('134217729'::float8 * x - x);
    scaled_high := '134217729'::float8 * scaled - ('134217729'::float8 * scaled - scaled);
    IF ((x_high * scaled_high - '1.2994262207056124e-113'::float8) + x_high * (scaled - scaled_high) + (x - x_high) * scaled_high)
      + (x - x_high) * (scaled - scaled_high) <= 0 THEN RETURN 0; END IF;
  END IF;
  RETURN a * b;
END
$function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_number(value text)
 RETURNS double precision
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
DECLARE
  numeral text := btrim(value, E' \t\r\n');
BEGIN
  IF numeral IS NULL OR numeral !~ '^-?[0-9]+(\.[0-9]+)?$' THEN RETURN NULL; END IF;
  IF pg_input_is_valid(numeral, 'double precision') THEN RETURN numeral::float8 + 0; END IF;
  -- Too small for float8 is 0, too large is null.
  IF numeral ~ '^-?0+\.' THEN RETURN 0; END IF;
  RETURN NULL;
END
$function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_remainder(a double precision, b double precision)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (b <> (0)::double precision) THEN formula_float(((a)::numeric % (b)::numeric)) ELSE NULL::double precision END
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_round(number double precision, places double precision)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (places IS NOT NULL) THEN formula_float(round((number)::numeric, (LEAST(GREATEST(trunc(places), ('-400'::integer)::double precision), (400)::double precision))::integer)) ELSE NULL::double precision END
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_start_of_day(day date, zone text)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
DECLARE
  midnight timestamp := day::timestamp;
  before timestamp := midnight - interval '16 hours';
  later timestamp := midnight + interval '16 hours';
  early interval := ((before AT TIME ZONE 'UTC') AT TIME ZONE zone) - before;
  late interval := ((later AT TIME ZONE 'UTC') AT TIME ZONE zone) - later;
  middle timestamp;
BEGIN
  IF day IS NULL THEN RETURN NULL; END IF;
  IF early <> late THEN
    -- The offset changes around this midnight: find the first instant with the later one, to the millisecond.
    WHILE later - before > interval '1 millisecond' LOOP
      middle := before + make_interval(secs => floor(extract(epoch FROM later - before) * 500) / 1000);
      IF ((middle AT TIME ZONE 'UTC') AT TIME ZONE zone) - middle = early THEN before := middle;
      ELSE later := middle;
      END IF;
    END LOOP;
    IF midnight - early >= later THEN RETURN greatest(midnight - late, later) AT TIME ZONE 'UTC'; END IF;
  END IF;
  RETURN (midnight - early) AT TIME ZONE 'UTC';
END
$function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_text(value boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN value THEN 'true'::text WHEN (NOT value) THEN 'false'::text ELSE NULL::text END
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_text(value date)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
BEGIN
  RETURN to_char(value::timestamp, 'YYYY-MM-DD');
END
$function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_text(value double precision)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (trim_scale((value)::numeric))::text
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_text(value text[])
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
BEGIN
  RETURN array_to_string(value, ', ');
END
$function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_text(value timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
BEGIN
  RETURN regexp_replace(
    to_char(value AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS'), '\.?0+$', '') || 'Z';
END
$function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.formula_upper(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN upper((value COLLATE pg_unicode_fast))
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.hold_definition(tenant uuid, object uuid, expected integer)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
  in_context CONSTANT text := set_config('app.tenant_id', tenant::text, true);
  current_revision integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock_shared(hashtextextended('custom_object:' || tenant, 0)) THEN RETURN 'busy'; END IF;
  SELECT o.revision INTO current_revision FROM custom_object o WHERE o.tenant_id = tenant AND o.id = object AND o.state = 'active';
  RETURN CASE WHEN coalesce(current_revision, 0) <> expected THEN 'stale' END;
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.lock_records(tenant uuid, object uuid, expected integer, ids uuid[], OUT refusal text, OUT heads text, OUT data text)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
BEGIN
  refusal := hold_definition(tenant, object, expected);
  IF refusal IS NOT NULL THEN RETURN; END IF;
  SELECT string_agg(concat_ws(' ', locked.id, locked.version,
                   floor(date_part('epoch', locked.created_at) * 1000 + 0.5), floor(date_part('epoch', locked.updated_at) * 1000 + 0.5)), ','),
         string_agg(locked.data::text, E',\n')
    INTO heads, data
    FROM (SELECT r.id, r.version, r.created_at, r.updated_at, r.data FROM custom_record r
           WHERE r.tenant_id = tenant AND r.object_id = object AND r.id = ANY (ids) AND r.deleted_at IS NULL
           ORDER BY r.id FOR NO KEY UPDATE SKIP LOCKED) AS locked;
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
CALLERS custom_objects_narrow

CREATE OR REPLACE FUNCTION public.search_objects(tenant uuid, searches jsonb, after_id uuid, wanted integer, OUT revisions jsonb, OUT objects text, OUT heads text, OUT data text, OUT "isWhole" boolean)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET enable_sort TO 'off'
AS $function$
DECLARE
  first_id CONSTANT uuid := coalesce(after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  one record;
  hits uuid[];
  last uuid;
  is_hit boolean;
  seen integer;
  oldest uuid;
  searched uuid[] := '{}';
  lasts uuid[] := '{}';
  owners uuid[] := '{}';
  found uuid[] := '{}';
BEGIN
  PERFORM set_config('app.tenant_id', tenant::text, true);
  FOR one IN
    SELECT s.object, s.audiences, s.unneeded, array_agg(s.needle) AS needles,
           array_agg('%' || regexp_replace(s.needle, '([\\%_])', '\\\1', 'g') || '%') AS patterns
      FROM jsonb_to_recordset(searches) AS s(object uuid, audiences text[], needle text, unneeded text[]) GROUP BY 1, 2, 3 LOOP
    hits := '{}';
    seen := 0;
    FOR last, is_hit IN
      SELECT t.id, t.audience = ANY (one.audiences) AND t.text LIKE ANY (one.patterns)
        FROM (SELECT s.id, s.audience, s.text FROM record_search s
               WHERE s.tenant_id = tenant AND s.object_id = one.object AND s.id < first_id ORDER BY s.id DESC, s.audience DESC LIMIT 50) AS t LOOP
      EXIT WHEN last <= oldest OR cardinality(hits) = wanted;
      seen := seen + 1;
      IF is_hit AND last IS DISTINCT FROM hits[cardinality(hits)] THEN hits := hits || last; END IF;
    END LOOP;
    IF seen < 50 THEN last := NULL; END IF;
    IF cardinality(hits) > 0 THEN
      SELECT array_agg(n.id), array_agg(n.object_id) INTO found, owners
        FROM (SELECT f.id, f.object_id FROM unnest(found, owners) AS f(id, object_id)
               UNION SELECT unnest(hits), one.object ORDER BY 1 DESC LIMIT wanted) AS n;
      oldest := coalesce(found[wanted], oldest);
    END IF;
    searched := searched || one.object;
    lasts := lasts || last;
  END LOOP;
  FOR one IN SELECT s.*, l.last FROM (
      SELECT s.object, s.audiences, s.unneeded, array_agg(s.needle) AS needles,
             array_agg('%' || regexp_replace(s.needle, '([\\%_])', '\\\1', 'g') || '%') AS patterns
        FROM jsonb_to_recordset(searches) AS s(object uuid, audiences text[], needle text, unneeded text[]) GROUP BY 1, 2, 3) AS s
      JOIN unnest(searched, lasts) AS l(object, last) USING (object)
     WHERE l.last IS NOT NULL AND (l.last <= oldest) IS NOT TRUE ORDER BY s.object = ANY (owners) DESC LOOP
    IF oldest IS NOT NULL THEN
      CONTINUE WHEN one.last <= oldest;
      hits := '{}';
      seen := 0;
      FOR last, is_hit IN
        SELECT t.id, t.audience = ANY (one.audiences) AND t.text LIKE ANY (one.patterns)
          FROM (SELECT s.id, s.audience, s.text FROM record_search s
                 WHERE s.tenant_id = tenant AND s.object_id = one.object AND s.id < first_id ORDER BY s.id DESC, s.audience DESC LIMIT 500) AS t LOOP
        EXIT WHEN last <= oldest OR cardinality(hits) = wanted;
        seen := seen + 1;
        IF is_hit AND last IS DISTINCT FROM hits[cardinality(hits)] THEN hits := hits || last; END IF;
      END LOOP;
      IF seen < 500 THEN last := NULL; END IF;
      IF cardinality(hits) > 0 THEN
        SELECT array_agg(n.id), array_agg(n.object_id) INTO found, owners
          FROM (SELECT f.id, f.object_id FROM unnest(found, owners) AS f(id, object_id)
                 UNION SELECT unnest(hits), one.object ORDER BY 1 DESC LIMIT wanted) AS n;
        oldest := coalesce(found[wanted], oldest);
      END IF;
      CONTINUE WHEN last IS NULL;
    END IF;
    hits := ARRAY(SELECT unnest(s.ids)
                    FROM unnest(one.needles) AS n(needle)
                   CROSS JOIN LATERAL search_records(tenant, one.object, one.audiences, n.needle, true, after_id, wanted, 0) AS s);
    IF cardinality(hits) > 0 THEN
      SELECT array_agg(n.id), array_agg(n.object_id) INTO found, owners
        FROM (SELECT f.id, f.object_id FROM unnest(found, owners) AS f(id, object_id)
               UNION SELECT unnest(hits), one.object ORDER BY 1 DESC LIMIT wanted) AS n;
      oldest := coalesce(found[wanted], oldest);
    END IF;
  END LOOP;
  SELECT jsonb_object_agg(o.id, o.revision) INTO revisions
    FROM custom_object o WHERE o.tenant_id = tenant AND o.state = 'active';
  SELECT string_agg(p.object_id::text, ',') FILTER (WHERE p.fits), string_agg(p.head, ',') FILTER (WHERE p.fits),
         string_agg(p.data, E',\n') FILTER (WHERE p.fits), coalesce(bool_and(p.fits), true)
    INTO objects, heads, data, "isWhole"
    FROM (SELECT t.object_id, t.head, t.data,
                 coalesce(sum(octet_length(t.data)) OVER (ORDER BY t.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) < 16000000 AS fits
            FROM (SELECT r.object_id, r.id, (r.data - coalesce(s.unneeded, '{}'))::text AS data,
                         concat_ws(' ', r.id, r.version,
                                floor(date_part('epoch', r.created_at) * 1000 + 0.5), floor(date_part('epoch', r.updated_at) * 1000 + 0.5)) AS head
                    FROM unnest(found, owners) AS newest(id, object_id)
                    JOIN (
                      SELECT s.object, s.audiences, s.unneeded, array_agg(s.needle) AS needles,
                             array_agg('%' || regexp_replace(s.needle, '([\\%_])', '\\\1', 'g') || '%') AS patterns
                        FROM jsonb_to_recordset(searches) AS s(object uuid, audiences text[], needle text, unneeded text[]) GROUP BY 1, 2, 3) AS s ON s.object = newest.object_id
                    JOIN custom_record r ON r.tenant_id = tenant AND r.object_id = newest.object_id AND r.id = newest.id AND r.deleted_at IS NULL
                  OFFSET 0) AS t) AS p;
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.search_page(tenant uuid, object uuid, audiences text[], needle text, is_indexed boolean, after_id uuid, skipped integer, wanted integer, most integer, measured boolean, unneeded text[], OUT revision integer, OUT heads text, OUT data text, OUT "isWhole" boolean, OUT count integer)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  found uuid[];
BEGIN
  PERFORM set_config('app.tenant_id', tenant::text, true);
  SELECT o.revision INTO revision FROM custom_object o WHERE o.tenant_id = tenant AND o.id = object AND o.state = 'active';
  SELECT s.ids[skipped + 1:], s.counted INTO found, count
    FROM search_records(tenant, object, audiences, needle, is_indexed, after_id, skipped + wanted,
                        CASE WHEN after_id IS NULL THEN most ELSE 0 END) AS s;
  IF after_id IS NOT NULL AND most IS DISTINCT FROM 0 THEN
    SELECT s.counted INTO count FROM search_records(tenant, object, audiences, needle, is_indexed, NULL, 0, most) AS s;
  END IF;
  IF measured THEN
    SELECT string_agg(m.head, ',') FILTER (WHERE m.fits), string_agg(m.data, E',\n') FILTER (WHERE m.fits), coalesce(bool_and(m.fits), true)
      INTO heads, data, "isWhole"
      FROM (SELECT t.head, t.data,
                   coalesce(sum(octet_length(t.data)) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING), 0) < 16000000 AS fits
              FROM (SELECT p.head, p.data::text FROM (
                SELECT r.data - unneeded AS data, concat_ws(' ', r.id, r.version,
                       floor(date_part('epoch', r.created_at) * 1000 + 0.5), floor(date_part('epoch', r.updated_at) * 1000 + 0.5)) AS head
                  FROM custom_record r
                 WHERE r.tenant_id = tenant AND r.object_id = object AND r.deleted_at IS NULL AND r.id = ANY (found)
                 ORDER BY r.id DESC) AS p OFFSET 0) AS t) AS m;
  ELSE
    SELECT string_agg(p.head, ','), string_agg(p.data::text, E',\n'), true INTO heads, data, "isWhole"
      FROM (
        SELECT r.data - unneeded AS data, concat_ws(' ', r.id, r.version,
               floor(date_part('epoch', r.created_at) * 1000 + 0.5), floor(date_part('epoch', r.updated_at) * 1000 + 0.5)) AS head
          FROM custom_record r
         WHERE r.tenant_id = tenant AND r.object_id = object AND r.deleted_at IS NULL AND r.id = ANY (found)
         ORDER BY r.id DESC) AS p
    HAVING coalesce(sum(pg_column_size(p.data)), 0) < 16000000;
  END IF;
END $function$
CALLERS PUBLIC

CREATE OR REPLACE FUNCTION public.search_records(tenant uuid, in_object uuid, in_audiences text[], needle text, is_indexed boolean, after_id uuid, wanted integer, most integer, OUT ids uuid[], OUT counted integer)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_sort TO 'off'
AS $function$
DECLARE
  pattern CONSTANT text := '%' || regexp_replace(needle, '([\\%_])', '\\\1', 'g') || '%';
  first_id CONSTANT uuid := coalesce(after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  needed integer := CASE WHEN most IS NOT NULL THEN greatest(wanted, most) END;
  from_index CONSTANT integer := CASE WHEN most IS NOT NULL THEN greatest(needed, 10001) * cardinality(in_audiences) END;
  look integer := CASE WHEN is_indexed THEN 100 END;
  seen integer;
  found bigint;
BEGIN
  ids := '{}';
  counted := 0;
  IF tenant IS DISTINCT FROM NULLIF(current_setting('app.tenant_id', true), '')::uuid THEN RETURN; END IF;
  LOOP
    -- A record has a text for each audience. Without a limit every text is looked at.
    IF look = 100 THEN
      SELECT coalesce(array_agg(DISTINCT s.id ORDER BY s.id DESC) FILTER (WHERE s.audience = ANY (in_audiences) AND s.text LIKE pattern), '{}'),
             count(*)
        INTO ids, seen FROM (
          SELECT s.id, s.audience, s.text FROM public.record_search AS s
           WHERE s.tenant_id = tenant AND s.object_id = in_object AND s.id < first_id ORDER BY s.id DESC, s.audience DESC LIMIT 100) AS s;
      found := cardinality(ids);
      EXIT WHEN found >= needed OR seen < look;
    ELSE
      ids := ARRAY(SELECT DISTINCT s.id FROM (
        SELECT s.id, s.audience, s.text FROM public.record_search AS s
         WHERE s.tenant_id = tenant AND s.object_id = in_object AND s.id < first_id ORDER BY s.id DESC, s.audience DESC LIMIT look) AS s
       WHERE s.audience = ANY (in_audiences) AND s.text LIKE pattern ORDER BY s.id DESC LIMIT needed);
      found := cardinality(ids);
      EXIT WHEN look IS NULL OR found >= needed OR NOT EXISTS (
        SELECT s.id, s.audience, s.text FROM public.record_search AS s
         WHERE s.tenant_id = tenant AND s.object_id = in_object AND s.id < first_id ORDER BY s.id DESC, s.audience DESC OFFSET look LIMIT 1);
    END IF;
    IF found * 3 >= look OR look = 100 AND found * 30000 >= look * needed THEN
      look := CASE look WHEN 100 THEN 30000 END;
    ELSE
      CASE (pg_catalog.uuid_hash(tenant) & 7)
        WHEN 0 THEN ids := ARRAY(SELECT hit.id FROM (
          SELECT s.id
            FROM unnest(in_audiences) AS readable (audience)
           CROSS JOIN LATERAL (
             SELECT t.id, t.tenant_id, t.object_id, t.audience FROM public.record_search AS t
              WHERE (pg_catalog.uuid_hash(t.tenant_id) & 7) = 0
                AND pg_catalog.uuid_hash_extended(t.tenant_id, pg_catalog.uuid_hash_extended(t.object_id, pg_catalog.hashtextextended(t.audience, 0)))
                    = pg_catalog.uuid_hash_extended(tenant, pg_catalog.uuid_hash_extended(in_object, pg_catalog.hashtextextended(readable.audience, 0)))
                AND t.text LIKE pattern OFFSET 0) AS s
           WHERE s.tenant_id = tenant AND s.object_id = in_object AND s.audience = readable.audience LIMIT from_index) AS hit);
        WHEN 1 THEN ids := ARRAY(SELECT hit.id FROM (
          SELECT s.id
            FROM unnest(in_audiences) AS readable (audience)
           CROSS JOIN LATERAL (
             SELECT t.id, t.tenant_id, t.object_id, t.audience FROM public.record_search AS t
              WHERE (pg_catalog.uuid_hash(t.tenant_id) & 7) = 1
                AND pg_catalog.uuid_hash_extended(t.tenant_id, pg_catalog.uuid_hash_extended(t.object_id, pg_catalog.hashtextextended(t.audience, 0)))
                    = pg_catalog.uuid_hash_extended(tenant, pg_catalog.uuid_hash_extended(in_object, pg_catalog.hashtextextended(readable.audience, 0)))
                AND t.text LIKE pattern OFFSET 0) AS s
           WHERE s.tenant_id = tenant AND s.object_id = in_object AND s.audience = readable.audience LIMIT from_index) AS hit);
        WHEN 2 THEN ids := ARRAY(SELECT hit.id FROM (
          SELECT s.id
            FROM unnest(in_audiences) AS readable (audience)
           CROSS JOIN LATERAL (
             SELECT t.id, t.tenant_id, t.object_id, t.audience FROM public.record_search AS t
              WHERE (pg_catalog.uuid_hash(t.tenant_id) & 7) = 2
                AND pg_catalog.uuid_hash_extended(t.tenant_id, pg_catalog.uuid_hash_extended(t.object_id, pg_catalog.hashtextextended(t.audience, 0)))
                    = pg_catalog.uuid_hash_extended(tenant, pg_catalog.uuid_hash_extended(in_object, pg_catalog.hashtextextended(readable.audience, 0)))
                AND t.text LIKE pattern OFFSET 0) AS s
           WHERE s.tenant_id = tenant AND s.object_id = in_object AND s.audience = readable.audience LIMIT from_index) AS hit);
        WHEN 3 THEN ids := ARRAY(SELECT hit.id FROM (
          SELECT s.id
            FROM unnest(in_audiences) AS readable (audience)
           CROSS JOIN LATERAL (
             SELECT t.id, t.tenant_id, t.object_id, t.audience FROM public.record_search AS t
              WHERE (pg_catalog.uuid_hash(t.tenant_id) & 7) = 3
                AND pg_catalog.uuid_hash_extended(t.tenant_id, pg_catalog.uuid_hash_extended(t.object_id, pg_catalog.hashtextextended(t.audience, 0)))
                    = pg_catalog.uuid_hash_extended(tenant, pg_catalog.uuid_hash_extended(in_object, pg_catalog.hashtextextended(readable.audience, 0)))
                AND t.text LIKE pattern OFFSET 0) AS s
           WHERE s.tenant_id = tenant AND s.object_id = in_object AND s.audience = readable.audience LIMIT from_index) AS hit);
        WHEN 4 THEN ids := ARRAY(SELECT hit.id FROM (
          SELECT s.id
            FROM unnest(in_audiences) AS readable (audience)
           CROSS JOIN LATERAL (
             SELECT t.id, t.tenant_id, t.object_id, t.audience FROM public.record_search AS t
              WHERE (pg_catalog.uuid_hash(t.tenant_id) & 7) = 4
                AND pg_catalog.uuid_hash_extended(t.tenant_id, pg_catalog.uuid_hash_extended(t.object_id, pg_catalog.hashtextextended(t.audience, 0)))
                    = pg_catalog.uuid_hash_extended(tenant, pg_catalog.uuid_hash_extended(in_object, pg_catalog.hashtextextended(readable.audience, 0)))
                AND t.text LIKE pattern OFFSET 0) AS s
           WHERE s.tenant_id = tenant AND s.object_id = in_object AND s.audience = readable.audience LIMIT from_index) AS hit);
        WHEN 5 THEN ids := ARRAY(SELECT hit.id FROM (
          SELECT s.id
            FROM unnest(in_audiences) AS readable (audience)
           CROSS JOIN LATERAL (
             SELECT t.id, t.tenant_id, t.object_id, t.audience FROM public.record_search AS t
              WHERE (pg_catalog.uuid_hash(t.tenant_id) & 7) = 5
                AND pg_catalog.uuid_hash_extended(t.tenant_id, pg_catalog.uuid_hash_extended(t.object_id, pg_catalog.hashtextextended(t.audience, 0)))
                    = pg_catalog.uuid_hash_extended(tenant, pg_catalog.uuid_hash_extended(in_object, pg_catalog.hashtextextended(readable.audience, 0)))
                AND t.text LIKE pattern OFFSET 0) AS s
           WHERE s.tenant_id = tenant AND s.object_id = in_object AND s.audience = readable.audience LIMIT from_index) AS hit);
        WHEN 6 THEN ids := ARRAY(SELECT hit.id FROM (
          SELECT s.id
            FROM unnest(in_audiences) AS readable (audience)
           CROSS JOIN LATERAL (
             SELECT t.id, t.tenant_id, t.object_id, t.audience FROM public.record_search AS t
              WHERE (pg_catalog.uuid_hash(t.tenant_id) & 7) = 6
                AND pg_catalog.uuid_hash_extended(t.tenant_id, pg_catalog.uuid_hash_extended(t.object_id, pg_catalog.hashtextextended(t.audience, 0)))
                    = pg_catalog.uuid_hash_extended(tenant, pg_catalog.uuid_hash_extended(in_object, pg_catalog.hashtextextended(readable.audience, 0)))
                AND t.text LIKE pattern OFFSET 0) AS s
           WHERE s.tenant_id = tenant AND s.object_id = in_object AND s.audience = readable.audience LIMIT from_index) AS hit);
        WHEN 7 THEN ids := ARRAY(SELECT hit.id FROM (
          SELECT s.id
            FROM unnest(in_audiences) AS readable (audience)
           CROSS JOIN LATERAL (
             SELECT t.id, t.tenant_id, t.object_id, t.audience FROM public.record_search AS t
              WHERE (pg_catalog.uuid_hash(t.tenant_id) & 7) = 7
                AND pg_catalog.uuid_hash_extended(t.tenant_id, pg_catalog.uuid_hash_extended(t.object_id, pg_catalog.hashtextextended(t.audience, 0)))
                    = pg_catalog.uuid_hash_extended(tenant, pg_catalog.uuid_hash_extended(in_object, pg_catalog.hashtextextended(readable.audience, 0)))
                AND t.text LIKE pattern OFFSET 0) AS s
           WHERE s.tenant_id = tenant AND s.object_id = in_object AND s.audience = readable.audience LIMIT from_index) AS hit);
      END CASE;
      found := cardinality(ids);
      ids := ARRAY(SELECT DISTINCT m FROM unnest(ids) AS m WHERE m < first_id ORDER BY m DESC);
      EXIT WHEN coalesce(found < from_index, true);
      -- There are more than are counted, and so many that the rest of the page is not far.
      counted := most;
      needed := wanted;
      look := NULL;
    END IF;
  END LOOP;
  IF most IS NULL OR most > counted THEN counted := least(cardinality(ids), most); END IF;
  ids := ids[1:wanted];
END $function$
CALLERS custom_objects_runtime

CREATE OR REPLACE FUNCTION public.sort_in_search_lists()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
  PERFORM gin_clean_pending_list(format('public.record_search_text_%s', n)::regclass) FROM generate_series(0, 7) AS n;
END $function$
CALLERS custom_objects_narrow

CREATE OR REPLACE FUNCTION public.stale_definition()
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'The definition of the object has changed' USING ERRCODE = 'CO001';
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
CALLERS custom_objects_narrow
