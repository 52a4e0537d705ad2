import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/**
 * Registers references to records that exist, and keeps those from being deleted until the transaction ends; returns the
 * fields whose record exists. $1: tenant, $2: object, $3: record, $4: keys of the fields, $5: objects, $6: records.
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

/** Which records refer to any of some, in the order in which they are to be locked. $1: tenant, $2: records, $3: limit. */
export const LIST_REFERRING = `
  SELECT object_id AS "objectId", record_id AS "recordId", field_key AS "fieldKey"
    FROM record_reference WHERE tenant_id = $1 AND target_id = ANY ($2::uuid[])
   ORDER BY object_id, record_id, field_key LIMIT $3`;

/** What a field of a record refers to, or is to refer to. */
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

/** Which record refers to which. */
@Injectable()
export class ReferenceRepository {
  /**
   * @param wanted each with the object whose record it can be; a field that can refer to several objects is there for each
   * @returns the keys of the fields whose record exists; nobody deletes it before the transaction ends
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
