-- What the migrations of identity make, for readers: nothing runs it. "npm test -- --update apps/identity/test/schema.spec.ts" writes it.

TABLE api_key (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  owner_kind text NOT NULL,
  owner_id uuid NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  secret_hash bytea NOT NULL,
  created_by uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone,
  last_address text,
  CONSTRAINT api_key_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['user'::text, 'service'::text]))),
  CONSTRAINT api_key_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX api_key_expires_at_idx ON public.api_key USING btree (expires_at)
CREATE INDEX api_key_tenant_id_owner_id_idx ON public.api_key USING btree (tenant_id, owner_id)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime

TABLE app_user (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  email text NOT NULL,
  name text NOT NULL,
  roles text[] NOT NULL,
  status text NOT NULL,
  origin text NOT NULL,
  password_hash text,
  initial_password boolean NOT NULL DEFAULT false,
  mfa_enabled boolean NOT NULL DEFAULT false,
  sign_in_epoch integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT app_user_origin_check CHECK ((origin = ANY (ARRAY['registration'::text, 'administrator'::text, 'embed'::text, 'identity_provider'::text]))),
  CONSTRAINT app_user_status_check CHECK ((status = ANY (ARRAY['active'::text, 'invited'::text, 'disabled'::text]))),
  CONSTRAINT app_user_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX app_user_added_roles_idx ON public.app_user USING btree (tenant_id) WHERE (NOT (roles <@ '{owner,admin,member,viewer}'::text[]))
CREATE UNIQUE INDEX app_user_email_key ON public.app_user USING btree (tenant_id, email) WHERE (origin <> 'embed'::text)
CREATE INDEX app_user_host_email_idx ON public.app_user USING btree (tenant_id, email) WHERE (origin = 'embed'::text)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime
GRANT SELECT (email, id, mfa_enabled, name, origin, password_hash, roles, sign_in_epoch, status, tenant_id) TO identity_narrow
GRANT UPDATE (email, initial_password, mfa_enabled, name, password_hash, sign_in_epoch, status, tenant_id) TO identity_narrow

TABLE audit_entry (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  at timestamp with time zone NOT NULL,
  action text NOT NULL,
  outcome text NOT NULL,
  actor_kind text NOT NULL,
  actor_id text,
  subject_kind text,
  subject_id text,
  address text,
  device text,
  request_id text,
  detail jsonb NOT NULL,
  CONSTRAINT audit_entry_action_check CHECK ((action ~ '^[a-z_]+\.[a-z_]+$'::text)),
  CONSTRAINT audit_entry_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['user'::text, 'service_account'::text, 'operator'::text, 'app'::text, 'system'::text]))),
  CONSTRAINT audit_entry_detail_check CHECK ((octet_length((detail)::text) <= 100000)),
  CONSTRAINT audit_entry_outcome_check CHECK ((outcome = ANY (ARRAY['success'::text, 'failure'::text]))),
  CONSTRAINT audit_entry_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX audit_entry_at_idx ON public.audit_entry USING btree (at)
CREATE INDEX audit_entry_tenant_id_action_id_idx ON public.audit_entry USING btree (tenant_id, action, id)
CREATE INDEX audit_entry_tenant_id_actor_id_id_idx ON public.audit_entry USING btree (tenant_id, actor_id, id)
CREATE INDEX audit_entry_tenant_id_subject_id_id_idx ON public.audit_entry USING btree (tenant_id, subject_id, id)
POLICY narrow_delete FOR DELETE TO identity_narrow USING (at < (now() - '30 days'::interval))
POLICY narrow_deletes_old AS RESTRICTIVE FOR DELETE TO identity_narrow USING (at < (now() - '30 days'::interval))
POLICY narrow_select FOR SELECT TO identity_narrow USING (at < (now() - '30 days'::interval))
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT TO identity_narrow
GRANT INSERT, SELECT TO identity_runtime
GRANT SELECT (at, id, tenant_id) TO identity_narrow

TABLE authenticator (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  sealed_secret bytea NOT NULL,
  confirmed_at timestamp with time zone,
  last_step bigint,
  person_proven boolean NOT NULL DEFAULT true,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT authenticator_pkey PRIMARY KEY (tenant_id, user_id)
)
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime
GRANT SELECT (tenant_id, user_id) TO identity_narrow

TABLE code_guess (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  place text NOT NULL,
  tries integer NOT NULL,
  last_at timestamp with time zone NOT NULL,
  next_at timestamp with time zone NOT NULL,
  CONSTRAINT code_guess_place_check CHECK ((place = ANY (ARRAY['sign-in'::text, 'session'::text]))),
  CONSTRAINT code_guess_pkey PRIMARY KEY (tenant_id, user_id, place)
)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime
GRANT SELECT (tenant_id, user_id) TO identity_narrow

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
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY narrow_update FOR UPDATE TO identity_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT, UPDATE TO identity_narrow
GRANT INSERT, SELECT, UPDATE TO identity_runtime

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
POLICY owner_delete FOR DELETE TO identity_owner USING true
POLICY owner_select FOR SELECT TO identity_owner USING true

TABLE email_change (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  old_email text NOT NULL,
  new_email text NOT NULL,
  secret_hash bytea NOT NULL,
  undo_hash bytea,
  expires_at timestamp with time zone NOT NULL,
  confirmed_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT email_change_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX email_change_expires_at_idx ON public.email_change USING btree (expires_at)
CREATE INDEX email_change_tenant_id_user_id_idx ON public.email_change USING btree (tenant_id, user_id)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT, UPDATE TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime

TABLE email_claim (
  user_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  email text NOT NULL,
  password_key bytea,
  secret_hash bytea,
  secret_expires_at timestamp with time zone,
  lost_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT email_claim_pkey PRIMARY KEY (user_id)
)
CREATE INDEX email_claim_created_at_idx ON public.email_claim USING btree (created_at)
CREATE INDEX email_claim_email_created_at_idx ON public.email_claim USING btree (email, created_at)
CREATE INDEX email_claim_email_password_key_idx ON public.email_claim USING btree (email, password_key)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY narrow_update FOR UPDATE TO identity_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow

TABLE embed_client (
  client_id text NOT NULL,
  app_key text NOT NULL,
  tenant_id uuid NOT NULL,
  secret_hash bytea NOT NULL,
  secret_created_at timestamp with time zone NOT NULL DEFAULT now(),
  secret_last_used_at timestamp with time zone,
  previous_secret_hash bytea,
  previous_secret_created_at timestamp with time zone,
  previous_secret_last_used_at timestamp with time zone,
  previous_valid_until timestamp with time zone,
  issued_by uuid NOT NULL,
  previous_issued_by uuid,
  ended_at timestamp with time zone,
  reviewed boolean NOT NULL DEFAULT false,
  allowed_origins text[] NOT NULL,
  development_origins text[] NOT NULL DEFAULT '{}'::text[],
  scopes text[] NOT NULL,
  link_users_by text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT embed_client_link_users_by_check CHECK ((link_users_by = ANY (ARRAY['email'::text, 'explicit'::text]))),
  CONSTRAINT embed_client_pkey PRIMARY KEY (client_id),
  CONSTRAINT embed_client_app_key_key UNIQUE (app_key)
)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY narrow_update FOR UPDATE TO identity_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow

TABLE embed_user (
  tenant_id uuid NOT NULL,
  app_key text NOT NULL,
  sub text NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  linked_at timestamp with time zone NOT NULL DEFAULT now(),
  undo_hash bytea,
  undo_expires_at timestamp with time zone,
  undone_at timestamp with time zone,
  CONSTRAINT embed_user_pkey PRIMARY KEY (tenant_id, app_key, sub)
)
CREATE INDEX embed_user_tenant_id_user_id_idx ON public.embed_user USING btree (tenant_id, user_id)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime

TABLE encryption_key (
  id text NOT NULL,
  check_box bytea NOT NULL,
  registered_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT encryption_key_pkey PRIMARY KEY (id)
)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
GRANT DELETE, INSERT, SELECT TO identity_narrow

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
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow
GRANT INSERT, SELECT, UPDATE TO identity_runtime

TABLE identity_provider (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  issuer text NOT NULL,
  client_id text,
  sealed_secret bytea,
  scopes text[] NOT NULL,
  enabled boolean NOT NULL,
  default_roles text[] NOT NULL,
  requires_verified_email boolean NOT NULL,
  second_factor_values text[] NOT NULL,
  last_failure jsonb,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT identity_provider_pkey PRIMARY KEY (tenant_id, id)
)
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime
GRANT SELECT (tenant_id) TO identity_narrow

TABLE inbox (
  tenant_id uuid NOT NULL,
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  handled_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT inbox_pkey PRIMARY KEY (tenant_id, consumer, event_id)
) PARTITION BY RANGE (event_id)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT TO identity_runtime

TABLE inbox_default (
  tenant_id uuid NOT NULL,
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  handled_at timestamp with time zone NOT NULL DEFAULT now()
) -- PARTITION OF inbox
CREATE INDEX inbox_default_arrival_idx ON public.inbox_default USING btree (handled_at)
POLICY owner_delete FOR DELETE TO identity_owner USING true
POLICY owner_select FOR SELECT TO identity_owner USING true

TABLE invitation (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  secret_hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  accepted_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT invitation_pkey PRIMARY KEY (tenant_id, id)
)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime
GRANT SELECT (tenant_id, user_id) TO identity_narrow

TABLE local_account (
  user_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  email text NOT NULL,
  password_key bytea,
  declined_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT local_account_pkey PRIMARY KEY (user_id)
)
CREATE INDEX local_account_email_password_key_idx ON public.local_account USING btree (email, password_key)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY narrow_update FOR UPDATE TO identity_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow

TABLE mail (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  recipient text NOT NULL,
  subject text NOT NULL,
  body text,
  sealed_body bytea,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamp with time zone NOT NULL DEFAULT now(),
  last_error text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT mail_one_body CHECK ((num_nonnulls(body, sealed_body) = 1)),
  CONSTRAINT mail_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX mail_next_attempt_at_idx ON public.mail USING btree (next_attempt_at)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY narrow_update FOR UPDATE TO identity_narrow USING true WITH CHECK true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime

TABLE mail_domain (
  tenant_id uuid NOT NULL,
  domain text NOT NULL,
  token text NOT NULL,
  verified_at timestamp with time zone,
  missing_since timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT mail_domain_pkey PRIMARY KEY (tenant_id, domain)
)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime
GRANT UPDATE (missing_since, verified_at) TO identity_narrow

TABLE membership (
  person_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT membership_pkey PRIMARY KEY (person_id, tenant_id),
  CONSTRAINT membership_user_id_key UNIQUE (user_id)
)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY narrow_update FOR UPDATE TO identity_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow

TABLE mfa_challenge (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  method text NOT NULL DEFAULT 'mail'::text,
  purpose text NOT NULL DEFAULT 'sign-in'::text,
  code_mac bytea,
  secret_hash bytea,
  attempts integer NOT NULL DEFAULT 0,
  sign_in_epoch integer NOT NULL DEFAULT 0,
  authenticated_at timestamp with time zone,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT mfa_challenge_method_check CHECK ((method = ANY (ARRAY['mail'::text, 'authenticator'::text, 'enrolment'::text, 'passkey'::text]))),
  CONSTRAINT mfa_challenge_purpose_check CHECK ((purpose = ANY (ARRAY['sign-in'::text, 'single-sign-on'::text, 'switch'::text, 'reauthentication'::text]))),
  CONSTRAINT mfa_challenge_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX mfa_challenge_tenant_id_user_id_idx ON public.mfa_challenge USING btree (tenant_id, user_id)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime
GRANT SELECT (tenant_id, user_id) TO identity_narrow

TABLE oauth_app (
  app_key text NOT NULL,
  redirect_uris text[] NOT NULL DEFAULT '{}'::text[],
  status text NOT NULL DEFAULT 'active'::text,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT oauth_app_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'revoked'::text]))),
  CONSTRAINT oauth_app_pkey PRIMARY KEY (app_key)
)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY narrow_update FOR UPDATE TO identity_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow

TABLE oauth_code (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  code_hash bytea NOT NULL,
  installation_id uuid NOT NULL,
  app_key text NOT NULL,
  app_name text NOT NULL,
  publisher text NOT NULL,
  user_id uuid NOT NULL,
  redirect_uri text NOT NULL,
  scopes text[] NOT NULL,
  code_challenge text NOT NULL,
  valid_until timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT oauth_code_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES app_user(tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT oauth_code_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX oauth_code_expires_at_idx ON public.oauth_code USING btree (expires_at)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime

TABLE oauth_grant (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  installation_id uuid NOT NULL,
  app_key text NOT NULL,
  app_name text NOT NULL,
  publisher text NOT NULL,
  user_id uuid NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  CONSTRAINT oauth_grant_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES app_user(tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT oauth_grant_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX oauth_grant_expires_at_idx ON public.oauth_grant USING btree (expires_at)
CREATE INDEX oauth_grant_tenant_id_installation_id_idx ON public.oauth_grant USING btree (tenant_id, installation_id)
CREATE INDEX oauth_grant_tenant_id_user_id_id_idx ON public.oauth_grant USING btree (tenant_id, user_id, id)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime

TABLE oauth_installation (
  installation_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  client_id text NOT NULL,
  app_key text NOT NULL,
  app_name text NOT NULL,
  publisher text NOT NULL,
  sandbox boolean NOT NULL,
  scopes text[] NOT NULL,
  required_scopes text[] NOT NULL DEFAULT '{}'::text[],
  redirect_uris text[] NOT NULL,
  secret_hash bytea,
  secret_created_at timestamp with time zone,
  secret_last_used_at timestamp with time zone,
  previous_secret_hash bytea,
  previous_secret_created_at timestamp with time zone,
  previous_secret_last_used_at timestamp with time zone,
  previous_valid_until timestamp with time zone,
  ended_at timestamp with time zone,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT oauth_installation_pkey PRIMARY KEY (installation_id),
  CONSTRAINT oauth_installation_client_id_key UNIQUE (client_id)
)
CREATE INDEX oauth_installation_app_key_tenant_id_idx ON public.oauth_installation USING btree (app_key, tenant_id)
CREATE INDEX oauth_installation_ended_at_idx ON public.oauth_installation USING btree (ended_at) WHERE (ended_at IS NOT NULL)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY narrow_update FOR UPDATE TO identity_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow

TABLE oauth_refresh_token (
  tenant_id uuid NOT NULL,
  grant_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  rotated_at timestamp with time zone,
  sealed_successor bytea,
  CONSTRAINT oauth_refresh_token_grant_id_fkey FOREIGN KEY (tenant_id, grant_id) REFERENCES oauth_grant(tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT oauth_refresh_token_pkey PRIMARY KEY (tenant_id, grant_id, token_hash)
)
CREATE INDEX oauth_refresh_token_expires_at_idx ON public.oauth_refresh_token USING btree (expires_at)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime

TABLE oauth_request (
  request_hash bytea NOT NULL,
  app_key text NOT NULL,
  installation_id uuid,
  redirect_uri text NOT NULL,
  scopes text[],
  state text,
  code_challenge text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT oauth_request_pkey PRIMARY KEY (request_hash)
)
CREATE INDEX oauth_request_expires_at_idx ON public.oauth_request USING btree (expires_at)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY narrow_update FOR UPDATE TO identity_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow

TABLE operator (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  email text NOT NULL,
  name text NOT NULL,
  password_hash text NOT NULL,
  initial_password_until timestamp with time zone,
  role text NOT NULL,
  status text NOT NULL DEFAULT 'active'::text,
  linked_tenant_id uuid,
  sign_in_epoch integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT operator_role_check CHECK ((role = ANY (ARRAY['administrator'::text, 'reviewer'::text]))),
  CONSTRAINT operator_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text]))),
  CONSTRAINT operator_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT operator_email_key UNIQUE (tenant_id, email)
)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime

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
POLICY runtime_insert FOR INSERT TO identity_runtime WITH CHECK true
POLICY runtime_select FOR SELECT TO identity_runtime USING ((NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid = '00000000-0000-7000-8000-000000000001'::uuid)
GRANT INSERT, SELECT TO identity_runtime

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
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT TO identity_narrow
GRANT INSERT TO identity_runtime

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
POLICY owner_delete FOR DELETE TO identity_owner USING true
POLICY owner_select FOR SELECT TO identity_owner USING true

TABLE outbox_position (
  since timestamp with time zone NOT NULL,
  published int8multirange NOT NULL,
  stream_seq bigint,
  stream_subject text,
  CONSTRAINT outbox_position_pkey PRIMARY KEY (since)
)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY narrow_update FOR UPDATE TO identity_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow

TABLE passkey (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  credential_id bytea NOT NULL,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  backed_up boolean NOT NULL,
  transports text[] NOT NULL,
  name text NOT NULL,
  person_proven boolean NOT NULL DEFAULT false,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp with time zone,
  CONSTRAINT passkey_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT passkey_credential_id_key UNIQUE (tenant_id, credential_id)
)
CREATE INDEX passkey_tenant_id_user_id_idx ON public.passkey USING btree (tenant_id, user_id)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime
GRANT SELECT (tenant_id, user_id) TO identity_narrow

TABLE password_reset (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  secret_hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT password_reset_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX password_reset_expires_at_idx ON public.password_reset USING btree (expires_at)
CREATE INDEX password_reset_tenant_id_user_id_idx ON public.password_reset USING btree (tenant_id, user_id)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime

TABLE pending_cutoff (
  tenant_id uuid NOT NULL,
  kind text NOT NULL,
  id text NOT NULL,
  cutoff_ms bigint NOT NULL,
  CONSTRAINT pending_cutoff_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'session'::text, 'grant'::text, 'app'::text, 'tenant'::text, 'installation'::text, 'embedding'::text, 'suspension'::text, 'reinstatement'::text, 'revoked_app'::text]))),
  CONSTRAINT pending_cutoff_pkey PRIMARY KEY (tenant_id, kind, id)
)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime

TABLE person (
  id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  left_tenants uuid[] NOT NULL DEFAULT '{}'::uuid[],
  CONSTRAINT person_pkey PRIMARY KEY (id)
)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY narrow_update FOR UPDATE TO identity_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow

TABLE provider_link (
  tenant_id uuid NOT NULL,
  issuer text NOT NULL,
  sub text NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT provider_link_pkey PRIMARY KEY (tenant_id, issuer, sub)
)
CREATE INDEX provider_link_tenant_id_user_id_idx ON public.provider_link USING btree (tenant_id, user_id)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime

TABLE provider_link_request (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  provider_id uuid NOT NULL,
  issuer text NOT NULL,
  sub text NOT NULL,
  email text NOT NULL,
  name text,
  user_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  told_at timestamp with time zone,
  denied_at timestamp with time zone,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT provider_link_request_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT provider_link_request_issuer_sub_key UNIQUE (tenant_id, issuer, sub)
)
CREATE INDEX provider_link_request_expires_at_idx ON public.provider_link_request USING btree (expires_at)
CREATE INDEX provider_link_request_tenant_id_user_id_idx ON public.provider_link_request USING btree (tenant_id, user_id)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime

TABLE provider_sign_in (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  provider_id uuid NOT NULL,
  state_hash bytea NOT NULL,
  browser_hash bytea NOT NULL,
  nonce text NOT NULL,
  sealed_verifier bytea NOT NULL,
  returned_at timestamp with time zone,
  code_hash bytea,
  user_id uuid,
  has_second_factor boolean NOT NULL DEFAULT false,
  fresh boolean NOT NULL DEFAULT false,
  session_id uuid,
  sign_in_epoch integer NOT NULL DEFAULT 0,
  authenticated_at timestamp with time zone,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT provider_sign_in_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX provider_sign_in_expires_at_idx ON public.provider_sign_in USING btree (expires_at)
CREATE INDEX provider_sign_in_tenant_id_user_id_idx ON public.provider_sign_in USING btree (tenant_id, user_id) WHERE (user_id IS NOT NULL)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime

TABLE quota_use (
  tenant_id uuid NOT NULL,
  name text NOT NULL,
  used integer NOT NULL,
  resets_at timestamp with time zone NOT NULL,
  CONSTRAINT quota_use_pkey PRIMARY KEY (tenant_id, name)
)
CREATE INDEX quota_use_resets_at_idx ON public.quota_use USING btree (resets_at) WHERE starts_with(name, 'embed-conflict:'::text)
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT, UPDATE TO identity_narrow
GRANT INSERT, SELECT, UPDATE TO identity_runtime

TABLE recovery_code (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT recovery_code_pkey PRIMARY KEY (tenant_id, user_id, code_hash)
)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime
GRANT SELECT (tenant_id, user_id) TO identity_narrow

TABLE refresh_token (
  token_hash bytea NOT NULL,
  session_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  rotated_at timestamp with time zone,
  sealed_successor bytea,
  of_page boolean NOT NULL DEFAULT false,
  CONSTRAINT refresh_token_pkey PRIMARY KEY (token_hash)
)
CREATE INDEX refresh_token_expires_at_idx ON public.refresh_token USING btree (expires_at)
CREATE INDEX refresh_token_sealed_idx ON public.refresh_token USING btree (session_id) WHERE (sealed_successor IS NOT NULL)
CREATE INDEX refresh_token_session_id_idx ON public.refresh_token USING btree (session_id)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY narrow_update FOR UPDATE TO identity_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow

TABLE revocation_cutoff (
  kind text NOT NULL,
  id text NOT NULL,
  cutoff_ms bigint NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  published boolean NOT NULL DEFAULT false,
  CONSTRAINT revocation_cutoff_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'session'::text, 'grant'::text, 'app'::text, 'tenant'::text, 'installation'::text, 'embedding'::text, 'suspension'::text, 'reinstatement'::text, 'revoked_app'::text, 'signing_key'::text]))),
  CONSTRAINT revocation_cutoff_pkey PRIMARY KEY (kind, id)
)
CREATE INDEX revocation_cutoff_cutoff_ms_idx ON public.revocation_cutoff USING btree (cutoff_ms) WHERE (NOT published)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY narrow_update FOR UPDATE TO identity_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow

TABLE service_account (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  roles text[] NOT NULL,
  scopes text[] NOT NULL,
  status text NOT NULL DEFAULT 'active'::text,
  created_by uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT service_account_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text]))),
  CONSTRAINT service_account_pkey PRIMARY KEY (tenant_id, id)
)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime

TABLE session (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  address text,
  last_address text,
  user_agent text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL DEFAULT (now() + '90 days'::interval),
  proven_at timestamp with time zone,
  person_proven boolean NOT NULL DEFAULT false,
  CONSTRAINT session_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX session_tenant_id_user_id_idx ON public.session USING btree (tenant_id, user_id)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime
GRANT SELECT (id, tenant_id, user_id) TO identity_narrow

TABLE sign_in_email (
  email text NOT NULL,
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  person_id uuid NOT NULL,
  proven_at timestamp with time zone NOT NULL,
  reserved_until timestamp with time zone,
  CONSTRAINT sign_in_email_pkey PRIMARY KEY (email)
)
CREATE INDEX sign_in_email_person_id_idx ON public.sign_in_email USING btree (person_id)
CREATE INDEX sign_in_email_reserved_until_idx ON public.sign_in_email USING btree (reserved_until) WHERE (reserved_until IS NOT NULL)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY narrow_update FOR UPDATE TO identity_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow

TABLE sign_in_policy (
  tenant_id uuid NOT NULL,
  second_factor text NOT NULL,
  single_sign_on text NOT NULL DEFAULT 'optional'::text,
  local_passwords text,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT sign_in_policy_local_passwords_check CHECK ((local_passwords = ANY (ARRAY['allowed'::text, 'refused'::text]))),
  CONSTRAINT sign_in_policy_second_factor_check CHECK ((second_factor = ANY (ARRAY['optional'::text, 'required'::text]))),
  CONSTRAINT sign_in_policy_single_sign_on_check CHECK ((single_sign_on = ANY (ARRAY['optional'::text, 'required'::text]))),
  CONSTRAINT sign_in_policy_pkey PRIMARY KEY (tenant_id)
)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime
GRANT SELECT (second_factor, single_sign_on, tenant_id) TO identity_narrow

TABLE signing_key (
  kid text NOT NULL,
  issuer_group text NOT NULL,
  public_jwk jsonb NOT NULL,
  sealed_private_jwk bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  signs_from timestamp with time zone NOT NULL,
  retires_at timestamp with time zone,
  CONSTRAINT signing_key_issuer_group_check CHECK ((issuer_group = ANY (ARRAY['api'::text, 'admin'::text]))),
  CONSTRAINT signing_key_pkey PRIMARY KEY (kid)
)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY narrow_update FOR UPDATE TO identity_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow

TABLE spent_passkey_challenge (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT spent_passkey_challenge_pkey PRIMARY KEY (tenant_id, id)
)
CREATE INDEX spent_passkey_challenge_expires_at_idx ON public.spent_passkey_challenge USING btree (expires_at)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, SELECT TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime

TABLE tenant (
  tenant_id uuid NOT NULL,
  name text NOT NULL,
  plan text NOT NULL,
  time_zone text NOT NULL,
  country text,
  currency text NOT NULL DEFAULT 'EUR'::text,
  language text NOT NULL DEFAULT 'en'::text,
  limits jsonb,
  storage_told_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  verified_at timestamp with time zone,
  closed_at timestamp with time zone,
  CONSTRAINT tenant_language_check CHECK ((language = ANY (ARRAY['en'::text, 'de'::text]))),
  CONSTRAINT tenant_plan_check CHECK ((plan = ANY (ARRAY['developer'::text, 'business'::text, 'enterprise'::text]))),
  CONSTRAINT tenant_pkey PRIMARY KEY (tenant_id)
)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT INSERT, SELECT TO identity_narrow
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime
GRANT UPDATE (verified_at) TO identity_narrow

TABLE tenant_suspension (
  tenant_id uuid NOT NULL,
  name text NOT NULL,
  reason text NOT NULL,
  suspended_at timestamp with time zone NOT NULL,
  reinstated_at timestamp with time zone,
  CONSTRAINT tenant_suspension_pkey PRIMARY KEY (tenant_id)
)
CREATE INDEX tenant_suspension_suspended_at_tenant_id_idx ON public.tenant_suspension USING btree (suspended_at, tenant_id) WHERE (reinstated_at IS NULL)
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT SELECT TO identity_narrow
GRANT INSERT, SELECT, UPDATE TO identity_runtime

TABLE verified_domain (
  domain text NOT NULL,
  tenant_id uuid NOT NULL,
  next_check_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT verified_domain_pkey PRIMARY KEY (domain)
)
CREATE INDEX verified_domain_next_check_at_idx ON public.verified_domain USING btree (next_check_at)
CREATE INDEX verified_domain_tenant_id_idx ON public.verified_domain USING btree (tenant_id)
POLICY narrow_delete FOR DELETE TO identity_narrow USING true
POLICY narrow_insert FOR INSERT TO identity_narrow WITH CHECK true
POLICY narrow_select FOR SELECT TO identity_narrow USING true
POLICY narrow_update FOR UPDATE TO identity_narrow USING true WITH CHECK true
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_narrow

TABLE workspace_role (
  tenant_id uuid NOT NULL,
  name text NOT NULL,
  label text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT workspace_role_pkey PRIMARY KEY (tenant_id, name)
)
POLICY tenant_isolation FOR ALL TO PUBLIC USING (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid) WITH CHECK (tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)
GRANT DELETE, INSERT, SELECT, UPDATE TO identity_runtime
GRANT SELECT (name, tenant_id) TO identity_narrow
GRANT UPDATE (tenant_id) TO identity_narrow

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
CALLERS identity_narrow

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
CALLERS identity_narrow

CREATE OR REPLACE FUNCTION public.forget_audit_places(p_user text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  UPDATE public.audit_entry SET address = NULL, device = NULL
   WHERE tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid
     AND ((actor_kind = 'user' AND actor_id = p_user)
       OR (actor_kind = 'system' AND subject_kind = 'user' AND subject_id = p_user))
     AND (address IS NOT NULL OR device IS NOT NULL)
$function$
CALLERS identity_narrow, identity_runtime

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
CALLERS identity_narrow

CREATE OR REPLACE FUNCTION public.read_embed_mint(p_client_id text, p_secret_hash bytea, p_sub text, p_email text, p_name text)
 RETURNS TABLE(app_key text, tenant_id uuid, secret_hash bytea, previous_secret_hash bytea, allowed_origins text[], scopes text[], link_users_by text, issuer_roles text[], user_id uuid, user_email text, user_roles text[], user_status text, undone boolean, by_address boolean, belongs_elsewhere boolean, conflicts integer, conflicts_reset_seconds double precision, address_taken boolean, outdated boolean, ended boolean)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  c embed_client%ROWTYPE;
  is_current boolean;
  is_previous boolean;
  is_brought boolean;
  present_name text;
BEGIN
  SELECT * INTO c FROM embed_client WHERE client_id = p_client_id;
  IF NOT FOUND THEN RETURN; END IF;
  is_current := c.secret_hash = p_secret_hash;
  is_previous := c.previous_secret_hash = p_secret_hash AND c.previous_valid_until > now();
  IF NOT is_current AND is_previous IS NOT TRUE THEN RETURN; END IF;
  app_key := c.app_key; tenant_id := c.tenant_id; secret_hash := c.secret_hash;
  previous_secret_hash := CASE WHEN is_previous THEN c.previous_secret_hash END;
  ended := c.ended_at IS NOT NULL
    OR EXISTS (SELECT 1 FROM oauth_app a WHERE a.app_key = c.app_key AND a.status = 'revoked');
  IF ended THEN RETURN NEXT; RETURN; END IF;
  allowed_origins := c.allowed_origins || c.development_origins; scopes := c.scopes;
  link_users_by := c.link_users_by;
  PERFORM set_config('app.tenant_id', c.tenant_id::text, true), set_config('synchronous_commit', 'off', true);
  IF is_current AND (c.secret_last_used_at < now() - interval '5 minutes') IS NOT FALSE THEN
    UPDATE embed_client SET secret_last_used_at = now()
     WHERE client_id = p_client_id AND (secret_last_used_at < now() - interval '5 minutes') IS NOT FALSE;
  ELSIF NOT is_current AND (c.previous_secret_last_used_at < now() - interval '5 minutes') IS NOT FALSE THEN
    UPDATE embed_client SET previous_secret_last_used_at = now()
     WHERE client_id = p_client_id AND (previous_secret_last_used_at < now() - interval '5 minutes') IS NOT FALSE;
  END IF;
  SELECT i.roles INTO issuer_roles FROM app_user i
   WHERE i.tenant_id = c.tenant_id AND i.id = CASE WHEN is_current THEN c.issued_by ELSE c.previous_issued_by END
     AND i.status = 'active';
  SELECT m.user_id, m.undone_at IS NOT NULL, m.undo_hash IS NOT NULL INTO user_id, undone, by_address FROM embed_user m
   WHERE m.tenant_id = c.tenant_id AND m.app_key = c.app_key AND m.sub = p_sub;
  IF FOUND THEN
    SELECT u.email, u.roles, u.status, u.origin = 'embed', u.name
      INTO user_email, user_roles, user_status, is_brought, present_name FROM app_user u
     WHERE u.tenant_id = c.tenant_id AND u.id = user_id FOR SHARE;
    outdated := is_brought AND present_name <> p_name;
    IF user_email IS DISTINCT FROM p_email THEN
      address_taken := is_brought AND (
        EXISTS (SELECT 1 FROM app_user o WHERE o.tenant_id = c.tenant_id AND o.email = p_email AND o.origin <> 'embed')
        OR EXISTS (SELECT 1 FROM app_user o WHERE o.tenant_id = c.tenant_id AND o.email = p_email AND o.origin = 'embed'));
      outdated := outdated OR (is_brought AND p_name IS NOT NULL AND NOT address_taken);
      belongs_elsewhere := EXISTS (
        SELECT 1 FROM sign_in_email s LEFT JOIN membership h ON h.person_id = s.person_id AND h.tenant_id = c.tenant_id
         WHERE s.email = p_email AND h.user_id IS NULL);
      SELECT q.used, extract(epoch FROM q.resets_at - now())::float8 INTO conflicts, conflicts_reset_seconds
        FROM quota_use q
       WHERE q.tenant_id = c.tenant_id AND q.name = 'embed-conflict:' || c.app_key AND q.resets_at > now();
    END IF;
    IF outdated THEN
      outdated := NOT EXISTS (
        SELECT 1 FROM embed_user m WHERE m.tenant_id = c.tenant_id AND m.user_id = read_embed_mint.user_id
           AND (m.app_key, m.sub) <> (c.app_key, p_sub));
    END IF;
  END IF;
  RETURN NEXT;
END $function$
CALLERS identity_narrow

CREATE OR REPLACE FUNCTION public.read_known_embed_mints(p_client_ids text[], p_secret_hashes bytea[], p_subs text[], p_emails text[], p_names text[])
 RETURNS TABLE("position" bigint, app_key text, tenant_id uuid, secret_hash bytea, allowed_origins text[], scopes text[], link_users_by text, issuer_roles text[], user_id uuid, user_email text, user_roles text[], user_status text, undone boolean, by_address boolean, belongs_elsewhere boolean)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  c record;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  FOR c IN
    SELECT e.*, p.positions
      FROM (SELECT client_id, secret_hash, array_agg(ordinality) AS positions
              FROM unnest(p_client_ids, p_secret_hashes) WITH ORDINALITY AS given (client_id, secret_hash)
             GROUP BY client_id, secret_hash) p
      JOIN embed_client e ON e.client_id = p.client_id AND e.secret_hash = p.secret_hash
     WHERE e.secret_last_used_at >= now() - interval '5 minutes' AND e.ended_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM oauth_app a WHERE a.app_key = e.app_key AND a.status = 'revoked')
  LOOP
    PERFORM set_config('app.tenant_id', c.tenant_id::text, true);
    RETURN QUERY
      SELECT p.at, c.app_key, c.tenant_id, c.secret_hash, c.allowed_origins || c.development_origins, c.scopes,
             c.link_users_by,
             CASE WHEN m.undo_hash IS NOT NULL THEN
               (SELECT i.roles FROM app_user i
                 WHERE i.tenant_id = c.tenant_id AND i.id = c.issued_by AND i.status = 'active') END,
             u.id, u.email, u.roles, u.status, m.undone_at IS NOT NULL, m.undo_hash IS NOT NULL, false
        FROM unnest(c.positions) AS p (at)
        JOIN embed_user m
          ON m.tenant_id = c.tenant_id AND m.app_key = c.app_key AND m.sub = p_subs[p.at]
        JOIN app_user u ON u.tenant_id = c.tenant_id AND u.id = m.user_id AND u.email = p_emails[p.at]
         AND (u.origin <> 'embed' OR u.name = p_names[p.at])
         FOR SHARE OF u SKIP LOCKED;
  END LOOP;
END $function$
CALLERS identity_narrow

CREATE OR REPLACE FUNCTION public.read_oauth_client(p_client_id text, p_secret_hash bytea)
 RETURNS TABLE(installation_id uuid, tenant_id uuid, app_key text, sandbox boolean, scopes text[], matched_hash bytea)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  c oauth_installation%ROWTYPE;
  is_current boolean;
  is_previous boolean;
BEGIN
  SELECT * INTO c FROM oauth_installation WHERE client_id = p_client_id AND ended_at IS NULL;
  IF NOT FOUND THEN RETURN; END IF;
  is_current := c.secret_hash = p_secret_hash;
  is_previous := c.previous_secret_hash = p_secret_hash AND c.previous_valid_until > now();
  IF is_current IS NOT TRUE AND is_previous IS NOT TRUE THEN RETURN; END IF;
  IF EXISTS (SELECT 1 FROM oauth_app a WHERE a.app_key = c.app_key AND a.status = 'revoked') THEN RETURN; END IF;
  PERFORM set_config('app.tenant_id', c.tenant_id::text, true), set_config('synchronous_commit', 'off', true);
  IF NOT EXISTS (SELECT 1 FROM tenant t WHERE t.tenant_id = c.tenant_id AND t.closed_at IS NULL) THEN RETURN; END IF;
  IF is_current AND (c.secret_last_used_at < now() - interval '5 minutes') IS NOT FALSE THEN
    UPDATE oauth_installation SET secret_last_used_at = now()
     WHERE client_id = p_client_id AND (secret_last_used_at < now() - interval '5 minutes') IS NOT FALSE;
  ELSIF is_current IS NOT TRUE AND (c.previous_secret_last_used_at < now() - interval '5 minutes') IS NOT FALSE THEN
    UPDATE oauth_installation SET previous_secret_last_used_at = now()
     WHERE client_id = p_client_id AND (previous_secret_last_used_at < now() - interval '5 minutes') IS NOT FALSE;
  END IF;
  installation_id := c.installation_id; tenant_id := c.tenant_id; app_key := c.app_key;
  sandbox := c.sandbox; scopes := c.scopes;
  matched_hash := CASE WHEN is_current THEN c.secret_hash ELSE c.previous_secret_hash END;
  RETURN NEXT;
END $function$
CALLERS identity_narrow

CREATE OR REPLACE FUNCTION public.read_person_sessions(p_tenant_ids uuid[], p_user_ids uuid[])
 RETURNS SETOF session
 LANGUAGE plpgsql
AS $function$
DECLARE before text := current_setting('app.tenant_id', true);
BEGIN
  FOR i IN 1 .. cardinality(p_tenant_ids) LOOP
    PERFORM set_config('app.tenant_id', p_tenant_ids[i]::text, true);
    RETURN QUERY
      SELECT s.* FROM session s
       WHERE s.tenant_id = p_tenant_ids[i] AND s.user_id = p_user_ids[i] AND s.expires_at > now();
  END LOOP;
  PERFORM set_config('app.tenant_id', before, true);
END $function$
CALLERS identity_runtime

CREATE OR REPLACE FUNCTION public.read_person_workspaces(p_tenant_id uuid, p_user_id uuid)
 RETURNS TABLE(tenant_id uuid, user_id uuid, joined_at timestamp with time zone, name text, roles text[])
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE u record;
BEGIN
  FOR u IN
    SELECT m.tenant_id, m.user_id, m.created_at
      FROM membership own JOIN membership m ON m.person_id = own.person_id WHERE own.user_id = p_user_id
    UNION ALL
    SELECT p_tenant_id, p_user_id, NULL WHERE NOT EXISTS (SELECT 1 FROM membership own WHERE own.user_id = p_user_id)
  LOOP
    PERFORM set_config('app.tenant_id', u.tenant_id::text, true);
    RETURN QUERY
      SELECT u.tenant_id, u.user_id, u.created_at, t.name, a.roles
        FROM app_user a JOIN tenant t ON t.tenant_id = a.tenant_id
       WHERE a.tenant_id = u.tenant_id AND a.id = u.user_id AND a.status = 'active' AND t.closed_at IS NULL;
  END LOOP;
END $function$
CALLERS identity_narrow

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
CALLERS identity_narrow
