import type { Database, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** What an uninstalled app left is not counted. $1: tenant. */
export const READ_USE = `
  SELECT coalesce(sum(u.records), 0)::float8 AS records, coalesce(sum(u.bytes), 0)::float8 AS bytes
    FROM storage_use u
   WHERE u.tenant_id = $1 AND NOT EXISTS (
         SELECT FROM custom_object o WHERE o.tenant_id = $1 AND o.id = u.object_id AND o.state = 'removed')`;

/** Sandboxes have a limit of their own. $1: tenant. */
const COUNT_OBJECTS = `
  SELECT count(*)::integer AS objects FROM custom_object
   WHERE tenant_id = $1 AND state = 'active' AND NOT sandbox AND installation_id IS NOT NULL`;

/** $1: tenant, $2: object, $3: records, $4: bytes; negative for what is gone. */
const COUNT_STORAGE = 'SELECT count_storage($1, $2, $3, $4)';

/** Records, those in the bin included, and the bytes of their values and notes. */
export interface StorageUse {
  readonly records: number;
  readonly bytes: number;
}

/** What the objects of a tenant have; writes of records count themselves, in `create_records` and `change_records`. */
@Injectable()
export class StorageUseRepository {
  async read(database: Database, tenantId: string): Promise<StorageUse> {
    return database.transaction(tenantId, async (tx) => {
      const [use] = await tx.queryPrepared<StorageUse>(READ_USE, [tenantId]);
      return use as StorageUse;
    });
  }

  async countObjects(database: Database, tenantId: string): Promise<number> {
    return database.transaction(tenantId, async (tx) => {
      const [row] = await tx.query<{ objects: number }>(COUNT_OBJECTS, [tenantId]);
      return row?.objects ?? 0;
    });
  }

  /** Travels with the statements of the transaction. */
  count(tx: TenantTransaction, objectId: string, { records, bytes }: StorageUse): void {
    tx.issue(COUNT_STORAGE, [tx.tenantId, objectId, records, bytes]);
  }
}
