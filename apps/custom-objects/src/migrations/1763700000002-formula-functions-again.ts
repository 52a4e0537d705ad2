import { FORMULA_SQL_FUNCTIONS } from '@crm/formula';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The functions of formulas as they are now, for databases that have an earlier version: products near 0 are exact. */
export class FormulaFunctionsAgain1763700000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of FORMULA_SQL_FUNCTIONS) await runner.query(statement);
  }

  async down(): Promise<void> {
    // The version before differs in products near 0 alone: there is nothing to take back.
  }
}
