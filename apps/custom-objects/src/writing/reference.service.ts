import { hasScope, requireScope, type ScopeHolder } from '@crm/access';
import { type FieldProblem, PlatformError, type ScopeName } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';

import { Injectable } from '@nestjs/common';
import { ObjectRepository } from '../object/object.repository.js';
import { actingApp, isVisibleTo, type StoredField } from '../object/object-definition.js';
import { type ObjectModel } from '../object/object-model.js';
import { standardObjectWithId } from '../object/standard-objects.js';
import { type FieldValues, type StoredRecord } from '../reading/record.js';
import { type Reference, ReferenceRepository } from './claim.repository.js';

/** Keeps references true: what is written exists, and stays until the writing transaction has committed. */
@Injectable()
export class ReferenceService {
  constructor(private readonly references: ReferenceRepository) {}

  /** Whether a change has anything to register or to forget. @param before null for a new record */
  isConcerned(model: ObjectModel, before: FieldValues | null, after: FieldValues): boolean {
    return changedReferences(model, before, after).length > 0;
  }

  /**
   * Registers new references and releases old ones; the statements are sent at once, before any later ones of the
   * caller.
   * @param targetsOf the objects that a written reference may point to
   * @param before null for a new record
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

/** The token's scopes and tenant. */
export type ReferenceCaller = ScopeHolder & { readonly tenantId: string };

/** Decides whether a caller may refer to an object's records: references would reveal which ids exist. */
@Injectable()
export class ReferenceAccessService {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectRepository,
  ) {}

  /**
   * Checks written references before their records are looked up.
   * @throws INSUFFICIENT_SCOPE; VALIDATION_FAILED, as for unknown records, when an app does not see the object
   */
  async require(caller: ReferenceCaller, model: ObjectModel, written: FieldValues): Promise<void> {
    const fields = model.referenceFields.filter(({ apiName }) => (written[apiName] ?? null) !== null);
    for (const field of fields) requireTarget(caller, field);
    if (actingApp(caller) === null) return;
    const unseen = await this.listUnseen(caller, fields);
    if (unseen.length > 0) {
      throw new PlatformError('VALIDATION_FAILED', undefined, { errors: unseen.map(referenceNotFound) });
    }
  }

  /** The fields that refer to an object of another app; such a field has one target. */
  private async listUnseen(caller: ReferenceCaller, fields: readonly StoredField[]): Promise<StoredField[]> {
    const others = fields.filter(({ referenceObjectIds: [id] }) => id !== undefined && !standardObjectWithId(id));
    if (others.length === 0) return [];
    return this.database.transaction(caller.tenantId, async (tx) => {
      const unseen: StoredField[] = [];
      for (const field of others) {
        const target = await this.objects.findById(tx, field.referenceObjectIds[0] as string);
        if (!target || !isVisibleTo(target.object, caller)) unseen.push(field);
      }
      return unseen;
    });
  }
}

/** The objects of a reference whose records the caller's scopes let it read. */
export function readableTargets(caller: ScopeHolder, { referenceObjectIds }: StoredField): string[] {
  return referenceObjectIds.filter((id) => hasScope(caller, scopeOf(id), 'read'));
}

function requireTarget(caller: ScopeHolder, field: StoredField): void {
  const [id] = field.referenceObjectIds;
  if (id !== undefined && readableTargets(caller, field).length === 0) requireScope(caller, scopeOf(id), 'read');
}

const scopeOf = (objectId: string): ScopeName => standardObjectWithId(objectId)?.standard?.scope ?? 'custom_objects';
