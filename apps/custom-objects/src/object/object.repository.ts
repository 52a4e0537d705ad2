import type { TenantTransaction } from '@crm/database';
import type { FieldDefinition } from '@crm/fields';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { CustomField } from './field.entity.js';
import { CustomObject } from './object.entity.js';
import {
  DELETE_RECORDS_OF_INSTALLATION,
  DELETE_UNIQUE_VALUES_OF_INSTALLATION,
  FIND_OBJECT,
  FIND_REVISION,
  HOLD_DEFINITIONS,
  LIST_OBJECTS,
  LOCK_DEFINITIONS,
} from './object.sql.js';
import type { ObjectDefinition, StoredField } from './object-definition.js';

/** What the statements return. */
interface ObjectRow extends Omit<ObjectDefinition, 'fields'> {
  fields: (Pick<StoredField, 'id' | 'slot' | 'referenceObjectId'> & { definition: FieldDefinition })[];
}

const toDefinition = ({ fields, ...head }: ObjectRow): ObjectDefinition => ({
  ...head,
  fields: fields.map(({ definition, ...place }) => ({
    ...definition,
    ...place,
    label: definition.label ?? definition.apiName,
  })),
});

@Injectable()
export class ObjectRepository {
  /** Holds the tenant's definitions until the transaction ends: counting them and adding to them are one step. */
  async lockDefinitions(tx: TenantTransaction): Promise<void> {
    await tx.query(LOCK_DEFINITIONS, [tx.tenantId]);
  }

  /** The active objects, by name. */
  async list(tx: TenantTransaction): Promise<ObjectDefinition[]> {
    const rows = await tx.query<ObjectRow>(LIST_OBJECTS, [tx.tenantId]);
    return rows.map(toDefinition);
  }

  /** @returns null when the tenant has no active object of this name */
  async findByApiName(tx: TenantTransaction, apiName: string): Promise<ObjectDefinition | null> {
    const [row] = await tx.queryPrepared<ObjectRow>(FIND_OBJECT, [tx.tenantId, apiName]);
    return row ? toDefinition(row) : null;
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

  /**
   * The revision of an active object, or null. Until the transaction ends, a change of the tenant's definitions waits; other
   * writes of records do not.
   */
  async lockRevision(tx: TenantTransaction, objectId: string): Promise<number | null> {
    // Two statements: the second sees what a change that was waited for has committed.
    const held = tx.queryPrepared(HOLD_DEFINITIONS, [tx.tenantId]);
    const [, revision] = await Promise.all([held, this.findRevision(tx, objectId)]);
    return revision;
  }

  /** The revision of an active object, or null. */
  async findRevision(tx: TenantTransaction, objectId: string): Promise<number | null> {
    const [row] = await tx.queryPrepared<{ revision: number }>(FIND_REVISION, [tx.tenantId, objectId]);
    return row?.revision ?? null;
  }

  async insert(tx: TenantTransaction, { fields, ...object }: ObjectDefinition): Promise<void> {
    await tx.repository(CustomObject).insert(object);
    await tx.repository(CustomField).insert(
      fields.map(({ id, slot, referenceObjectId, ...definition }, position) => ({
        id,
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
    await tx.query(DELETE_RECORDS_OF_INSTALLATION, [tx.tenantId, installationId]);
    const { affected } = await tx.repository(CustomObject).delete({ tenantId: tx.tenantId, installationId });
    return affected ?? 0;
  }
}
