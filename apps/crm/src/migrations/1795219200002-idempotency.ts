import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import { createIdempotencyTable } from '@crm/idempotency';
import type { QueryRunner } from 'typeorm';

/** Which record a creating call made. */
export class Idempotency1795219200002 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createIdempotencyTable(runner, DATABASES.crm);
  }
}
