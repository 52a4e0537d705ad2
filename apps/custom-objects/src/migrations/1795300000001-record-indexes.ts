import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const SLOTS = [
  ...Array.from({ length: 8 }, (_, index) => `s${index + 1}`),
  ...Array.from({ length: 8 }, (_, index) => `n${index + 1}`),
  ...Array.from({ length: 4 }, (_, index) => `t${index + 1}`),
];

/**
 * The index of a slot ends with the id, so that it serves the filter and the order of a list: a page is its first entries,
 * and a plan that knows no values is right.
 */
export class RecordIndexes1795300000001 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    const earlier = (await runner.query(
      `SELECT c.relname AS name
         FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid = 'custom_record'::regclass AND NOT i.indisprimary`,
    )) as { name: string }[];
    for (const { name } of earlier) await runner.query(`DROP INDEX ${name}`);
    for (const slot of SLOTS) {
      await runner.query(
        `CREATE INDEX custom_record_${slot}_id ON custom_record (tenant_id, object_id, ${slot}, id)
          WHERE ${slot} IS NOT NULL AND deleted_at IS NULL`,
      );
    }
  }
}
