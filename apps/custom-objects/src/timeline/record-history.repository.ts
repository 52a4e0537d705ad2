import type { TenantTransaction, TransactionOrigin } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { StoredField } from '../object/object-definition.js';

export const ACTORS = ['user', 'embed', 'app', 'service_account', 'workflow'] as const;

/** Who made a change. */
export interface Actor {
  readonly by: string;
  /** What it acted as. */
  readonly actor: (typeof ACTORS)[number];
  /** Key of the app that acted, by itself or for the user. */
  readonly app: string | null;
}

const KINDS = { user: 'user', operator: 'user', embed: 'embed', app: 'app', internal: 'workflow' } as const;

export const actorOf = ({ kind = 'user', serviceAccount, appKey }: TransactionOrigin, userId: string): Actor => ({
  by: userId,
  actor: serviceAccount ? 'service_account' : KINDS[kind],
  app: appKey ?? null,
});

/** A change of a record. */
export interface HistoryEntry extends Actor {
  readonly version: number;
  /** True when it is a change besides that which made the version. */
  readonly isBesides: boolean;
  readonly at: Date;
  /** Values before and after, by the fields' keys. */
  readonly data: Readonly<Record<string, readonly [from: unknown, to: unknown]>>;
}

const listOf = (which: string, position: string, order: string): string => `
  (SELECT version, besides_at > '-infinity' AS "isBesides", at, by, actor, app, data FROM record_history
    WHERE tenant_id = $1 AND object_id = $2 AND record_id = $3 AND data ?| $4::text[] AND besides_at ${which} '-infinity' AND ${position}
    ORDER BY ${order} LIMIT $8)`;

/**
 * Those with one of the fields: nothing tells a caller that there are others. The newest of the versions, and of the few changes besides
 * them, whose times are not in the order of the versions. $1: tenant, $2: object, $3: record, $4: keys, $5: time of the entry after which
 * the page begins, $6 and $7: of that moment the version and the change besides it after which it begins, $8: limit of each.
 */
export const LIST_HISTORY = `
  SELECT * FROM (
    ${listOf('=', 'version <= $6 AND (at, version) < ($5::timestamptz, $6::integer)', 'version DESC')}
    UNION ALL ${listOf('>', '(at, version) < ($5::timestamptz, $7::integer)', 'at DESC, version DESC')}) AS history`;

/** $1: tenant, $2: object, $3: record. */
export const FIND_CREATION = `
  SELECT created_at AS at, created_by AS by FROM custom_record
   WHERE tenant_id = $1 AND object_id = $2 AND id = $3 AND deleted_at IS NULL`;

/**
 * Remembers fields that are about to be unset. The rows come from the records' rows, as a cluster inserts none from arrays. $1: tenant, $2: object,
 * $3: records, $4: time, $5: keys, $6 to $8: by whom.
 */
export const REMEMBER_UNSET = `
  INSERT INTO record_history (tenant_id, object_id, record_id, version, at, by, actor, app, data)
  SELECT r.tenant_id, r.object_id, r.id, r.version + 1, greatest(r.updated_at, $4::timestamptz), $6, $7, $8,
         (SELECT jsonb_object_agg(key, jsonb_build_array(r.data -> key, NULL)) FROM unnest($5::text[]) AS key)
    FROM custom_record r WHERE r.tenant_id = $1 AND r.object_id = $2 AND r.id = ANY ($3::uuid[])`;

/**
 * A change besides those of the records' versions. $1: tenant, $2: object, $3: records, $4: time, $5 to $7: by whom, $8: data.
 */
export const REMEMBER_BESIDES = `
  INSERT INTO record_history (tenant_id, object_id, record_id, version, besides_at, at, by, actor, app, data)
  SELECT r.tenant_id, r.object_id, r.id, r.version, $4::timestamptz, $4::timestamptz, $5::uuid, $6::text, $7::text, $8::jsonb
    FROM custom_record r WHERE r.tenant_id = $1 AND r.object_id = $2 AND r.id = ANY ($3::uuid[])
      ON CONFLICT (tenant_id, object_id, record_id, version, besides_at) DO UPDATE SET data = record_history.data || excluded.data`;

/** What records were before their changes. Changes themselves write it with the record. */
@Injectable()
export class RecordHistoryRepository {
  /** In no order. */
  list(
    tx: TenantTransaction,
    objectId: string,
    recordId: string,
    fields: readonly StoredField[],
    after: { readonly at: string; readonly version: number; readonly besides: number },
    limit: number,
  ): Promise<HistoryEntry[]> {
    const keys = fields.map(({ key }) => String(key));
    const parameters = [tx.tenantId, objectId, recordId, keys, after.at, after.version, after.besides, limit];
    return tx.queryPrepared<HistoryEntry>(LIST_HISTORY, parameters);
  }

  /** When and by whom a record was created, null when that is not known. @returns null for a record that does not exist */
  async findCreation(tx: TenantTransaction, objectId: string, recordId: string) {
    const parameters = [tx.tenantId, objectId, recordId];
    const [row] = await tx.queryPrepared<{ at: Date; by: string | null }>(FIND_CREATION, parameters);
    return row ?? null;
  }

  async rememberUnset(
    tx: TenantTransaction,
    objectId: string,
    ids: readonly string[],
    fields: readonly Pick<StoredField, 'key'>[],
    at: Date,
    { by, actor, app }: Actor,
  ): Promise<void> {
    const keys = fields.map(({ key }) => String(key));
    await tx.queryPrepared(REMEMBER_UNSET, [tx.tenantId, objectId, ids, at, keys, by, actor, app]);
  }

  /** The same change of records without a new version. @param data values before and after, by the field's key */
  async rememberBesides(
    tx: TenantTransaction,
    objectId: string,
    ids: readonly string[],
    data: HistoryEntry['data'],
    at: Date,
    { by, actor, app }: Actor,
  ): Promise<void> {
    await tx.queryPrepared(REMEMBER_BESIDES, [tx.tenantId, objectId, ids, at, by, actor, app, data]);
  }
}
