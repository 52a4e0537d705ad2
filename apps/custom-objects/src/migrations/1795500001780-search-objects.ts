import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** Bytes of JSON after which there is one more record at most, as of a page. */
const PAGE_BYTES = 16_000_000;

const milliseconds = (column: string): string => `floor(date_part('epoch', ${column}) * 1000 + 0.5)`;

const KEEP = `
  IF cardinality(hits) > 0 THEN
    SELECT array_agg(n.id), array_agg(n.object_id) INTO found, owners
      FROM (SELECT f.id, f.object_id FROM unnest(found, owners) AS f(id, object_id)
             UNION SELECT unnest(hits), one.object ORDER BY 1 DESC LIMIT wanted) AS n;
    oldest := coalesce(found[wanted], oldest);
  END IF;`;

/** Texts of an object that are looked at from the newest one: at first, and where it is known from which record on they matter. */
const [FIRST_LOOK, SECOND_LOOK] = [50, 500];

const SEARCHES = `
  SELECT s.object, s.audiences, s.unneeded, array_agg(s.needle) AS needles,
         array_agg('%' || regexp_replace(s.needle, '([\\\\%_])', '\\\\\\1', 'g') || '%') AS patterns
    FROM jsonb_to_recordset(searches) AS s(object uuid, audiences text[], needle text, unneeded text[]) GROUP BY 1, 2, 3`;

/** Ends at a record from which on nothing matters; `last` is then null, as it is where there are fewer texts. Its record may have others. */
const lookAt = (texts: number): string => `
  hits := '{}';
  seen := 0;
  FOR last, is_hit IN
    SELECT t.id, t.audience = ANY (one.audiences) AND t.text LIKE ANY (one.patterns)
      FROM (SELECT s.id, s.audience, s.text FROM record_search s
             WHERE s.tenant_id = tenant AND s.object_id = one.object AND s.id < first_id ORDER BY s.id DESC, s.audience DESC LIMIT ${texts}) AS t LOOP
    EXIT WHEN last <= oldest OR cardinality(hits) = wanted;
    seen := seen + 1;
    IF is_hit AND last IS DISTINCT FROM hits[cardinality(hits)] THEN hits := hits || last; END IF;
  END LOOP;
  IF seen < ${texts} THEN last := NULL; END IF;
  ${KEEP}`;

/**
 * What searches of several objects find, the newest of all, without the values by the keys in `unneeded`, with the revisions of all objects of the tenant, in one snapshot. When as many are
 * found as are wanted, the texts of other objects matter from the oldest of these on.
 */
export const SEARCH_OBJECTS_FUNCTION = `
  CREATE OR REPLACE FUNCTION search_objects(tenant uuid, searches jsonb, after_id uuid, wanted integer,
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
    FOR one IN ${SEARCHES} LOOP
      ${lookAt(FIRST_LOOK)}
      searched := searched || one.object;
      lasts := lasts || last;
    END LOOP;
    FOR one IN SELECT s.*, l.last FROM (${SEARCHES}) AS s JOIN unnest(searched, lasts) AS l(object, last) USING (object)
                WHERE l.last IS NOT NULL AND (l.last <= oldest) IS NOT TRUE ORDER BY s.object = ANY (owners) DESC LOOP
      IF oldest IS NOT NULL THEN
        CONTINUE WHEN one.last <= oldest;
        ${lookAt(SECOND_LOOK)}
        CONTINUE WHEN last IS NULL;
      END IF;
      hits := ARRAY(SELECT unnest(s.ids)
                      FROM unnest(one.needles) AS n(needle)
                     CROSS JOIN LATERAL search_records(tenant, one.object, one.audiences, n.needle, true, after_id, wanted, 0) AS s);
      ${KEEP}
    END LOOP;
    SELECT jsonb_object_agg(o.id, o.revision) INTO revisions
      FROM custom_object o WHERE o.tenant_id = tenant AND o.state = 'active';
    SELECT string_agg(p.object_id::text, ',') FILTER (WHERE p.fits), string_agg(p.head, ',') FILTER (WHERE p.fits),
           string_agg(p.data, E',\\n') FILTER (WHERE p.fits), coalesce(bool_and(p.fits), true)
      INTO objects, heads, data, "isWhole"
      FROM (SELECT t.object_id, t.head, t.data,
                   coalesce(sum(octet_length(t.data)) OVER (ORDER BY t.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) < ${PAGE_BYTES} AS fits
              FROM (SELECT r.object_id, r.id, (r.data - coalesce(s.unneeded, '{}'))::text AS data,
                           concat_ws(' ', r.id, r.version, ${milliseconds('r.created_at')}, ${milliseconds('r.updated_at')}) AS head
                      FROM unnest(found, owners) AS newest(id, object_id)
                      JOIN (${SEARCHES}) AS s ON s.object = newest.object_id
                      JOIN custom_record r ON r.tenant_id = tenant AND r.object_id = newest.object_id AND r.id = newest.id AND r.deleted_at IS NULL
                    OFFSET 0) AS t) AS p;
  END $body$`;

/** A search of all objects is one statement. */
export class SearchObjects1795500001780 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SEARCH_OBJECTS_FUNCTION);
  }
}
