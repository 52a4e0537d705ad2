import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/**
 * This service consumes no events, so nothing was ever written to the tables of a consumer. In older databases the second
 * one has its earlier name.
 */
export class NoInbox1763700000003 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS inbox, dead_letter, poison_message');
  }
}
