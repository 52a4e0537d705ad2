import { type FieldProblem, PlatformError } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { uniqueKey } from '@crm/fields';
import { Injectable } from '@nestjs/common';
import type { StoredField } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';
import { type FieldValues, type StoredRecord, valuesOf } from '../reading/record.js';
import { UniqueRepository, type UniqueValue } from './claim.repository.js';

/** Keeps `is_unique` fields unique, also between concurrent transactions. */
@Injectable()
export class UniqueService {
  constructor(private readonly uniques: UniqueRepository) {}

  /** Whether a change has anything to claim or to release. @param before null for a new record */
  isConcerned(model: ObjectModel, before: FieldValues | null, after: FieldValues): boolean {
    return changedKeys(model, before, after).length > 0;
  }

  /**
   * Claims new values of unique fields and releases old ones; the statements are sent at once, before any later ones of
   * the caller.
   * @param before null for a new record
   * @throws UNIQUE_VIOLATION naming the fields, never the value or the other record
   */
  async claim(
    tx: TenantTransaction,
    model: ObjectModel,
    recordId: string,
    before: FieldValues | null,
    after: FieldValues,
  ): Promise<void> {
    const changed = changedKeys(model, before, after);
    const released = changed.flatMap(({ field, previous }): UniqueValue[] =>
      previous === null ? [] : [{ fieldId: field.id, key: previous, recordId }],
    );
    const wanted = changed.flatMap(({ field, key }): (UniqueValue & { field: StoredField })[] =>
      key === null ? [] : [{ fieldId: field.id, key, recordId, field }],
    );
    const { id: objectId } = model.object;
    const release = released.length > 0 ? this.uniques.release(tx, objectId, released) : undefined;
    const claim = wanted.length > 0 ? this.uniques.claim(tx, objectId, recordId, wanted) : undefined;
    const [, claimed] = await Promise.all([release, claim]);
    const conflicts = wanted.filter(({ fieldId }) => !claimed?.has(fieldId));
    if (conflicts.length === 0) return;
    throw new PlatformError('UNIQUE_VIOLATION', undefined, {
      errors: conflicts.map(
        ({ field }): FieldProblem => ({
          pointer: `/${field.apiName}`,
          code: 'UNIQUE_VIOLATION',
          detail: `Another record has this value of ${field.label}`,
        }),
      ),
    });
  }

  /** Releases what deleted records have. */
  async release(tx: TenantTransaction, model: ObjectModel, records: readonly StoredRecord[]): Promise<void> {
    const held = records.flatMap(({ id: recordId, data }) => {
      const values = model.uniqueFields.length > 0 ? valuesOf(model, data) : {};
      return model.uniqueFields.flatMap((field): UniqueValue[] => {
        const key = uniqueKey(field, values[field.apiName] ?? null);
        return key === null ? [] : [{ fieldId: field.id, key, recordId }];
      });
    });
    if (held.length > 0) await this.uniques.release(tx, model.object.id, held);
  }
}

interface ChangedKey {
  readonly field: StoredField;
  readonly previous: string | null;
  readonly key: string | null;
}

function changedKeys(model: ObjectModel, before: FieldValues | null, after: FieldValues): ChangedKey[] {
  return model.uniqueFields.flatMap((field) => {
    const previous = before === null ? null : uniqueKey(field, before[field.apiName] ?? null);
    const key = uniqueKey(field, after[field.apiName] ?? null);
    return key === previous ? [] : [{ field, previous, key }];
  });
}
