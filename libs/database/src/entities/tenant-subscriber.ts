import type { EntitySubscriberInterface, InsertEvent } from 'typeorm';

const TENANT_COLUMN = 'tenant_id';

/** What a transaction tells its subscribers, in TypeORM's `QueryRunner.data`. */
export interface TransactionData {
  /** Missing in a transaction of the narrow role. */
  tenantId?: string;
}

/** Fills in the tenant of what is inserted in a tenant's transaction, and refuses another's before the server does. */
export class TenantSubscriber implements EntitySubscriberInterface {
  beforeInsert({ entity, metadata, queryRunner }: InsertEvent<Record<string, unknown>>): void {
    const { tenantId } = queryRunner.data as TransactionData;
    const property = metadata.findColumnWithDatabaseName(TENANT_COLUMN)?.propertyName;
    if (tenantId === undefined || property === undefined) return;
    entity[property] ??= tenantId;
    if (String(entity[property]).toLowerCase() !== tenantId) {
      throw new Error(`A transaction inserts rows of its own tenant only: ${metadata.tableName}`);
    }
  }
}
