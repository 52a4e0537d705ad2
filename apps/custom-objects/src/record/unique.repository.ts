import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { CLAIM_UNIQUE_VALUES, RELEASE_UNIQUE_VALUES } from './unique.sql.js';

/** The value of a unique field that a record has or wants. */
export interface UniqueValue {
  readonly fieldId: string;
  readonly key: string;
  readonly recordId: string;
}

/** Which record has which value of a unique field. Hand-written SQL, as all of the record engine. */
@Injectable()
export class UniqueRepository {
  /**
   * Claims values for a record, and waits for transactions that are about to claim them.
   * @param values in the order of the field ids, so that two records that claim several values cannot deadlock
   * @returns the ids of the fields whose values no other record has
   */
  async claim(
    tx: TenantTransaction,
    objectId: string,
    recordId: string,
    values: readonly UniqueValue[],
  ): Promise<Set<string>> {
    const rows = await tx.queryPrepared<{ fieldId: string }>(CLAIM_UNIQUE_VALUES, [
      tx.tenantId,
      objectId,
      recordId,
      values.map(({ fieldId }) => fieldId),
      values.map(({ key }) => key),
    ]);
    return new Set(rows.map(({ fieldId }) => fieldId));
  }

  async release(tx: TenantTransaction, objectId: string, values: readonly UniqueValue[]): Promise<void> {
    await tx.queryPrepared(RELEASE_UNIQUE_VALUES, [
      tx.tenantId,
      objectId,
      values.map(({ fieldId }) => fieldId),
      values.map(({ key }) => key),
      values.map(({ recordId }) => recordId),
    ]);
  }
}
