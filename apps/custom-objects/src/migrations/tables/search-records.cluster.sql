-- On a cluster, in the place of search-records.sql: there is an index for each shard, in whose list of at most 1 MB new entries wait.
CREATE INDEX record_search_text ON record_search
  USING gin ((pg_catalog.uuid_hash_extended(tenant_id, pg_catalog.uuid_hash_extended(object_id, pg_catalog.hashtextextended(audience, 0)))), text gin_trgm_ops)
  WITH (gin_pending_list_limit = 1024);

-- A cluster finds the shard by the condition on the tenant, and plans for the values.
CREATE FUNCTION search_records(tenant uuid, in_object uuid, in_audiences text[], needle text, is_indexed boolean,
                               after_id uuid, wanted integer, most integer, OUT ids uuid[], OUT counted integer)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_sort = off
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
      ids := ARRAY(SELECT hit.id FROM (
        SELECT t.id
          FROM unnest(in_audiences) AS readable (audience)
          JOIN public.record_search AS t
            ON pg_catalog.uuid_hash_extended(t.tenant_id, pg_catalog.uuid_hash_extended(t.object_id, pg_catalog.hashtextextended(t.audience, 0)))
               = pg_catalog.uuid_hash_extended(tenant, pg_catalog.uuid_hash_extended(in_object, pg_catalog.hashtextextended(readable.audience, 0)))
           AND t.tenant_id = tenant AND t.object_id = in_object AND t.audience = readable.audience
         WHERE t.text LIKE pattern LIMIT from_index) AS hit);
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

-- Nodes sort in by themselves, when they vacuum and where a list is full.
CREATE FUNCTION sort_in_search_lists() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
END $body$;
REVOKE ALL ON FUNCTION sort_in_search_lists() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sort_in_search_lists() TO custom_objects_narrow;
