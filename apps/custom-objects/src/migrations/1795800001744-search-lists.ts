import { DATABASES } from '@crm/contracts';
import { isDistributed, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES['custom-objects'];

/** Of SearchIndexes1795500001680. */
const SEARCH_INDEXES = 8;
/** In case nobody sorts in what waits. */
const LIST_KILOBYTES = 65_536;

/** As the owner of the indexes, who alone may. A cluster's nodes sort in by themselves, when they vacuum and where a list is full. */
const sortInFunction = (isDistributed: boolean): string => `
  CREATE FUNCTION sort_in_search_lists() RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
  BEGIN
    ${isDistributed ? '' : `PERFORM gin_clean_pending_list(format('public.record_search_text_%s', n)::regclass) FROM generate_series(0, ${SEARCH_INDEXES - 1}) AS n;`}
  END $body$`;

/** Writes put the entries of texts in a list; a sweeper sorts them in. */
export class SearchLists1795800001744 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    const distributed = await isDistributed(runner);
    for (let number = 0; !distributed && number < SEARCH_INDEXES; number += 1) {
      await runner.query(`ALTER INDEX record_search_text_${number} SET (gin_pending_list_limit = ${LIST_KILOBYTES})`);
    }
    await runner.query(sortInFunction(distributed));
    await runner.query('REVOKE ALL ON FUNCTION sort_in_search_lists() FROM PUBLIC');
    await runner.query(`GRANT EXECUTE ON FUNCTION sort_in_search_lists() TO ${roles.narrowRole}`);
  }
}
