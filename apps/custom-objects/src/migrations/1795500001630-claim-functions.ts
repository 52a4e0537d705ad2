import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/**
 * Registers references to existing records of objects in use and keeps these from being deleted; returns the fields whose record
 * exists. The transaction holds the definitions, so that no object is removed meanwhile.
 */
const CLAIM_REFERENCES = `
  CREATE FUNCTION claim_references(tenant uuid, object uuid, record uuid, field_keys integer[], objects uuid[], targets uuid[])
  RETURNS integer[] LANGUAGE plpgsql AS $body$
  DECLARE
    claimed integer[] := '{}';
  BEGIN
    FOR n IN 1 .. cardinality(targets) LOOP
      PERFORM 1 FROM custom_record r
        WHERE r.tenant_id = tenant AND r.object_id = objects[n] AND r.id = targets[n] AND r.deleted_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM custom_object o WHERE o.tenant_id = tenant AND o.id = objects[n] AND o.state = 'removed')
          FOR KEY SHARE OF r;
      CONTINUE WHEN NOT FOUND;
      INSERT INTO record_reference (tenant_id, target_id, object_id, record_id, field_key)
      VALUES (tenant, targets[n], object, record, field_keys[n]) ON CONFLICT DO NOTHING;
      IF FOUND THEN claimed := claimed || field_keys[n]; END IF;
    END LOOP;
    RETURN claimed;
  END $body$`;

/** Waits for transactions that claim the same values; returns the fields whose values are claimed. */
const CLAIM_UNIQUE_VALUES = `
  CREATE FUNCTION claim_unique_values(tenant uuid, object uuid, record uuid, fields uuid[], norm_values text[])
  RETURNS uuid[] LANGUAGE plpgsql AS $body$
  DECLARE
    claimed uuid[] := '{}';
  BEGIN
    FOR n IN 1 .. cardinality(fields) LOOP
      INSERT INTO custom_unique (tenant_id, object_id, field_id, norm_value, record_id)
      VALUES (tenant, object, fields[n], norm_values[n], record)
      ON CONFLICT (tenant_id, object_id, field_id, norm_value) DO NOTHING;
      IF FOUND THEN claimed := claimed || fields[n]; END IF;
    END LOOP;
    RETURN claimed;
  END $body$`;

/** Claims are made by functions of one tenant: a cluster inserts no rows from arrays, but runs such a function where the tenant is. */
export class ClaimFunctions1795500001630 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CLAIM_REFERENCES);
    await runner.query(CLAIM_UNIQUE_VALUES);
  }
}
