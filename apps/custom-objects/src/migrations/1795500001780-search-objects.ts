import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** Bytes of JSON after which there is one more record at most, as of a page. */
const PAGE_BYTES = 16_000_000;

const milliseconds = (column: string): string => `floor(date_part('epoch', ${column}) * 1000 + 0.5)`;

/** What searches of several objects find, the newest of all, with the revisions of the objects, in one snapshot. */
const SEARCH_OBJECTS_FUNCTION = `
  CREATE FUNCTION search_objects(tenant uuid, searches jsonb, after_id uuid, wanted integer,
                                 OUT revisions jsonb, OUT objects text, OUT heads text, OUT data text, OUT "isWhole" boolean)
  LANGUAGE plpgsql STABLE AS $body$
  DECLARE
    one record;
    hits uuid[];
    searched uuid[] := '{}';
    owners uuid[] := '{}';
    found uuid[] := '{}';
  BEGIN
    PERFORM set_config('app.tenant_id', tenant::text, true);
    FOR one IN SELECT s.object, s.audiences, s.needle FROM jsonb_to_recordset(searches) AS s(object uuid, audiences text[], needle text) LOOP
      SELECT s.ids INTO hits FROM search_records(tenant, one.object, one.audiences, one.needle, true, after_id, wanted, 0) AS s;
      searched := searched || one.object;
      found := found || hits;
      owners := owners || array_fill(one.object, ARRAY[cardinality(hits)]);
    END LOOP;
    SELECT jsonb_object_agg(o.id, o.revision) INTO revisions
      FROM custom_object o WHERE o.tenant_id = tenant AND o.id = ANY (searched) AND o.state = 'active';
    SELECT string_agg(p.object_id::text, ',') FILTER (WHERE p.fits), string_agg(p.head, ',') FILTER (WHERE p.fits),
           string_agg(p.data, E',\\n') FILTER (WHERE p.fits), coalesce(bool_and(p.fits), true)
      INTO objects, heads, data, "isWhole"
      FROM (SELECT t.object_id, t.head, t.data,
                   coalesce(sum(octet_length(t.data)) OVER (ORDER BY t.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) < ${PAGE_BYTES} AS fits
              FROM (SELECT r.object_id, r.id, r.data::text,
                           concat_ws(' ', r.id, r.version, ${milliseconds('r.created_at')}, ${milliseconds('r.updated_at')}) AS head
                      FROM (SELECT DISTINCT f.id, f.object_id FROM unnest(found, owners) AS f(id, object_id) ORDER BY f.id DESC LIMIT wanted) AS newest
                      JOIN custom_record r ON r.tenant_id = tenant AND r.object_id = newest.object_id AND r.id = newest.id AND r.deleted_at IS NULL
                    OFFSET 0) AS t) AS p;
  END $body$`;

/** A search of all objects is one statement. */
export class SearchObjects1795500001780 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SEARCH_OBJECTS_FUNCTION);
  }
}
