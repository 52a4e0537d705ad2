import { runSql, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { createAppTables } from './tables/apps.js';
import { createPeopleTables } from './tables/people.js';
import { createPlatformTables } from './tables/platform.js';
import { createSignInTables } from './tables/sign-in.js';

/** The schema of the first release. */
export class Schema1795910400000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createPeopleTables(runner);
    await createSignInTables(runner);
    await createAppTables(runner);
    await createPlatformTables(runner);
    await runSql(runner, new URL('./tables/functions.sql', import.meta.url));
  }
}
