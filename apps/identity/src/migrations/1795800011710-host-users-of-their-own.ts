import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { createMintFunctions } from './tables/functions.js';
import { roles } from './tables/table.js';

/** Users whom a host has brought follow what it says of them. */
export class HostUsersOfTheirOwn1795800011710 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`GRANT UPDATE (name) ON app_user TO ${roles.narrowRole}`);
    await createMintFunctions(runner);
  }
}
