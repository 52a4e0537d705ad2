import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** SQL of unique values. */
@Injectable()
export class UniqueRepository {
  /** Claims a value for a record; false when another record has it. Waits for a transaction that is about to claim it. */
  async claim(
    tx: TenantTransaction,
    objectId: string,
    fieldId: string,
    key: string,
    recordId: string,
  ): Promise<boolean> {
    const rows = await tx.query<{ record_id: string }>(
      `INSERT INTO custom_unique (tenant_id, object_id, field_id, norm_value, record_id) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (tenant_id, object_id, field_id, norm_value) DO NOTHING RETURNING record_id`,
      [tx.tenantId, objectId, fieldId, key, recordId],
    );
    return rows.length > 0;
  }

  async release(tx: TenantTransaction, objectId: string, fieldId: string, recordId: string): Promise<void> {
    await tx.query(
      'DELETE FROM custom_unique WHERE tenant_id = $1 AND object_id = $2 AND field_id = $3 AND record_id = $4',
      [tx.tenantId, objectId, fieldId, recordId],
    );
  }

  async releaseAll(tx: TenantTransaction, objectId: string, recordId: string): Promise<void> {
    await tx.query('DELETE FROM custom_unique WHERE tenant_id = $1 AND object_id = $2 AND record_id = $3', [
      tx.tenantId,
      objectId,
      recordId,
    ]);
  }
}
