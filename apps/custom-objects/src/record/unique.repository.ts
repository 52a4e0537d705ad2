import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { CLAIM_UNIQUE_VALUE, RELEASE_UNIQUE_VALUE, RELEASE_UNIQUE_VALUES_OF_RECORD } from './unique.sql.js';

/** Which record has which value of a unique field. Hand-written SQL, as all of the record engine. */
@Injectable()
export class UniqueRepository {
  /**
   * Claims a value for a record, and waits for a transaction that is about to claim it.
   * @returns false when another record has it
   */
  async claim(
    tx: TenantTransaction,
    objectId: string,
    fieldId: string,
    key: string,
    recordId: string,
  ): Promise<boolean> {
    const rows = await tx.queryPrepared(CLAIM_UNIQUE_VALUE, [tx.tenantId, objectId, fieldId, key, recordId]);
    return rows.length > 0;
  }

  async release(tx: TenantTransaction, objectId: string, fieldId: string, recordId: string): Promise<void> {
    await tx.queryPrepared(RELEASE_UNIQUE_VALUE, [tx.tenantId, objectId, fieldId, recordId]);
  }

  async releaseAll(tx: TenantTransaction, objectId: string, recordId: string): Promise<void> {
    await tx.queryPrepared(RELEASE_UNIQUE_VALUES_OF_RECORD, [tx.tenantId, objectId, recordId]);
  }
}
