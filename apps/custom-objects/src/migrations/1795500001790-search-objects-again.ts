import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { SEARCH_OBJECTS_FUNCTION } from './1795500001780-search-objects.js';

/** A search of all objects asks no index for what is older than the page; no search sorts all texts of an object to look at the newest. */
export class SearchObjectsAgain1795500001790 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SEARCH_OBJECTS_FUNCTION);
    const signature = 'search_records(uuid, uuid, text[], text, boolean, uuid, integer, integer)';
    await runner.query(`ALTER FUNCTION ${signature} SET enable_sort = off`);
  }
}
