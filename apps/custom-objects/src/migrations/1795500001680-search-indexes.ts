import { DATABASES } from '@crm/contracts';
import { isDistributed, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { SEARCH_SCOPE } from './1795500000002-stale-definition.js';

/** Texts that are looked at from the newest one, in the order of the list, before the index is asked. */
const FIRST_LOOK = 100;
/** Texts of the second look, if at the rate of the first it has enough matches. */
const LONG_LOOK = 30_000;
/** A text that occurs in one of so many is looked for in any case: its entries in the index would be most of the index. */
const OFTEN = 3;
/** Matches that the index is asked for at most, unless more are counted: in their order they are sorted, not indexed. */
const MOST_FROM_INDEX = 10_001;
/**
 * Indexes of texts, each of which has those of some tenants and a list of their new entries: in one list searches would read
 * what others write. A cluster has an index for each shard.
 */
const INDEXES = 8;
const indexOf = (tenant: string): string => `(pg_catalog.uuid_hash(${tenant}) & ${INDEXES - 1})`;
const NUMBERS = Array.from({ length: INDEXES }, (_, number) => number);
/** As of the one index before. */
const LIST_KILOBYTES = 1024;

const NEWEST_TEXTS = `
  SELECT s.id, s.audience, s.text FROM public.record_search AS s
   WHERE s.tenant_id = tenant AND s.object_id = in_object AND s.id < first_id ORDER BY s.id DESC, s.audience DESC`;

/** The condition on the tenant comes after the index, which a plan without values would not choose by itself. */
const matchesOfIndex = (number: number): string => `
  SELECT s.id
    FROM unnest(in_audiences) AS readable (audience)
   CROSS JOIN LATERAL (SELECT t.id, t.tenant_id, t.object_id, t.audience FROM public.record_search AS t
                        WHERE ${indexOf('t.tenant_id')} = ${number}
                          AND ${SEARCH_SCOPE('t.tenant_id', 't.object_id', 't.audience')}
                              = ${SEARCH_SCOPE('tenant', 'in_object', 'readable.audience')}
                          AND t.text LIKE pattern OFFSET 0) AS s
   WHERE s.tenant_id = tenant AND s.object_id = in_object AND s.audience = readable.audience`;

/** A cluster finds the shard by that condition, and plans for the values. */
const MATCHES_OF_SHARD = `
  SELECT t.id
    FROM unnest(in_audiences) AS readable (audience)
    JOIN public.record_search AS t
      ON ${SEARCH_SCOPE('t.tenant_id', 't.object_id', 't.audience')} = ${SEARCH_SCOPE('tenant', 'in_object', 'readable.audience')}
     AND t.tenant_id = tenant AND t.object_id = in_object AND t.audience = readable.audience
   WHERE t.text LIKE pattern`;

const matches = (query: string): string => `ids := ARRAY(SELECT hit.id FROM (${query} LIMIT from_index) AS hit);`;

/** A statement for each index: no plan without values chooses among them. */
const MATCHES = `
        CASE ${indexOf('tenant')} ${NUMBERS.map((number) => `WHEN ${number} THEN ${matches(matchesOfIndex(number))}`).join('\n')} END CASE;`;

/**
 * Finds records by a text that occurs in one of their search texts, newest first, within the tenant in context. It runs as
 * the owner, whom a policy lets read all search texts: LIKE is not leakproof, so row-level security of the caller would be
 * checked for each row before the index could be used.
 *
 * There are two ways: to look at the texts from the newest one, which is fast for what occurs often, and to ask the index
 * for all matches, which is fast for what occurs rarely. No estimate of the planner decides but the newest texts.
 *
 * Arguments: the tenant, which is the one in context, the object, the audiences to which the caller belongs, the folded text,
 * whether the index can find it (it has a trigram), the record after which the page begins or null, how many records are
 * wanted, and how many are counted at most (null for all, 0 for none), from there on. The ids are those of the page.
 */
const searchFunction = (isDistributed: boolean): string => `
  CREATE FUNCTION search_records(tenant uuid, in_object uuid, in_audiences text[], needle text, is_indexed boolean,
                                 after_id uuid, wanted integer, most integer, OUT ids uuid[], OUT counted integer)
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp ${isDistributed ? '' : 'SET plan_cache_mode = force_generic_plan'}
  AS $body$
  DECLARE
    pattern CONSTANT text := '%' || regexp_replace(needle, '([\\\\%_])', '\\\\\\1', 'g') || '%';
    first_id CONSTANT uuid := coalesce(after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
    needed integer := CASE WHEN most IS NOT NULL THEN greatest(wanted, most) END;
    from_index CONSTANT integer := CASE WHEN most IS NOT NULL THEN greatest(needed, ${MOST_FROM_INDEX}) * cardinality(in_audiences) END;
    look integer := CASE WHEN is_indexed THEN ${FIRST_LOOK} END;
    seen integer;
    found bigint;
  BEGIN
    ids := '{}';
    counted := 0;
    IF tenant IS DISTINCT FROM NULLIF(current_setting('app.tenant_id', true), '')::uuid THEN RETURN; END IF;
    LOOP
      -- A record has a text for each audience. Without a limit every text is looked at.
      IF look = ${FIRST_LOOK} THEN
        SELECT coalesce(array_agg(DISTINCT s.id ORDER BY s.id DESC) FILTER (WHERE s.audience = ANY (in_audiences) AND s.text LIKE pattern), '{}'),
               count(*)
          INTO ids, seen FROM (${NEWEST_TEXTS} LIMIT ${FIRST_LOOK}) AS s;
        found := cardinality(ids);
        EXIT WHEN found >= needed OR seen < look;
      ELSE
        ids := ARRAY(SELECT DISTINCT s.id FROM (${NEWEST_TEXTS} LIMIT look) AS s
                      WHERE s.audience = ANY (in_audiences) AND s.text LIKE pattern ORDER BY s.id DESC LIMIT needed);
        found := cardinality(ids);
        EXIT WHEN look IS NULL OR found >= needed OR NOT EXISTS (${NEWEST_TEXTS} OFFSET look LIMIT 1);
      END IF;
      IF found * ${OFTEN} >= look OR look = ${FIRST_LOOK} AND found * ${LONG_LOOK} >= look * needed THEN
        look := CASE look WHEN ${FIRST_LOOK} THEN ${LONG_LOOK} END;
      ELSE
        ${isDistributed ? matches(MATCHES_OF_SHARD) : MATCHES}
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
  END $body$`;

/** Texts have several indexes, and searches look at fewer of them before they ask one. */
export class SearchIndexes1795500001680 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    const distributed = await isDistributed(runner);
    if (!distributed) {
      await runner.query('DROP INDEX record_search_text');
      const scope = SEARCH_SCOPE('tenant_id', 'object_id', 'audience');
      for (const number of NUMBERS) {
        await runner.query(`
          CREATE INDEX record_search_text_${number} ON record_search USING gin ((${scope}), text gin_trgm_ops)
            WITH (gin_pending_list_limit = ${LIST_KILOBYTES}) WHERE ${indexOf('tenant_id')} = ${number}`);
      }
    }
    await runner.query('DROP FUNCTION IF EXISTS search_records(uuid, text[], text, boolean, uuid, integer, integer)');
    const signature = 'search_records(uuid, uuid, text[], text, boolean, uuid, integer, integer)';
    await runner.query(`DROP FUNCTION IF EXISTS ${signature}`);
    await runner.query(searchFunction(distributed));
    await runner.query(`REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`);
    await runner.query(`GRANT EXECUTE ON FUNCTION ${signature} TO ${DATABASES['custom-objects'].runtimeRole}`);
  }
}
