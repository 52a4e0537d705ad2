import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { RECORD_FUNCTIONS } from './1795500001610-record-functions.js';

/** The functions have become shorter since they were made. */
export class RecordFunctionsAgain1795500001660 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of RECORD_FUNCTIONS) await runner.query(statement);
  }
}
