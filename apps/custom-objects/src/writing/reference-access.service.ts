import { hasScope, requireScope, type ScopeHolder } from '@crm/access';
import { type FieldProblem, PlatformError, type ScopeName } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { ObjectRepository } from '../object/object.repository.js';
import { actingApp, isVisibleTo, type StoredField, standardObjectWithId } from '../object/object-definition.js';
import { type ObjectModel } from '../object/object-model.js';
import { type FieldValues } from '../reading/record.js';

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

/** The scope of an object's records. */
export const scopeOf = (objectId: string): ScopeName =>
  standardObjectWithId(objectId)?.standard?.scope ?? 'custom_objects';
