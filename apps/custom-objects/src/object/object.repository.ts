import type { TenantTransaction } from '@crm/database';
import type { FieldDefinition } from '@crm/fields';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { CustomField } from './field.entity.js';
import { CustomObject } from './object.entity.js';
import {
  DELETE_RECORDS_OF_INSTALLATION,
  DELETE_REFERENCES_OF_INSTALLATION,
  DELETE_SEARCH_TEXTS_OF_INSTALLATION,
  DELETE_UNIQUE_VALUES_OF_INSTALLATION,
  FIND_OBJECT,
  FIND_OBJECT_BY_ID,
  FIND_REVISION,
  HOLD_DEFINITIONS,
  LIST_OBJECTS,
  LOCK_DEFINITIONS,
  REQUIRE_REVISION,
} from './object.sql.js';
import type { AppObject, StoredField } from './object-definition.js';

/** The SQLSTATE of a transaction that relied on a definition that has changed. */
export const STALE_DEFINITION = 'CO001';

/** What the statements return. */
interface ObjectRow extends Omit<AppObject, 'fields' | 'standard'> {
  readonly state: 'active' | 'removed';
  readonly fields: readonly FieldRow[];
}

type FieldRow = Pick<StoredField, 'id' | 'key' | 'slot'> & {
  readonly referenceObjectId: string | null;
  readonly definition: FieldDefinition;
};

const toObject = ({ fields, state: _, ...head }: ObjectRow): AppObject => ({
  ...head,
  standard: null,
  fields: fields.map(({ definition, referenceObjectId, ...place }) => ({
    ...definition,
    ...place,
    label: definition.label ?? definition.apiName,
    referenceObjectIds: referenceObjectId === null ? [] : [referenceObjectId],
  })),
});

@Injectable()
export class ObjectRepository {
  /** Holds the tenant's definitions until the transaction ends: counting them and adding to them are one step. */
  async lockDefinitions(tx: TenantTransaction): Promise<void> {
    await tx.query(LOCK_DEFINITIONS, [tx.tenantId]);
  }

  /** The active objects, by name. */
  async list(tx: TenantTransaction): Promise<AppObject[]> {
    const rows = await tx.query<ObjectRow>(LIST_OBJECTS, [tx.tenantId]);
    return rows.map(toObject);
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

  /** The names of active objects by id; removed objects have none. */
  async listApiNames(tx: TenantTransaction, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const objects = await tx.repository(CustomObject).find({
      select: { tenantId: true, id: true, apiName: true },
      where: { tenantId: tx.tenantId, state: 'active', id: In([...ids]) },
    });
    return new Map(objects.map(({ id, apiName }) => [id, apiName]));
  }

  /** Until the transaction ends, a change of the tenant's definitions waits; writes of records do not. */
  async holdDefinitions(tx: TenantTransaction): Promise<void> {
    await tx.queryPrepared(HOLD_DEFINITIONS, [tx.tenantId]);
  }

  /**
   * Like holdDefinitions, but nobody waits for the answer: the transaction fails with {@link STALE_DEFINITION} when the
   * object's revision is not the given one.
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
    await tx.query(DELETE_UNIQUE_VALUES_OF_INSTALLATION, [tx.tenantId, installationId]);
    await tx.query(DELETE_REFERENCES_OF_INSTALLATION, [tx.tenantId, installationId]);
    await tx.query(DELETE_SEARCH_TEXTS_OF_INSTALLATION, [tx.tenantId, installationId]);
    await tx.query(DELETE_RECORDS_OF_INSTALLATION, [tx.tenantId, installationId]);
    const { affected } = await tx.repository(CustomObject).delete({ tenantId: tx.tenantId, installationId });
    return affected ?? 0;
  }
}
