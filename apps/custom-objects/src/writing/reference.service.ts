import { type FieldProblem, PlatformError } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { StoredField } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';
import { type FieldValues, type StoredRecord } from '../reading/record.js';

import { type Reference, ReferenceRepository } from './reference.repository.js';

/** Keeps references true: what is written exists, and stays until the writing transaction has committed. */
@Injectable()
export class ReferenceService {
  constructor(private readonly references: ReferenceRepository) {}

  /** Whether a change has anything to register or to forget. @param before null for a new record */
  isConcerned(model: ObjectModel, before: FieldValues | null, after: FieldValues): boolean {
    return changedReferences(model, before, after).length > 0;
  }

  /**
   * Registers what the record refers to now and forgets what it no longer does. The statements are sent at once, before any
   * that the caller sends afterwards.
   * @param targetsOf the objects to which a written reference may point, of those that its field names
   * @param before values before the change; null for a new record
   * @throws VALIDATION_FAILED with every reference that names no record
   */
  async claim(
    tx: TenantTransaction,
    model: ObjectModel,
    targetsOf: (field: StoredField) => readonly string[],
    recordId: string,
    before: FieldValues | null,
    after: FieldValues,
  ): Promise<void> {
    const changed = changedReferences(model, before, after);
    const released = changed.flatMap(({ field, previous }): Reference[] =>
      previous === null ? [] : [{ recordId, fieldKey: field.key, targetId: previous }],
    );
    const wanted = changed.flatMap(({ field, targetId }) => (targetId === null ? [] : [{ field, targetId }]));
    const { id: objectId } = model.object;
    const release = released.length > 0 ? this.references.release(tx, objectId, released) : undefined;
    const claim =
      wanted.length > 0 ? this.references.claim(tx, objectId, recordId, candidates(wanted, targetsOf)) : undefined;
    const [, claimed] = await Promise.all([release, claim]);
    const missing = wanted.filter(({ field }) => !claimed?.has(field.key));
    if (missing.length === 0) return;
    throw new PlatformError('VALIDATION_FAILED', undefined, {
      errors: missing.map(({ field }) => referenceNotFound(field)),
    });
  }

  /** Forgets what records refer to by these fields. */
  async release(
    tx: TenantTransaction,
    objectId: string,
    fields: readonly StoredField[],
    records: readonly StoredRecord[],
  ): Promise<void> {
    const held = records.flatMap(({ id: recordId, data }) =>
      fields.flatMap(({ key }): Reference[] => {
        const targetId = data[key] ?? null;
        return targetId === null ? [] : [{ recordId, fieldKey: key, targetId: targetId as string }];
      }),
    );
    if (held.length > 0) await this.references.release(tx, objectId, held);
  }
}

interface ChangedReference {
  readonly field: StoredField;
  readonly previous: string | null;
  readonly targetId: string | null;
}

function changedReferences(model: ObjectModel, before: FieldValues | null, after: FieldValues): ChangedReference[] {
  return model.referenceFields.flatMap((field) => {
    const previous = (before?.[field.apiName] ?? null) as string | null;
    const targetId = (after[field.apiName] ?? null) as string | null;
    return targetId === previous ? [] : [{ field, previous, targetId }];
  });
}

/** In the order of the records, in which all transactions lock them. */
const candidates = (
  wanted: readonly { field: StoredField; targetId: string }[],
  targetsOf: (field: StoredField) => readonly string[],
) =>
  wanted
    .flatMap(({ field, targetId }) => targetsOf(field).map((objectId) => ({ fieldKey: field.key, objectId, targetId })))
    .sort((one, other) => (one.targetId < other.targetId ? -1 : 1));

/** A reference to a record that does not exist, or that the caller may not know of. */
export const referenceNotFound = (field: StoredField): FieldProblem => ({
  pointer: `/${field.apiName}`,
  code: 'REFERENCE_NOT_FOUND',
  // Without the field's label, which is unknown to writers who cannot read the field.
  detail: 'Names a record that does not exist',
});
