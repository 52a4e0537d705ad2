import { type FieldProblem, PlatformError } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { uniqueKey } from '@crm/fields';
import { Injectable } from '@nestjs/common';
import type { ObjectModel } from '../object/object-model.js';
import type { FieldValues } from './record-values.js';
import { UniqueRepository } from './unique.repository.js';

/** Keeps `is_unique` fields unique, also between concurrent transactions. */
@Injectable()
export class UniqueService {
  constructor(private readonly uniques: UniqueRepository) {}

  /**
   * Claims the values of the record's unique fields and releases those that it no longer has.
   * @param before values before the change; null for a new record
   * @throws UNIQUE_VIOLATION, which names the fields, never the value or the other record
   */
  async claim(
    tx: TenantTransaction,
    model: ObjectModel,
    recordId: string,
    before: FieldValues | null,
    after: FieldValues,
  ): Promise<void> {
    const conflicts: FieldProblem[] = [];
    // In the order of the field ids: two records that claim several values cannot deadlock.
    const fields = model.object.fields.filter((field) => field.is_unique).sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const field of fields) {
      const key = uniqueKey(field, after[field.apiName] ?? null);
      const previous = before === null ? null : uniqueKey(field, before[field.apiName] ?? null);
      if (key === previous) continue;
      if (previous !== null) await this.uniques.release(tx, model.object.id, field.id, recordId);
      if (key !== null && !(await this.uniques.claim(tx, model.object.id, field.id, key, recordId))) {
        conflicts.push({
          pointer: `/${field.apiName}`,
          code: 'UNIQUE_VIOLATION',
          detail: `Another record has this value of ${field.label}`,
        });
      }
    }
    if (conflicts.length > 0) throw new PlatformError('UNIQUE_VIOLATION', undefined, { errors: conflicts });
  }

  async release(tx: TenantTransaction, model: ObjectModel, recordId: string): Promise<void> {
    await this.uniques.releaseAll(tx, model.object.id, recordId);
  }
}
