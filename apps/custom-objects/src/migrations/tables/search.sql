-- A cluster reads by no function within a statement, but runs a function of one tenant where the tenant is.

-- A page of a search, newest first, as listRecords returns one, in one snapshot: after 16 MB of JSON it has one more record at most.
-- Records come without what is not needed of them. One may have been deleted since its texts were.
CREATE FUNCTION search_page(tenant uuid, object uuid, audiences text[], needle text, is_indexed boolean, after_id uuid,
                            skipped integer, wanted integer, most integer, measured boolean, unneeded text[],
                            OUT revision integer, OUT heads text, OUT data text, OUT "isWhole" boolean, OUT count integer)
LANGUAGE plpgsql STABLE AS $body$
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
END $body$;

-- Records that a search finds, newest first.
CREATE FUNCTION find_record_ids(tenant uuid, object uuid, audiences text[], needle text, is_indexed boolean, wanted integer)
RETURNS uuid[] LANGUAGE plpgsql STABLE AS $body$
BEGIN
  PERFORM set_config('app.tenant_id', tenant::text, true);
  RETURN (SELECT s.ids FROM search_records(tenant, object, audiences, needle, is_indexed, NULL, wanted, 0) AS s);
END $body$;

-- What searches of several objects find, the newest of all, without the values by the keys in `unneeded`, with the revisions of all
-- objects of the tenant, in one snapshot. Of each object the newest 50 texts are looked at first. When as many are found as are wanted, the
-- texts of other objects matter from the oldest of these on: a look, of 500 texts where that is known, ends at a record from which on
-- nothing matters; `last` is then null, as it is where there are fewer texts. After 16 MB of JSON there is one more record at most.
CREATE FUNCTION search_objects(tenant uuid, searches jsonb, after_id uuid, wanted integer,
                               OUT revisions jsonb, OUT objects text, OUT heads text, OUT data text, OUT "isWhole" boolean)
LANGUAGE plpgsql STABLE SET enable_sort = off AS $body$
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
END $body$;
