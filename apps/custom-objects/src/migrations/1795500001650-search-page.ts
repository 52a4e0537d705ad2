import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** Bytes of JSON after which a page has one more record at most. */
const PAGE_BYTES = 16_000_000;

const milliseconds = (column: string): string => `floor(date_part('epoch', ${column}) * 1000 + 0.5)`;

/** The records of the page without what is not needed of them. One may have been deleted since its texts were. */
const FOUND = `
  SELECT r.data - unneeded AS data, concat_ws(' ', r.id, r.version, ${milliseconds('r.created_at')}, ${milliseconds('r.updated_at')}) AS head
    FROM custom_record r
   WHERE r.tenant_id = tenant AND r.object_id = object AND r.deleted_at IS NULL AND r.id = ANY (found) ORDER BY r.id DESC`;

/** A page of a search, newest first, as listRecords returns one, in one snapshot. */
export const SEARCH_PAGE_FUNCTION = `
  CREATE OR REPLACE FUNCTION search_page(tenant uuid, object uuid, audiences text[], needle text, is_indexed boolean, after_id uuid,
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
      SELECT string_agg(m.head, ',') FILTER (WHERE m.fits), string_agg(m.data, E',\\n') FILTER (WHERE m.fits), coalesce(bool_and(m.fits), true)
        INTO heads, data, "isWhole"
        FROM (SELECT t.head, t.data,
                     coalesce(sum(octet_length(t.data)) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING), 0) < ${PAGE_BYTES} AS fits
                FROM (SELECT p.head, p.data::text FROM (${FOUND}) AS p OFFSET 0) AS t) AS m;
    ELSE
      SELECT string_agg(p.head, ','), string_agg(p.data::text, E',\\n'), true INTO heads, data, "isWhole"
        FROM (${FOUND}) AS p
      HAVING coalesce(sum(pg_column_size(p.data)), 0) < ${PAGE_BYTES};
    END IF;
  END $body$`;

/** Records that a search finds, newest first. */
const FIND_IDS_FUNCTION = `
  CREATE OR REPLACE FUNCTION find_record_ids(tenant uuid, object uuid, audiences text[], needle text, is_indexed boolean, wanted integer)
  RETURNS uuid[] LANGUAGE plpgsql STABLE AS $body$
  BEGIN
    PERFORM set_config('app.tenant_id', tenant::text, true);
    RETURN (SELECT s.ids FROM search_records(tenant, object, audiences, needle, is_indexed, NULL, wanted, 0) AS s);
  END $body$`;

/** A cluster reads by no function within a statement, but runs a function of one tenant where the tenant is. */
export class SearchPage1795500001650 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SEARCH_PAGE_FUNCTION);
    await runner.query(FIND_IDS_FUNCTION);
  }
}
