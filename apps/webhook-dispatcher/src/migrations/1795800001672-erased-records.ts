import { DATABASES } from '@crm/contracts';
import { createErasedRecordTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES['webhook-dispatcher'];

export class ErasedRecords1795800001672 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createErasedRecordTable(runner, roles);
    // What the ledger has of an erased record loses its content in the transaction of the tenant.
    await runner.query(`GRANT UPDATE ON event_body, delivery_attempt TO ${roles.runtimeRole}`);
  }
}
