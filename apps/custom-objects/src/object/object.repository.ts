import { type Database, TENANT_OF_STATEMENT, type TenantTransaction } from '@crm/database';
import type { FieldDefinition } from '@crm/fields';
import { Injectable } from '@nestjs/common';
import { CustomField, CustomObject, ObjectShare } from './object.entity.js';
import {
  type AppObject,
  type ObjectDefinition,
  type SharedAccess,
  type StoredField,
  withPicklists,
} from './object-definition.js';
import type { ObjectSettings } from './picklist.js';

/** Lists who else reaches an object `o`. */
const sharedWith = (tenant: string): string => `
         (SELECT coalesce(jsonb_object_agg(s.app_key, s.access), '{}')
            FROM custom_object_share s WHERE s.tenant_id = ${tenant} AND s.object_id = o.id) AS "sharedWith"`;

/** Objects with their fields, in one statement: a definition is read in one round trip. $1: tenant. */
const OBJECTS = `
  SELECT o.id, o.tenant_id AS "tenantId", o.installation_id AS "installationId", o.app_key AS "appKey", o.sandbox,
         o.declared_api_name AS "declaredApiName", o.api_name AS "apiName", o.label, o.plural_label AS "pluralLabel",
         o.description, o.name_field AS "nameField", o.revision, o.state, o.settings,
         (SELECT coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'key', f.key, 'slot', f.slot,
                   'referenceObjectId', f.reference_object_id, 'definition', f.definition) ORDER BY f.position), '[]')
            FROM custom_field f WHERE f.tenant_id = o.tenant_id AND f.object_id = o.id) AS fields,
         ${sharedWith('o.tenant_id')}
    FROM custom_object o
   WHERE o.tenant_id = $1`;

/** Those of apps, and the standard ones of which the workspace has changed something. $1: tenant, $2: objects, or null for all. */
export const LIST_HEADS = `
  SELECT head.*
    FROM ${TENANT_OF_STATEMENT}
   CROSS JOIN LATERAL (SELECT o.id, o.api_name AS "apiName", o.app_key AS "appKey", o.installation_id AS "installationId", o.revision,
                              ${sharedWith('$1::uuid')}
                         FROM custom_object o
                        WHERE o.tenant_id = $1::uuid AND tenant.id IS NOT NULL AND o.state = 'active'
                          AND o.id = ANY (coalesce($2::uuid[], ARRAY[o.id])) OFFSET 0) AS head`;

/** Those of apps, without their fields. $1: tenant. */
const LIST_INSTALLED = `
  SELECT id, api_name AS "apiName", declared_api_name AS "declaredApiName", installation_id AS "installationId", sandbox
    FROM custom_object WHERE tenant_id = $1 AND state = 'active' AND installation_id IS NOT NULL ORDER BY api_name`;

/** $1: tenant, $2: name in the tenant. */
export const FIND_OBJECT = `${OBJECTS} AND o.state = 'active' AND o.installation_id IS NOT NULL AND o.api_name = $2`;

/** $1: tenant, $2: roles, $3: roles whose fields are left out. */
const LIST_FIELDS_OF_ROLES = `
  SELECT o.api_name || '.' || f.api_name AS name
    FROM custom_field f JOIN custom_object o ON o.tenant_id = f.tenant_id AND o.id = f.object_id
   WHERE o.tenant_id = $1 AND f.tenant_id = $1 AND o.state = 'active'
     AND ((f.definition->'readRoles' ?| $2::text[] AND NOT f.definition->'readRoles' ?| $3::text[])
       OR (f.definition->'writeRoles' ?| $2::text[] AND NOT f.definition->'writeRoles' ?| $3::text[]))
   ORDER BY name LIMIT 200`;

/** What the workspace has changed of a standard object. $1: tenant, $2: object. */
const FIND_SETTINGS = 'SELECT settings, revision FROM custom_object WHERE tenant_id = $1 AND id = $2';

/** Makes every model of the object stale. Under a name that no app can give. $1: tenant, $2: object, $3: name, $4: label, $5: plural, $6: settings. */
const SAVE_SETTINGS = `
  INSERT INTO custom_object (tenant_id, id, sandbox, declared_api_name, api_name, label, plural_label, settings)
  VALUES ($1, $2, false, $3, 'standard:' || $3, $4, $5, $6)
  ON CONFLICT (tenant_id, id) DO UPDATE SET settings = excluded.settings, revision = custom_object.revision + 1`;

/** By the index of the slot, and in the bin. $1: tenant, $2: object, $3: values, $4: key of the field. */
const findUsed = (slot: string): string => `
  SELECT value FROM unnest($3::text[]) AS value
   WHERE EXISTS (SELECT 1 FROM custom_record WHERE tenant_id = $1 AND object_id = $2 AND deleted_at IS NULL AND ${slot} = value)
      OR EXISTS (SELECT 1 FROM custom_record WHERE tenant_id = $1 AND object_id = $2 AND deleted_at IS NOT NULL AND data->>$4 = value)`;

/** In use or not. $1: tenant, $2: object. */
export const FIND_OBJECT_BY_ID = `${OBJECTS} AND o.id = $2`;

/** Looking at no object makes a cluster take the lock on the node of the tenant. */
const lockDefinitions = (lock: string): string => `
  SELECT ${lock}(hashtextextended('custom_object:' || $1::uuid::text, 0))
    FROM (SELECT count(*) FROM custom_object WHERE tenant_id = $1 AND id = $1) AS looked`;

/** Every change of definitions begins with it. $1: tenant. */
const LOCK_DEFINITIONS = lockDefinitions('pg_advisory_xact_lock');

/**
 * Precedes every write: definitions cannot change until the transaction ends. An advisory lock, because all writers
 * would write to the object's row. $1: tenant.
 */
export const HOLD_DEFINITIONS = lockDefinitions('pg_advisory_xact_lock_shared');

/** $1: tenant, $2: object. */
export const FIND_REVISION = `SELECT revision FROM custom_object WHERE tenant_id = $1 AND id = $2 AND state = 'active'`;

/**
 * Fails when the revision differs. A separate statement after HOLD_DEFINITIONS, so that it sees what a change it waited
 * for has committed. $1: tenant, $2: object, $3: revision, 0 for an object without a row.
 */
export const REQUIRE_REVISION = `
  SELECT CASE WHEN coalesce((SELECT revision FROM custom_object WHERE tenant_id = $1 AND id = $2 AND state = 'active'), 0) <> $3
              THEN stale_definition() END`;

/** What belongs to the objects of an installation and goes with them. $1: tenant, $2: installation. */
const DISCARD_CONTENTS = [
  'custom_unique',
  'record_reference',
  'record_search',
  'custom_record',
  'cleared_reference',
  'record_history',
  'record_note',
  'saved_view',
  'storage_use',
].map(
  (table) => `
  DELETE FROM ${table} WHERE tenant_id = $1 AND object_id IN
    (SELECT id FROM custom_object WHERE tenant_id = $1 AND installation_id = $2)`,
);

/** The SQLSTATE of a transaction that relied on a definition that has changed. */
export const STALE_DEFINITION = 'CO001';

/** A definition as the statements return it. */
interface ObjectRow extends Omit<AppObject, 'fields' | 'standard'> {
  readonly state: 'active' | 'removed';
  readonly settings: ObjectSettings | null;
  readonly fields: readonly FieldRow[];
}

type FieldRow = Pick<StoredField, 'id' | 'key' | 'slot'> & {
  readonly referenceObjectId: string | null;
  readonly definition: FieldDefinition;
};

type SettingsRow = Pick<ObjectRow, 'settings' | 'revision'>;

const changedObject = (object: ObjectDefinition, row: SettingsRow | undefined): ObjectDefinition =>
  row ? withPicklists(object, row.revision, row.settings?.picklists ?? {}, row.settings?.pipelines) : object;

type HeadRow = Omit<ObjectHead, 'appKey'> & { readonly appKey: string | null };

export const isOfApp = (row: HeadRow): row is ObjectHead => row.appKey !== null;

const toObject = ({ fields, state: _, settings: _none, ...head }: ObjectRow): AppObject => ({
  ...head,
  standard: null,
  fields: fields.map(({ definition, referenceObjectId, ...place }) => ({
    ...definition,
    ...place,
    label: definition.label ?? definition.apiName,
    referenceObjectIds: referenceObjectId === null ? [] : [referenceObjectId],
  })),
});

/** Its revision changes with any of it. */
export type ObjectHead = Pick<AppObject, 'id' | 'apiName' | 'appKey' | 'installationId' | 'revision' | 'sharedWith'>;

/** What a further object must not be confused with. */
export type InstalledObject = Pick<AppObject, 'id' | 'apiName' | 'declaredApiName' | 'installationId' | 'sandbox'>;

@Injectable()
export class ObjectRepository {
  /** Holds the tenant's definitions until the transaction ends: counting them and adding to them are one step. */
  async lockDefinitions(tx: TenantTransaction): Promise<void> {
    await tx.query(LOCK_DEFINITIONS, [tx.tenantId]);
  }

  /** The active objects of apps, by name. */
  list(tx: TenantTransaction): Promise<InstalledObject[]> {
    return tx.query<InstalledObject>(LIST_INSTALLED, [tx.tenantId]);
  }

  /** Fields that one of the roles opens, and none of those that are held. */
  async listFieldsOfRoles(tx: TenantTransaction, roles: readonly string[], held: readonly string[]): Promise<string[]> {
    const rows = await tx.query<{ name: string }>(LIST_FIELDS_OF_ROLES, [tx.tenantId, roles, held]);
    return rows.map(({ name }) => name);
  }

  /** A standard object as the tenant has it. */
  async findStandard(tx: TenantTransaction, object: ObjectDefinition): Promise<ObjectDefinition> {
    const [row] = await tx.queryPrepared<SettingsRow>(FIND_SETTINGS, [tx.tenantId, object.id]);
    return changedObject(object, row);
  }

  /** In a transaction that holds the lock of {@link lockDefinitions}. */
  async saveSettings(tx: TenantTransaction, object: ObjectDefinition, settings: ObjectSettings): Promise<void> {
    const { id, apiName, label, pluralLabel } = object;
    await tx.query(SAVE_SETTINGS, [tx.tenantId, id, apiName, label, pluralLabel, JSON.stringify(settings)]);
  }

  /** @returns those of the values that records have in the field, or would have again */
  async findUsed(
    tx: TenantTransaction,
    objectId: string,
    { key, slot }: StoredField,
    values: readonly string[],
  ): Promise<string[]> {
    if (values.length === 0) return [];
    const parameters = [tx.tenantId, objectId, values, String(key)];
    const rows = await tx.query<{ value: string }>(findUsed(slot as string), parameters);
    return rows.map(({ value }) => value);
  }

  /** @returns null when the tenant has no active object of this name */
  async findByApiName(tx: TenantTransaction, apiName: string): Promise<AppObject | null> {
    const [row] = await tx.queryPrepared<ObjectRow>(FIND_OBJECT, [tx.tenantId, apiName]);
    return row ? toObject(row) : null;
  }

  /** An object that records may still refer from, also when it is no longer in use. @returns null when there is none */
  async findById(tx: TenantTransaction, id: string): Promise<{ object: AppObject; isActive: boolean } | null> {
    const [row] = await tx.queryPrepared<ObjectRow>(FIND_OBJECT_BY_ID, [tx.tenantId, id]);
    return row ? { object: toObject(row), isActive: row.state === 'active' } : null;
  }

  /** The names of active objects of apps and who reaches them. @param ids null for all */
  async listHeads(database: Database, tenantId: string, ids: readonly string[] | null): Promise<ObjectHead[]> {
    return (await this.listRevisions(database, tenantId, ids)).filter(isOfApp);
  }

  /** Like {@link listHeads}, with the standard objects of which the workspace has changed something, whose `appKey` is null. */
  listRevisions(database: Database, tenantId: string, ids: readonly string[] | null = null): Promise<HeadRow[]> {
    return database.read<HeadRow>(tenantId, LIST_HEADS, [ids]);
  }

  /** Until the transaction ends, a change of the tenant's definitions waits; writes of records do not. */
  async holdDefinitions(tx: TenantTransaction): Promise<void> {
    await tx.queryPrepared(HOLD_DEFINITIONS, [tx.tenantId]);
  }

  /**
   * Like holdDefinitions, without waiting: the transaction fails with {@link STALE_DEFINITION} when the revision differs.
   */
  holdDefinition(tx: TenantTransaction, objectId: string, revision: number): void {
    tx.issue(HOLD_DEFINITIONS, [tx.tenantId]);
    tx.issue(REQUIRE_REVISION, [tx.tenantId, objectId, revision]);
  }

  /** The revision of an active object, or null. */
  async findRevision(tx: TenantTransaction, objectId: string): Promise<number | null> {
    const [row] = await tx.queryPrepared<{ revision: number }>(FIND_REVISION, [tx.tenantId, objectId]);
    return row?.revision ?? null;
  }

  /** Makes every model of an object stale, in the transaction that changes the definition. */
  async increaseRevision(tx: TenantTransaction, id: string): Promise<void> {
    await tx.repository(CustomObject).increment({ tenantId: tx.tenantId, id }, 'revision', 1);
  }

  async insert(tx: TenantTransaction, { fields, standard: _, ...object }: AppObject): Promise<void> {
    await tx.repository(CustomObject).insert(object);
    await tx.repository(CustomField).insert(
      fields.map(({ id, key, slot, referenceObjectIds: [referenceObjectId = null], ...definition }, position) => ({
        id,
        key,
        objectId: object.id,
        apiName: definition.apiName,
        position,
        slot,
        referenceObjectId,
        definition,
      })),
    );
  }

  /** Takes the objects of an installation out of use and keeps their records. @returns how many there were */
  async retire(tx: TenantTransaction, installationId: string): Promise<number> {
    const { affected } = await tx
      .repository(CustomObject)
      .update(
        { tenantId: tx.tenantId, installationId, state: 'active' },
        { state: 'removed', revision: () => 'revision + 1' },
      );
    return affected ?? 0;
  }

  /** Deletes the objects of an installation with all their records. @returns how many objects there were */
  async discard(tx: TenantTransaction, installationId: string): Promise<number> {
    for (const statement of DISCARD_CONTENTS) await tx.query(statement, [tx.tenantId, installationId]);
    const { affected } = await tx.repository(CustomObject).delete({ tenantId: tx.tenantId, installationId });
    return affected ?? 0;
  }

  async share(tx: TenantTransaction, objectId: string, appKey: string, access: SharedAccess): Promise<void> {
    const { tenantId } = tx;
    await tx.repository(ObjectShare).upsert({ tenantId, objectId, appKey, access }, ['tenantId', 'objectId', 'appKey']);
  }

  async unshare(tx: TenantTransaction, objectId: string, appKey: string): Promise<void> {
    await tx.repository(ObjectShare).delete({ tenantId: tx.tenantId, objectId, appKey });
  }
}
