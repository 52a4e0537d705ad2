import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { StorageLimit } from '../storage/storage-limit.service.js';
import { StorageUseRepository } from '../storage/storage-use.repository.js';

/** $1: tenant, $2: record, $3: object. */
const SIZE_OF_RECORD = `
  SELECT r.bytes + coalesce((SELECT sum(n.bytes) FROM record_note n
                              WHERE n.tenant_id = $1 AND n.object_id = $3 AND n.record_id = $2), 0)::integer AS bytes
    FROM custom_record r WHERE r.tenant_id = $1 AND r.object_id = $3 AND r.id = $2`;

/**
 * Everything that belongs to a record and is left when it is deleted: a table with such rows is entered here. $1: tenant, $2: record, $3: object.
 */
export const ERASE_RECORD = [
  'DELETE FROM cleared_reference WHERE tenant_id = $1 AND $2::uuid IN (target_id, record_id) AND $3::uuid IS NOT NULL',
  'DELETE FROM record_history WHERE tenant_id = $1 AND object_id = $3 AND record_id = $2',
  'DELETE FROM record_note WHERE tenant_id = $1 AND object_id = $3 AND record_id = $2',
  'DELETE FROM custom_record WHERE tenant_id = $1 AND object_id = $3 AND id = $2',
];

@Injectable()
export class ErasureRepository {
  constructor(
    private readonly storage: StorageUseRepository,
    private readonly limit: StorageLimit,
  ) {}

  /** The record is deleted and locked. */
  async erase(tx: TenantTransaction, objectId: string, id: string): Promise<void> {
    const [size] = await tx.query<{ bytes: number }>(SIZE_OF_RECORD, [tx.tenantId, id, objectId]);
    this.storage.count(tx, objectId, { records: -1, bytes: -(size?.bytes ?? 0) });
    tx.afterCommit(() => this.limit.readAnew(tx.tenantId));
    for (const statement of ERASE_RECORD) await tx.query(statement, [tx.tenantId, id, objectId]);
  }
}
