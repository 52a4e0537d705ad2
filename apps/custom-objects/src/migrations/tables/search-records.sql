-- Trigrams of each text, in eight indexes, each of which has those of some tenants and a list of their new entries: in one list searches
-- would read what others write. A sweeper sorts in what waits; the limit of 64 MB is for the case that nobody does.
-- The key that is common to the texts of one audience of one object is a hash, because the index has one column that
-- separates tenants and objects: another would cost an entry more for each text. A collision does not matter, because the function
-- compares tenant and object too.
CREATE INDEX record_search_text_0 ON record_search
  USING gin ((pg_catalog.uuid_hash_extended(tenant_id, pg_catalog.uuid_hash_extended(object_id, pg_catalog.hashtextextended(audience, 0)))), text gin_trgm_ops)
  WITH (gin_pending_list_limit = 65536) WHERE (pg_catalog.uuid_hash(tenant_id) & 7) = 0;
CREATE INDEX record_search_text_1 ON record_search
  USING gin ((pg_catalog.uuid_hash_extended(tenant_id, pg_catalog.uuid_hash_extended(object_id, pg_catalog.hashtextextended(audience, 0)))), text gin_trgm_ops)
  WITH (gin_pending_list_limit = 65536) WHERE (pg_catalog.uuid_hash(tenant_id) & 7) = 1;
CREATE INDEX record_search_text_2 ON record_search
  USING gin ((pg_catalog.uuid_hash_extended(tenant_id, pg_catalog.uuid_hash_extended(object_id, pg_catalog.hashtextextended(audience, 0)))), text gin_trgm_ops)
  WITH (gin_pending_list_limit = 65536) WHERE (pg_catalog.uuid_hash(tenant_id) & 7) = 2;
CREATE INDEX record_search_text_3 ON record_search
  USING gin ((pg_catalog.uuid_hash_extended(tenant_id, pg_catalog.uuid_hash_extended(object_id, pg_catalog.hashtextextended(audience, 0)))), text gin_trgm_ops)
  WITH (gin_pending_list_limit = 65536) WHERE (pg_catalog.uuid_hash(tenant_id) & 7) = 3;
CREATE INDEX record_search_text_4 ON record_search
  USING gin ((pg_catalog.uuid_hash_extended(tenant_id, pg_catalog.uuid_hash_extended(object_id, pg_catalog.hashtextextended(audience, 0)))), text gin_trgm_ops)
  WITH (gin_pending_list_limit = 65536) WHERE (pg_catalog.uuid_hash(tenant_id) & 7) = 4;
CREATE INDEX record_search_text_5 ON record_search
  USING gin ((pg_catalog.uuid_hash_extended(tenant_id, pg_catalog.uuid_hash_extended(object_id, pg_catalog.hashtextextended(audience, 0)))), text gin_trgm_ops)
  WITH (gin_pending_list_limit = 65536) WHERE (pg_catalog.uuid_hash(tenant_id) & 7) = 5;
CREATE INDEX record_search_text_6 ON record_search
  USING gin ((pg_catalog.uuid_hash_extended(tenant_id, pg_catalog.uuid_hash_extended(object_id, pg_catalog.hashtextextended(audience, 0)))), text gin_trgm_ops)
  WITH (gin_pending_list_limit = 65536) WHERE (pg_catalog.uuid_hash(tenant_id) & 7) = 6;
CREATE INDEX record_search_text_7 ON record_search
  USING gin ((pg_catalog.uuid_hash_extended(tenant_id, pg_catalog.uuid_hash_extended(object_id, pg_catalog.hashtextextended(audience, 0)))), text gin_trgm_ops)
  WITH (gin_pending_list_limit = 65536) WHERE (pg_catalog.uuid_hash(tenant_id) & 7) = 7;

-- Finds records by a text that occurs in one of their search texts, newest first, within the tenant in context. It runs as
-- the owner, whom a policy lets read all search texts: LIKE is not leakproof, so row-level security of the caller would be
-- checked for each row before the index could be used.
--
-- There are two ways: to look at the texts from the newest one, which is fast for what occurs often, and to ask the index
-- for all matches, which is fast for what occurs rarely. No estimate of the planner decides but the newest 100 texts; if at their rate
-- the next 30,000 have enough matches these are looked at, and in any case for a text that occurs in one of three, whose entries would be
-- most of the index. The index is asked for 10,001 matches at most unless more are counted: in their order they are sorted, not indexed.
--
-- Arguments: the tenant, which is the one in context, the object, the audiences to which the caller belongs, the folded text,
-- whether the index can find it (it has a trigram), the record after which the page begins or null, how many records are
-- wanted, and how many are counted at most (null for all, 0 for none), from there on. The ids are those of the page.
--
-- There is a statement for each index, because no plan without values chooses among them. The condition on the tenant comes after the
-- index, which such a plan would not choose by itself.
CREATE FUNCTION search_records(tenant uuid, in_object uuid, in_audiences text[], needle text, is_indexed boolean,
                               after_id uuid, wanted integer, most integer, OUT ids uuid[], OUT counted integer)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET enable_sort = off
AS $body$
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
END $body$;
REVOKE ALL ON FUNCTION search_records FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_records TO custom_objects_runtime;

-- As the owner of the indexes, who alone may.
CREATE FUNCTION sort_in_search_lists() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  PERFORM gin_clean_pending_list(format('public.record_search_text_%s', n)::regclass) FROM generate_series(0, 7) AS n;
END $body$;
REVOKE ALL ON FUNCTION sort_in_search_lists() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sort_in_search_lists() TO custom_objects_narrow;
