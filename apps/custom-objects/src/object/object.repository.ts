import type { Queryable, TenantTransaction } from '@crm/database';
import type { FieldDefinition } from '@crm/fields';
import { Injectable } from '@nestjs/common';
import type { CustomObject, StoredField } from './custom-object.js';

interface ObjectRow {
  id: string;
  tenant_id: string;
  installation_id: string;
  app_key: string;
  sandbox: boolean;
  declared_api_name: string;
  api_name: string;
  label: string;
  plural_label: string;
  description: string | null;
  name_field: string | null;
  revision: number;
  fields: { id: string; slot: string | null; referenceObjectId: string | null; definition: FieldDefinition }[];
}

const SELECT_OBJECTS = `
  SELECT o.id, o.tenant_id, o.installation_id, o.app_key, o.sandbox, o.declared_api_name, o.api_name, o.label,
         o.plural_label, o.description, o.name_field, o.revision,
         (SELECT coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'slot', f.slot,
                   'referenceObjectId', f.reference_object_id, 'definition', f.definition) ORDER BY f.position), '[]')
            FROM custom_field f WHERE f.tenant_id = o.tenant_id AND f.object_id = o.id) AS fields
    FROM custom_object o
   WHERE o.tenant_id = $1 AND o.state = 'active'`;

function toObject(row: ObjectRow): CustomObject {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    installationId: row.installation_id,
    appKey: row.app_key,
    sandbox: row.sandbox,
    declaredApiName: row.declared_api_name,
    apiName: row.api_name,
    label: row.label,
    pluralLabel: row.plural_label,
    description: row.description,
    nameField: row.name_field,
    revision: row.revision,
    fields: row.fields.map(
      (field): StoredField => ({
        ...field.definition,
        id: field.id,
        label: field.definition.label ?? field.definition.apiName,
        slot: field.slot,
        referenceObjectId: field.referenceObjectId,
      }),
    ),
  };
}

/** SQL of object definitions. */
@Injectable()
export class ObjectRepository {
  /** Serialises provisioning of one tenant until the transaction ends: counting and inserting are one step. */
  async lockTenant(tx: TenantTransaction): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('custom_object:' || $1::text, 0))`, [tx.tenantId]);
  }

  async list(tx: TenantTransaction): Promise<CustomObject[]> {
    const rows = await tx.query<ObjectRow>(`${SELECT_OBJECTS} ORDER BY o.api_name`, [tx.tenantId]);
    return rows.map(toObject);
  }

  async findByApiName(tx: TenantTransaction, apiName: string): Promise<CustomObject | null> {
    const [row] = await tx.query<ObjectRow>(`${SELECT_OBJECTS} AND o.api_name = $2`, [tx.tenantId, apiName]);
    return row ? toObject(row) : null;
  }

  /** The names of active objects by id; those that are gone have none. */
  async apiNames(tx: TenantTransaction, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const rows = await tx.query<{ id: string; api_name: string }>(
      `SELECT id, api_name FROM custom_object WHERE tenant_id = $1 AND state = 'active' AND id = ANY ($2::uuid[])`,
      [tx.tenantId, ids],
    );
    return new Map(rows.map((row) => [row.id, row.api_name]));
  }

  async listByInstallation(tx: TenantTransaction, installationId: string): Promise<CustomObject[]> {
    const rows = await tx.query<ObjectRow>(`${SELECT_OBJECTS} AND o.installation_id = $2 ORDER BY o.api_name`, [
      tx.tenantId,
      installationId,
    ]);
    return rows.map(toObject);
  }

  /**
   * The revision of an active object, held still until the transaction ends; null when the object is gone.
   * The lock lets records be written side by side and makes a change of the definition wait for them.
   */
  async holdRevision(tx: TenantTransaction, objectId: string): Promise<number | null> {
    const [row] = await tx.query<{ revision: number }>(
      `SELECT revision FROM custom_object WHERE tenant_id = $1 AND id = $2 AND state = 'active' FOR SHARE`,
      [tx.tenantId, objectId],
    );
    return row?.revision ?? null;
  }

  /** As `holdRevision`, without the lock, for reads. */
  async readRevision(tx: Queryable & { tenantId: string }, objectId: string): Promise<number | null> {
    const [row] = await tx.query<{ revision: number }>(
      `SELECT revision FROM custom_object WHERE tenant_id = $1 AND id = $2 AND state = 'active'`,
      [tx.tenantId, objectId],
    );
    return row?.revision ?? null;
  }

  async insert(tx: TenantTransaction, object: CustomObject): Promise<void> {
    await tx.query(
      `INSERT INTO custom_object (tenant_id, id, installation_id, app_key, sandbox, declared_api_name, api_name, label,
                                  plural_label, description, name_field, revision)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        tx.tenantId,
        object.id,
        object.installationId,
        object.appKey,
        object.sandbox,
        object.declaredApiName,
        object.apiName,
        object.label,
        object.pluralLabel,
        object.description,
        object.nameField,
        object.revision,
      ],
    );
    const rows = object.fields.map(({ id, slot, referenceObjectId, ...definition }, position) => ({
      id,
      api_name: definition.apiName,
      position,
      slot,
      reference_object_id: referenceObjectId,
      definition,
    }));
    await tx.query(
      `INSERT INTO custom_field (tenant_id, id, object_id, api_name, position, slot, reference_object_id, definition)
       SELECT $1, f.id, $2, f.api_name, f.position, f.slot, f.reference_object_id, f.definition
         FROM jsonb_to_recordset($3::jsonb) AS f(id uuid, api_name text, position integer, slot text,
                                                 reference_object_id uuid, definition jsonb)`,
      [tx.tenantId, object.id, JSON.stringify(rows)],
    );
  }

  /** Takes the objects of an installation out of use; their records stay. Returns how many there were. */
  async retire(tx: TenantTransaction, installationId: string): Promise<number> {
    const rows = await tx.query(
      `UPDATE custom_object SET state = 'removed', revision = revision + 1
        WHERE tenant_id = $1 AND installation_id = $2 AND state = 'active' RETURNING id`,
      [tx.tenantId, installationId],
    );
    return rows.length;
  }

  /** Deletes the objects of an installation with all their records, as if it had never been. */
  async discard(tx: TenantTransaction, installationId: string): Promise<number> {
    for (const table of ['custom_unique', 'custom_record']) {
      await tx.query(
        `DELETE FROM ${table} WHERE tenant_id = $1 AND object_id IN
           (SELECT id FROM custom_object WHERE tenant_id = $1 AND installation_id = $2)`,
        [tx.tenantId, installationId],
      );
    }
    const rows = await tx.query(
      'DELETE FROM custom_object WHERE tenant_id = $1 AND installation_id = $2 RETURNING id',
      [tx.tenantId, installationId],
    );
    return rows.length;
  }
}
