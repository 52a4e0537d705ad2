import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { SEARCH_PAGE_FUNCTION } from './1795500001650-search-page.js';
import { SEARCH_OBJECTS_FUNCTION } from './1795500001780-search-objects.js';

/** Pages of searches are bounded by what their caller sees. Programs of before call `search_page` with one argument less. */
export class SearchesByWhatIsShown1795800001741 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SEARCH_PAGE_FUNCTION);
    await runner.query(SEARCH_OBJECTS_FUNCTION);
  }
}
