import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import { createOperatorAuditTable } from '@crm/operator-audit';
import type { QueryRunner } from 'typeorm';

/**
 * What operators do with their accounts, with those of others and with tenants. For the runtime role: the plan of a tenant is
 * set in the context of that tenant.
 */
export class OperatorAudit1795800000702 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createOperatorAuditTable(runner, DATABASES.identity, 'runtime');
  }
}
