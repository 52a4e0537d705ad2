import { type FieldProblem, PlatformError } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { CoreObjectDefinition, CoreRecord } from '../core-object/core-object.js';
import { CORE_OBJECT_DEFINITIONS } from '../core-object/core-objects.js';
import { RecordRepository } from './record.repository.js';

/** A record that is referenced by more than this many others is not deleted in one transaction. */
const MAX_UNLINKED = 1000;

/** A record and the reference fields in it that name another. */
export interface ReferencingRecord {
  readonly definition: CoreObjectDefinition;
  readonly record: CoreRecord;
  readonly fields: string[];
}

/** Keeps references true: what is written exists, and what is deleted is named by nobody afterwards. */
@Injectable()
export class RecordReferences {
  constructor(private readonly records: RecordRepository) {}

  /**
   * Checks reference fields that are about to be written and keeps their targets from being deleted meanwhile.
   * @throws REFERENCE_NOT_FOUND with every reference that names nothing in the tenant
   */
  async check(
    tx: TenantTransaction,
    definition: CoreObjectDefinition,
    values: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const errors: FieldProblem[] = [];
    for (const field of definition.fields) {
      const id = values[field.name];
      if (field.type !== 'reference' || typeof id !== 'string') continue;
      let found = false;
      for (const target of field.targets) {
        found ||= (await this.records.existing(tx, target, [id], { hold: true })).length > 0;
      }
      if (!found) {
        const detail = `There is no ${field.targets.join(', ')} with this id.`;
        errors.push({ pointer: `/${field.name}`, code: 'REFERENCE_NOT_FOUND', detail });
      }
    }
    if (errors.length > 0) throw new PlatformError('REFERENCE_NOT_FOUND', undefined, { errors });
  }

  /**
   * Records of every object that name the record, locked, each once.
   * @throws CONFLICT when they are more than one transaction should change
   */
  async lockReferencing(
    tx: TenantTransaction,
    definition: CoreObjectDefinition,
    id: string,
  ): Promise<ReferencingRecord[]> {
    const found = new Map<string, ReferencingRecord>();
    for (const other of Object.values(CORE_OBJECT_DEFINITIONS)) {
      for (const field of other.fields) {
        if (field.type !== 'reference' || !field.targets.includes(definition.object)) continue;
        const limit = MAX_UNLINKED + 1 - found.size;
        for (const record of await this.records.lockReferencing(tx, other, field, id, limit)) {
          const known = found.get(record.id) ?? { definition: other, record, fields: [] };
          known.fields.push(field.name);
          found.set(record.id, known);
        }
        if (found.size > MAX_UNLINKED) {
          throw new PlatformError('CONFLICT', `More than ${MAX_UNLINKED} records refer to this one.`);
        }
      }
    }
    return [...found.values()];
  }
}
