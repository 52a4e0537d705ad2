import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { StoredField } from '../object/object-definition.js';
import type { StoredRecord } from '../reading/record.js';
import { COLUMNS, type RecordRow, recordOf } from '../reading/record.repository.js';
import type { Actor } from '../timeline/record-history.repository.js';

/** Newest deletion first. $1: tenant, $2: object, $3 and $4: time and id of the record after which the page begins, $5: limit. */
export const LIST_DELETED = `
  SELECT ${COLUMNS}, deleted_at AS "deletedAt", deleted_by AS "deletedBy" FROM custom_record
   WHERE tenant_id = $1 AND object_id = $2 AND deleted_at IS NOT NULL AND (deleted_at, id) < ($3::timestamptz, $4::uuid)
   ORDER BY deleted_at DESC, id DESC LIMIT $5`;

/** By their ids: the index of the bin, which `deleted_at IS NOT NULL` would name, may be long. $1: tenant, $2: object, $3: records. */
export const LOCK_DELETED = `
  SELECT ${COLUMNS} FROM custom_record
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[]) AND num_nonnulls(deleted_at) = 1 ORDER BY id FOR UPDATE`;

/** What was deleted along with a record. $1: tenant, $2: record. */
export const LIST_DELETED_WITH = `
  SELECT object_id AS "objectId", id FROM custom_record WHERE tenant_id = $1 AND deleted_with = $2 AND deleted_at IS NOT NULL`;

/** What was deleted along with records, or merged into them, and is still in the bin. $1: tenant, $2: records. */
export const LIST_GONE_INTO = `
  SELECT object_id AS "objectId", id FROM custom_record
   WHERE tenant_id = $1 AND deleted_with = ANY ($2::uuid[]) AND num_nonnulls(deleted_at) = 1
   UNION
  SELECT object_id, id FROM custom_record
   WHERE tenant_id = $1 AND merged_into = ANY ($2::uuid[]) AND num_nonnulls(deleted_at) = 1`;

/** $1: tenant, $2: object, $3: records. */
export const UNMARK_DELETED = `
  UPDATE custom_record SET deleted_at = NULL, deleted_by = NULL, deleted_with = NULL, merged_into = NULL
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[])`;

const SET_CLEARED = `
      ON CONFLICT (tenant_id, target_id, object_id, record_id, field_key) DO UPDATE
      SET cleared_at = excluded.cleared_at, version = excluded.version, by = excluded.by, actor = excluded.actor, app = excluded.app`;

/**
 * From the records' rows, as a cluster inserts none from arrays. $1: tenant, $2: object, $3: records, $4: keys of the fields, $5: time,
 * $6 to $8: by whom, null unless it was done silently.
 */
export const REMEMBER_CLEARED = `
  INSERT INTO cleared_reference (tenant_id, target_id, object_id, record_id, field_key, cleared_at, version, by, actor, app)
  SELECT r.tenant_id, (r.data ->> cleared.key::text)::uuid, r.object_id, r.id, cleared.key, $5::timestamptz,
         CASE WHEN $6::uuid IS NOT NULL THEN r.version END, $6::uuid, $7::text, $8::text
    FROM custom_record r CROSS JOIN unnest($4::integer[]) AS cleared (key)
   WHERE r.tenant_id = $1 AND r.object_id = $2 AND r.id = ANY ($3::uuid[]) ${SET_CLEARED}`;

/** $1: tenant, $2: target, $3: object, $4: record, $5: key of the field, $6: time, $7: version and $8 to $10: by whom, null unless it was done silently. */
export const REMEMBER_GONE = `
  INSERT INTO cleared_reference (tenant_id, target_id, object_id, record_id, field_key, cleared_at, version, by, actor, app)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ${SET_CLEARED}`;

/** Into the histories of their records, what the deletions of these records have cleared silently. $1: tenant, $2: targets. */
export const TELL_CLEARED = `
  INSERT INTO record_history (tenant_id, object_id, record_id, version, besides_at, at, by, actor, app, data)
  SELECT c.tenant_id, c.object_id, c.record_id, c.version, c.cleared_at, c.cleared_at, c.by, c.actor, c.app,
         jsonb_object_agg(c.field_key::text, jsonb_build_array(c.target_id, NULL))
    FROM cleared_reference c JOIN custom_record r ON r.tenant_id = c.tenant_id AND r.object_id = c.object_id AND r.id = c.record_id
   WHERE c.tenant_id = $1 AND c.target_id = ANY ($2::uuid[]) AND c.version IS NOT NULL
   GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
      ON CONFLICT (tenant_id, object_id, record_id, version, besides_at) DO UPDATE SET data = record_history.data || excluded.data`;

/** $1: tenant, $2: targets. */
export const FORGET_CLEARED = 'DELETE FROM cleared_reference WHERE tenant_id = $1 AND target_id = ANY ($2::uuid[])';

/** $1: tenant, $2: targets. */
export const TAKE_CLEARED = `
  DELETE FROM cleared_reference WHERE tenant_id = $1 AND target_id = ANY ($2::uuid[])
  RETURNING target_id AS "targetId", object_id AS "objectId", record_id AS "recordId", field_key AS "fieldKey",
            version IS NOT NULL AS "isSilent"`;

/** A deleted record. */
export interface BinRow extends RecordRow {
  readonly deletedAt: Date;
  /** Null when it was deleted before that was known. */
  readonly deletedBy: string | null;
}

/** A reference that a deletion has cleared. */
export interface ClearedReference {
  readonly targetId: string;
  readonly objectId: string;
  readonly recordId: string;
  readonly fieldKey: number;
  /** True when no version of the record tells of it. */
  readonly isSilent: boolean;
}

/** Deleted records, and what belongs to their deletion. */
@Injectable()
export class BinRepository {
  /** @param after the end of the page before */
  async list(
    tx: TenantTransaction,
    objectId: string,
    after: { readonly deletedAt: string; readonly id: string },
    limit: number,
  ): Promise<BinRow[]> {
    return tx.queryPrepared<BinRow>(LIST_DELETED, [tx.tenantId, objectId, after.deletedAt, after.id, limit]);
  }

  /** Those of the records that are deleted, in the order of the locks. */
  async lock(tx: TenantTransaction, objectId: string, ids: readonly string[]): Promise<StoredRecord[]> {
    const rows = await tx.queryPrepared<RecordRow>(LOCK_DELETED, [tx.tenantId, objectId, ids]);
    return rows.map(recordOf);
  }

  /** The records that a deletion took along, by object. */
  async listDeletedWith(tx: TenantTransaction, id: string): Promise<Map<string, string[]>> {
    const rows = await tx.queryPrepared<{ objectId: string; id: string }>(LIST_DELETED_WITH, [tx.tenantId, id]);
    return byObject(rows);
  }

  /** Like {@link listDeletedWith}, with those that were merged into the record, and again with what went into these. */
  async listGoneInto(tx: TenantTransaction, id: string): Promise<Map<string, string[]>> {
    const found = new Map<string, string>();
    for (let into = [id]; into.length > 0; ) {
      const rows = await tx.queryPrepared<{ objectId: string; id: string }>(LIST_GONE_INTO, [tx.tenantId, into]);
      const more = rows.filter((row) => row.id !== id && !found.has(row.id));
      for (const row of more) found.set(row.id, row.objectId);
      into = more.map((row) => row.id);
    }
    return byObject([...found].map(([recordId, objectId]) => ({ objectId, id: recordId })));
  }

  async unmark(tx: TenantTransaction, objectId: string, ids: readonly string[]): Promise<void> {
    await tx.queryPrepared(UNMARK_DELETED, [tx.tenantId, objectId, ids]);
  }

  /**
   * References that records are about to lose because of what they name.
   * @param silentlyBy who has deleted it, where no version of the records tells of it: their histories do when it is purged
   */
  async rememberCleared(
    tx: TenantTransaction,
    objectId: string,
    ids: readonly string[],
    fields: readonly StoredField[],
    at: Date,
    silentlyBy: Actor | null,
  ): Promise<void> {
    const keys = fields.map(({ key }) => key);
    await tx.queryPrepared(REMEMBER_CLEARED, [tx.tenantId, objectId, ids, keys, at, ...columnsOf(silentlyBy)]);
  }

  /** A reference of a record that is back to what is deleted. @param silentlyBy as of {@link rememberCleared} */
  async rememberGone(
    tx: TenantTransaction,
    objectId: string,
    { id, version, data }: StoredRecord,
    { key }: StoredField,
    at: Date,
    silentlyBy: Actor | null,
  ): Promise<void> {
    const silently = [silentlyBy && version, ...columnsOf(silentlyBy)];
    await tx.queryPrepared(REMEMBER_GONE, [tx.tenantId, data[key], objectId, id, key, at, ...silently]);
  }

  /** The targets are purged: what their deletions have cleared silently is told by the histories of the records. */
  async tellCleared(tx: TenantTransaction, targets: readonly string[]): Promise<void> {
    await tx.queryPrepared(TELL_CLEARED, [tx.tenantId, targets]);
    await tx.queryPrepared(FORGET_CLEARED, [tx.tenantId, targets]);
  }

  /** The references that the deletions of these records have cleared; they are forgotten. */
  takeCleared(tx: TenantTransaction, targets: readonly string[]): Promise<ClearedReference[]> {
    return tx.queryPrepared<ClearedReference>(TAKE_CLEARED, [tx.tenantId, targets]);
  }
}

const columnsOf = (actor: Actor | null) => [actor?.by ?? null, actor?.actor ?? null, actor?.app ?? null];

function byObject(rows: readonly { readonly objectId: string; readonly id: string }[]): Map<string, string[]> {
  const objects = new Map<string, string[]>();
  for (const { objectId, id } of rows) objects.set(objectId, [...(objects.get(objectId) ?? []), id]);
  return objects;
}
