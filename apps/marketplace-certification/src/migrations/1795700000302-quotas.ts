import { DATABASES } from '@crm/contracts';
import { createQuotaTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** What publishers have used of their certifications and submissions. */
export class Quotas1795700000302 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createQuotaTable(runner, DATABASES['marketplace-certification']);
  }
}
