import { CORE_OBJECTS, type CoreObject, type FieldProblem, PlatformError, rpc } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import type { StoredField } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';
import { RecordRepository } from './record.repository.js';
import type { FieldValues } from './record-values.js';

/** Checks that referenced records exist; their shape has been validated before. */
@Injectable()
export class ReferenceService {
  constructor(
    private readonly rpc: Rpc,
    private readonly records: RecordRepository,
  ) {}

  /**
   * Checks references to core objects, by a call to crm before the transaction begins.
   * @throws VALIDATION_FAILED
   */
  async requireCore(tenantId: string, model: ObjectModel, written: FieldValues): Promise<void> {
    const byObject = new Map<CoreObject, StoredField[]>();
    for (const field of writtenReferences(model, written)) {
      if (!isCoreObject(field.referenceTarget)) continue;
      byObject.set(field.referenceTarget, [...(byObject.get(field.referenceTarget) ?? []), field]);
    }
    const missing: FieldProblem[] = [];
    for (const [object, fields] of byObject) {
      const ids = [...new Set(fields.map((field) => written[field.apiName] as string))];
      const { found } = await this.rpc.call(rpc.crm.findCoreRecords, { tenantId, object, ids });
      missing.push(...fields.filter((field) => !found.includes(written[field.apiName] as string)).map(notFound));
    }
    refuse(missing);
  }

  /** Checks references to custom objects, in the writing transaction. @throws VALIDATION_FAILED */
  async requireCustom(tx: TenantTransaction, model: ObjectModel, written: FieldValues): Promise<void> {
    const missing: FieldProblem[] = [];
    for (const field of writtenReferences(model, written)) {
      if (field.referenceObjectId === null) continue;
      const id = written[field.apiName] as string;
      const found = await this.records.listExistingIds(tx, field.referenceObjectId, [id]);
      if (!found.has(id)) missing.push(notFound(field));
    }
    refuse(missing);
  }
}

function writtenReferences(model: ObjectModel, written: FieldValues): StoredField[] {
  return model.object.fields.filter(
    (field) =>
      field.type === 'reference' && (Object.hasOwn(written, field.apiName) ? written[field.apiName] : null) !== null,
  );
}

function isCoreObject(target: string | undefined): target is CoreObject {
  return target !== undefined && Object.hasOwn(CORE_OBJECTS, target);
}

const notFound = (field: StoredField): FieldProblem => ({
  pointer: `/${field.apiName}`,
  code: 'REFERENCE_NOT_FOUND',
  // Without the field's label, which is unknown to writers who cannot read the field.
  detail: 'Names a record that does not exist',
});

function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw new PlatformError('VALIDATION_FAILED', undefined, { errors: problems });
}
