-- Records are written by functions of one tenant, their first argument: their texts do not depend on the object, one transaction
-- calls them for several tenants, and what they set and lock lies where the tenant's rows are. A variable is set by an expression, which
-- costs a tenth of the statement that PERFORM is.

-- A write compares the revision and calls it when there is another: its commit is sent without waiting for the answer.
-- The comparison is no part of it: a call of PL/pgSQL costs more than the rest.
CREATE FUNCTION stale_definition() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The definition of the object has changed' USING ERRCODE = 'CO001';
END $$;

-- Sets the tenant and holds its definitions until the transaction ends. Returns null when they are held and the object has the
-- expected revision, 0 for one without a row; `busy` without waiting while definitions are being changed, `stale` for another
-- revision.
CREATE FUNCTION hold_definition(tenant uuid, object uuid, expected integer) RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  in_context CONSTANT text := set_config('app.tenant_id', tenant::text, true);
  current_revision integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock_shared(hashtextextended('custom_object:' || tenant, 0)) THEN RETURN 'busy'; END IF;
  SELECT o.revision INTO current_revision FROM custom_object o WHERE o.tenant_id = tenant AND o.id = object AND o.state = 'active';
  RETURN CASE WHEN coalesce(current_revision, 0) <> expected THEN 'stale' END;
END $body$;

-- Counts what an object of the tenant has more of, for what is written without the functions below: notes, and what is erased. In one
-- of several rows that nobody else holds, so that no write waits for another's commit; what the workspace uses is their sum.
CREATE FUNCTION count_storage(tenant uuid, object uuid, grown_records bigint, grown_bytes bigint) RETURNS void
LANGUAGE plpgsql AS $body$
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
END $body$;

-- Writes new records of one tenant: members of each are id, data, at, by and its slots. `calls` as for claim_calls, null for none:
-- a record whose call has been made before is refused, the others are written. With them their search texts and their events, in this order.
CREATE FUNCTION create_records(
  tenant uuid, object uuid, expected integer, records jsonb, calls jsonb,
  text_ids uuid[], audiences text[], texts text[],
  event_records uuid[], event_ids uuid[], names text[], subjects text[], envelopes json,
  OUT refusal text, OUT refused uuid[])
LANGUAGE plpgsql AS $body$
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
END $body$;

-- Locks those of the records of one tenant that exist and that nobody else has locked: it never waits. The texts are those of READ_RECORDS.
CREATE FUNCTION lock_records(tenant uuid, object uuid, expected integer, ids uuid[], OUT refusal text, OUT heads text, OUT data text)
LANGUAGE plpgsql AS $body$
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
END $body$;

-- Writes locked records of one tenant: members of each are version, data and at, of those whose slots change also these: setting
-- forty slots to what they are would cost a sixth more. `history` has the values before and after of each, null where no value changes.
-- Texts are null for none any more. Joined to ids and not to a function, for which the planner would expect a hundred rows.
CREATE FUNCTION change_records(
  tenant uuid, object uuid, ids uuid[], records jsonb, slot_ids uuid[], slot_records jsonb, history jsonb,
  text_ids uuid[], audiences text[], texts text[],
  event_records uuid[], event_ids uuid[], names text[], subjects text[], envelopes json)
RETURNS void LANGUAGE plpgsql AS $body$
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
END $body$;

-- Registers references to existing records of objects in use and keeps these from being deleted; returns the fields whose record
-- exists. The transaction holds the definitions, so that no object is removed meanwhile. A cluster inserts no rows from arrays.
CREATE FUNCTION claim_references(tenant uuid, object uuid, record uuid, field_keys integer[], objects uuid[], targets uuid[])
RETURNS integer[] LANGUAGE plpgsql AS $body$
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
END $body$;

-- Waits for transactions that claim the same values; returns the fields whose values are claimed.
CREATE FUNCTION claim_unique_values(tenant uuid, object uuid, record uuid, fields uuid[], norm_values text[])
RETURNS uuid[] LANGUAGE plpgsql AS $body$
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
END $body$;
