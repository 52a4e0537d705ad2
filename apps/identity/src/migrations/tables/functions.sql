-- Functions that read or change in one round trip what several statements would.

-- All that a mint for a known host user has to read, in one round trip. A function, because the tenant is known only when
-- the client has been read, and statements of a function follow each other. The narrow role reads users in the context of
-- the client's tenant; UPDATE, which a row lock asks for, is granted on a column that no policy lets it change. An app that is revoked, or
-- that the workspace of its publisher has uninstalled, mints nothing. A link that can be undone by its mail was made by address; the
-- roles of whoever issued the secret bound it (decision record 0233), and are none of somebody who is not active any more.
-- An address belongs elsewhere when a person has proven it who is in other workspaces only. A user with the address they have
-- always had goes on being minted for when somebody else proves it: the host learns nothing new.
-- What the host says of a user whom it has brought is outdated when one host user alone is that user, and the name differs or
-- the address does and is free in the workspace. Users whom others have added are as these say.
--
-- The row lock is all that it writes most of the time, and a lost lock is no loss: the commit does not wait for the disk.
CREATE FUNCTION read_embed_mint(p_client_id text, p_secret_hash bytea, p_sub text, p_email text, p_name text)
RETURNS TABLE (
  app_key text, tenant_id uuid, secret_hash bytea, previous_secret_hash bytea, allowed_origins text[],
  scopes text[], link_users_by text, issuer_roles text[], user_id uuid, user_email text, user_roles text[],
  user_status text, undone boolean, by_address boolean, belongs_elsewhere boolean, conflicts integer, conflicts_reset_seconds float8,
  address_taken boolean, outdated boolean, ended boolean)
LANGUAGE plpgsql AS $$
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
END $$;
REVOKE EXECUTE ON FUNCTION read_embed_mint FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_embed_mint TO identity_narrow;

-- What `read_embed_mint` reads, for many mints at once (decision record 0194), of those that need nothing else: the current
-- secret, whose last use is recorded already, a known `sub`, and the address and the name that the user has. It answers no others, and it
-- never waits: a user whom somebody is changing is left out as well. So one mint cannot hold up those of others, and because
-- the locks of a batch are taken without waiting, their order cannot lead to a deadlock.
--
-- Runs as the caller: outside the context of a tenant the narrow role sees no user.
CREATE FUNCTION read_known_embed_mints(
  p_client_ids text[], p_secret_hashes bytea[], p_subs text[], p_emails text[], p_names text[])
RETURNS TABLE (
  "position" bigint, app_key text, tenant_id uuid, secret_hash bytea, allowed_origins text[], scopes text[],
  link_users_by text, issuer_roles text[], user_id uuid, user_email text, user_roles text[], user_status text,
  undone boolean, by_address boolean, belongs_elsewhere boolean)
LANGUAGE plpgsql AS $$
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
END $$;
REVOKE EXECUTE ON FUNCTION read_known_embed_mints FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_known_embed_mints TO identity_narrow;

-- What a token call with credentials is decided on, in one round trip. A function, because the tenant is known only when the
-- client has been read. No row for an unknown client, a wrong secret, an installation that has ended, an app that is revoked
-- and a workspace that is closed. A lost note of the last use is no loss: the commit does not wait for the disk.
CREATE FUNCTION read_oauth_client(p_client_id text, p_secret_hash bytea)
RETURNS TABLE (installation_id uuid, tenant_id uuid, app_key text, sandbox boolean, scopes text[], matched_hash bytea)
LANGUAGE plpgsql AS $$
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
END $$;
REVOKE EXECUTE ON FUNCTION read_oauth_client FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_oauth_client TO identity_narrow;

-- The workspaces that the person of a user can enter, of a local account its own, in one round trip. Runs as the narrow role,
-- which sees users and workspaces in their own context only.
CREATE FUNCTION read_person_workspaces(p_tenant_id uuid, p_user_id uuid)
RETURNS TABLE (tenant_id uuid, user_id uuid, joined_at timestamptz, name text, roles text[])
LANGUAGE plpgsql AS $$
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
END $$;
REVOKE EXECUTE ON FUNCTION read_person_workspaces FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_person_workspaces TO identity_narrow;

-- The open sessions of users of several tenants, each read in the context of its own; the context of the caller stays.
CREATE FUNCTION read_person_sessions(p_tenant_ids uuid[], p_user_ids uuid[]) RETURNS SETOF session
LANGUAGE plpgsql AS $$
DECLARE before text := current_setting('app.tenant_id', true);
BEGIN
  FOR i IN 1 .. cardinality(p_tenant_ids) LOOP
    PERFORM set_config('app.tenant_id', p_tenant_ids[i]::text, true);
    RETURN QUERY
      SELECT s.* FROM session s
       WHERE s.tenant_id = p_tenant_ids[i] AND s.user_id = p_user_ids[i] AND s.expires_at > now();
  END LOOP;
  PERFORM set_config('app.tenant_id', before, true);
END $$;
REVOKE EXECUTE ON FUNCTION read_person_sessions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_person_sessions TO identity_runtime;

-- When a user is erased, where they acted from is forgotten; no role of the service can update entries otherwise.
CREATE FUNCTION forget_audit_places(p_user text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE public.audit_entry SET address = NULL, device = NULL
   WHERE tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid
     AND ((actor_kind = 'user' AND actor_id = p_user)
       OR (actor_kind = 'system' AND subject_kind = 'user' AND subject_id = p_user))
     AND (address IS NOT NULL OR device IS NOT NULL)
$$;
REVOKE EXECUTE ON FUNCTION forget_audit_places FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_audit_places TO identity_runtime, identity_narrow;
