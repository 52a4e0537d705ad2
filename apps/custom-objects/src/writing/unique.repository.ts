import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/**
 * Waits for transactions that are about to claim one of the values; returns the fields whose values are claimed now.
 * $1: tenant, $2: object, $3: record, $4: fields, $5: their values, both in the order of the fields.
 */
export const CLAIM_UNIQUE_VALUES = `
  INSERT INTO custom_unique (tenant_id, object_id, field_id, norm_value, record_id)
  SELECT $1::uuid, $2::uuid, wanted.field_id, wanted.norm_value, $3::uuid
    FROM unnest($4::uuid[], $5::text[]) AS wanted (field_id, norm_value)
  ON CONFLICT (tenant_id, object_id, field_id, norm_value) DO NOTHING RETURNING field_id AS "fieldId"`;

/** $1: tenant, $2: object, $3: fields, $4: their values, $5: the records that have them. */
export const RELEASE_UNIQUE_VALUES = `
  DELETE FROM custom_unique USING unnest($3::uuid[], $4::text[], $5::uuid[]) AS held (field_id, norm_value, record_id)
   WHERE custom_unique.tenant_id = $1 AND custom_unique.object_id = $2 AND custom_unique.field_id = held.field_id
     AND custom_unique.norm_value = held.norm_value COLLATE "C" AND custom_unique.record_id = held.record_id`;

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
