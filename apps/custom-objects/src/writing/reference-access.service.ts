import { hasScope, requireScope, type ScopeHolder } from '@crm/access';
import { PlatformError, type ScopeName } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { ObjectRepository } from '../object/object.repository.js';
import { actingApp, isVisibleTo } from '../object/object-access.js';
import type { StoredField } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';
import { standardObjectWithId } from '../object/standard-objects.js';
import { type FieldValues } from '../reading/record.js';

import { referenceNotFound } from './reference.service.js';

/** Whose token it is, and in which tenant. */
export type ReferenceCaller = ScopeHolder & { readonly tenantId: string };

/**
 * Whether a caller may refer to the records of an object: who may not read them could find out by references which ids
 * exist.
 */
@Injectable()
export class ReferenceAccessService {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectRepository,
  ) {}

  /**
   * Checks references that a caller writes, before it is known whether their records exist.
   * @throws INSUFFICIENT_SCOPE naming the scope; VALIDATION_FAILED as for unknown records when the caller is an app that does
   *   not see the object
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
