import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/**
 * Registers references to existing records and keeps these from being deleted; returns the fields whose record exists.
 * $1: tenant, $2: object, $3: record, $4: keys of the fields, $5: target objects, $6: targets.
 */
export const CLAIM_REFERENCES = `
  INSERT INTO record_reference (tenant_id, target_id, object_id, record_id, field_key)
  SELECT $1::uuid, target.id, $2::uuid, $3::uuid, wanted.field_key
    FROM unnest($4::integer[], $5::uuid[], $6::uuid[]) AS wanted (field_key, object_id, target_id),
         LATERAL (SELECT id FROM custom_record
                   WHERE tenant_id = $1 AND object_id = wanted.object_id AND id = wanted.target_id AND deleted_at IS NULL
                     FOR KEY SHARE) AS target
  ON CONFLICT DO NOTHING RETURNING field_key AS "fieldKey"`;

/** $1: tenant, $2: object, $3: records, $4: keys of their fields, $5: the records that they refer to. */
export const RELEASE_REFERENCES = `
  DELETE FROM record_reference USING unnest($3::uuid[], $4::integer[], $5::uuid[]) AS held (record_id, field_key, target_id)
   WHERE record_reference.tenant_id = $1 AND record_reference.target_id = held.target_id
     AND record_reference.object_id = $2 AND record_reference.record_id = held.record_id
     AND record_reference.field_key = held.field_key`;

/** Records that refer to any of $2, in lock order. $1: tenant, $2: records, $3: limit. */
export const LIST_REFERRING = `
  SELECT object_id AS "objectId", record_id AS "recordId", field_key AS "fieldKey"
    FROM record_reference WHERE tenant_id = $1 AND target_id = ANY ($2::uuid[])
   ORDER BY object_id, record_id, field_key LIMIT $3`;

/** A reference of a field, present or wanted. */
export interface Reference {
  readonly recordId: string;
  readonly fieldKey: number;
  readonly targetId: string;
}

/** A field that refers to a record. */
export interface Referring {
  readonly objectId: string;
  readonly recordId: string;
  readonly fieldKey: number;
}

/** Reads and writes references between records. */
@Injectable()
export class ReferenceRepository {
  /**
   * @param wanted one entry per object that a field may refer to
   * @returns keys of the fields whose record exists; it cannot be deleted before the transaction ends
   */
  async claim(
    tx: TenantTransaction,
    objectId: string,
    recordId: string,
    wanted: readonly (Omit<Reference, 'recordId'> & { readonly objectId: string })[],
  ): Promise<Set<number>> {
    const rows = await tx.queryPrepared<{ fieldKey: number }>(CLAIM_REFERENCES, [
      tx.tenantId,
      objectId,
      recordId,
      wanted.map(({ fieldKey }) => fieldKey),
      wanted.map((reference) => reference.objectId),
      wanted.map(({ targetId }) => targetId),
    ]);
    return new Set(rows.map(({ fieldKey }) => fieldKey));
  }

  async release(tx: TenantTransaction, objectId: string, references: readonly Reference[]): Promise<void> {
    await tx.queryPrepared(RELEASE_REFERENCES, [
      tx.tenantId,
      objectId,
      references.map(({ recordId }) => recordId),
      references.map(({ fieldKey }) => fieldKey),
      references.map(({ targetId }) => targetId),
    ]);
  }

  /** At most that many. */
  listReferring(tx: TenantTransaction, targetIds: readonly string[], limit: number): Promise<Referring[]> {
    return tx.queryPrepared<Referring>(LIST_REFERRING, [tx.tenantId, targetIds, limit]);
  }
}

/**
 * Waits for transactions that claim the same values; returns the fields whose values are claimed. $1: tenant, $2:
 * object, $3: record, $4: fields, $5: their values, both in the order of the fields.
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

/** Claims and releases the values of unique fields. */
@Injectable()
export class UniqueRepository {
  /**
   * Claims values, waiting for transactions that are about to claim them.
   * @param values ordered by field id, so that two records that claim several values cannot deadlock
   * @returns ids of the fields whose values no other record has
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
