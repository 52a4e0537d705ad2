import { FORMULA_SQL_FUNCTIONS } from '@crm/formula';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Replaces the functions of formulas in databases that have an earlier version: products near 0 are exact. */
export class FormulaFunctionsAgain1763700000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of FORMULA_SQL_FUNCTIONS) await runner.query(statement);
  }

  async down(): Promise<void> {
    // The previous version differs in products near 0 only: there is nothing to undo.
  }
}
