import type { EntitySubscriberInterface, InsertEvent } from 'typeorm';

const TENANT_COLUMN = 'tenant_id';

/** What a transaction passes to its subscribers in TypeORM's `QueryRunner.data`. */
export interface TransactionData {
  /** Absent in a transaction of the narrow role. */
  tenantId?: string;
}

/** Fills in the tenant of rows inserted in a tenant transaction, and refuses another tenant before the server does. */
export class TenantSubscriber implements EntitySubscriberInterface {
  beforeInsert({ entity, metadata, queryRunner }: InsertEvent<Record<string, unknown>>): void {
    const { tenantId } = queryRunner.data as TransactionData;
    const property = metadata.findColumnWithDatabaseName(TENANT_COLUMN)?.propertyName;
    if (tenantId === undefined || property === undefined) return;
    entity[property] ??= tenantId;
    if (String(entity[property]).toLowerCase() !== tenantId) {
      throw new Error(`A transaction inserts only rows of its own tenant: ${metadata.tableName}`);
    }
  }
}
