import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { createAppTables } from './tables/apps.js';
import { createFunctions } from './tables/functions.js';
import { createPeopleTables } from './tables/people.js';
import { createPlatformTables } from './tables/platform.js';
import { createSignInTables } from './tables/sign-in.js';

/**
 * The schema of the first release. Named like the last of the migrations that it joins (decision record 0229): a database in
 * which those have run has this one too.
 */
export class NarrowerGrants1795800001301 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    if (await runner.hasTable('tenant')) {
      throw new Error('Some of the migrations before the first release have run here: make this database anew');
    }
    await createPeopleTables(runner);
    await createSignInTables(runner);
    await createAppTables(runner);
    await createPlatformTables(runner);
    await createFunctions(runner);
  }
}
