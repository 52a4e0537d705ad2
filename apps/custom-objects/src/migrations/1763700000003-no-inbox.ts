import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** This service consumes no events, so nothing was ever written to the tables of a consumer. */
export class NoInbox1763700000003 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE inbox, dead_letter');
  }
}
