import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/**
 * A write compares the definition's revision in the database, so that it can send its commit without waiting for the answer.
 * The revision is read by a statement of its own, which sees what a change that was waited for has committed.
 */
export class HoldDefinition1795500000002 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION hold_definition(tenant uuid, object uuid, expected integer) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('custom_object:' || tenant::text, 0));
        IF coalesce((SELECT revision FROM custom_object
                      WHERE tenant_id = tenant AND id = object AND state = 'active'), 0) <> expected THEN
          RAISE EXCEPTION 'The definition of the object has changed' USING ERRCODE = 'CO001';
        END IF;
      END $$`);
  }
}
