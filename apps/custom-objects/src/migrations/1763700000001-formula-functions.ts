import { ServiceMigration } from '@crm/database';
import { FORMULA_SQL_FUNCTIONS } from '@crm/formula';
import type { QueryRunner } from 'typeorm';

/** The functions that formulas in queries call where Postgres would raise an error or give another result. */
export class FormulaFunctions1763700000001 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of FORMULA_SQL_FUNCTIONS) await runner.query(statement);
  }
}
