import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

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
  /** The record is deleted and locked. */
  async erase(tx: TenantTransaction, objectId: string, id: string): Promise<void> {
    for (const statement of ERASE_RECORD) await tx.query(statement, [tx.tenantId, id, objectId]);
  }
}
