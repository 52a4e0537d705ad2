import { DATABASES } from '@crm/contracts';
import {
  CREATE_CLAIM_CALLS,
  createErasedRecordTable,
  createIdempotencyTable,
  createOutboxTable,
  runSql,
  ServiceMigration,
} from '@crm/database';
import { FORMULA_SQL_FUNCTIONS } from '@crm/formula';
import type { QueryRunner } from 'typeorm';
import { createDefinitionTables } from './tables/definitions.js';
import { createRecordTables } from './tables/records.js';
import { createSearchTable } from './tables/search.js';

const roles = DATABASES['custom-objects'];

/** The schema of the first release: definitions as rows, records in one set of tables for all tenants; an installation runs no DDL. */
export class Schema1795910400000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    // Called by formulas in queries where Postgres would raise an error or give another result.
    for (const statement of FORMULA_SQL_FUNCTIONS) await runner.query(statement);
    await createDefinitionTables(runner);
    await createRecordTables(runner);
    await createSearchTable(runner);
    await createIdempotencyTable(runner, roles);
    await createOutboxTable(runner, roles);
    await createErasedRecordTable(runner, roles);
    // Events of an erased record lose their content in the transaction of the tenant.
    await runner.query(`GRANT SELECT, UPDATE ON outbox TO ${roles.runtimeRole}`);
    await runner.query(CREATE_CLAIM_CALLS);
    await runSql(runner, new URL('./tables/records.sql', import.meta.url));
  }
}
