import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { SEARCH_OBJECTS_FUNCTION } from './1795500001780-search-objects.js';

/** A search of all objects says whether the objects are still those that its caller knows. */
export class SearchObjectsWithAllRevisions1795500001800 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SEARCH_OBJECTS_FUNCTION);
  }
}
