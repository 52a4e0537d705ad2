import { DATABASES } from '@crm/contracts';
import { createErasedRecordTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

export class ErasedRecords1795800001672 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createErasedRecordTable(runner, DATABASES['automation-hooks']);
  }
}
