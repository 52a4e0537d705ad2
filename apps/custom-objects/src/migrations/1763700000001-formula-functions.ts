import { FORMULA_SQL_FUNCTIONS } from '@crm/formula';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The functions that formulas in queries call where Postgres would raise an error or give another result. */
export class FormulaFunctions1763700000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of FORMULA_SQL_FUNCTIONS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    const functions = (await runner.query(
      `SELECT oid::regprocedure::text AS signature FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace AND proname LIKE 'formula\\_%'`,
    )) as { signature: string }[];
    for (const { signature } of functions) await runner.query(`DROP FUNCTION ${signature}`);
  }
}
