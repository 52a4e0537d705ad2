import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/**
 * Fails. A write compares the definition's revision in the database and calls it when there is another, so that it can send
 * its commit without waiting for the answer. The comparison is no part of it: a call of PL/pgSQL costs more than the rest.
 */
export class StaleDefinition1795500000002 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION stale_definition() RETURNS boolean LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'The definition of the object has changed' USING ERRCODE = 'CO001';
      END $$`);
  }
}
