import { DATABASES } from '@crm/contracts';
import { createErasedRecordTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES['custom-objects'];

export class ErasedRecords1795500001770 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createErasedRecordTable(runner, roles);
    // Events of an erased record lose their content in the transaction of the tenant.
    await runner.query(`GRANT SELECT, UPDATE ON outbox TO ${roles.runtimeRole}`);
  }
}
