import { PlatformError } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { type ObjectModel, ObjectModelStore } from '../object/object-model.js';
import { ReferenceRepository, type Referring } from './claim.repository.js';

/** Most records that one deletion or merge changes or deletes besides, with events: one transaction holds them all locked. */
export const MAX_AFFECTED = 1_000;
/** Referring fields that are read at once. */
const PAGE = MAX_AFFECTED + 1;

/** Records of an object that refer to others. */
export interface ReferringObject {
  readonly objectId: string;
  /** Null for an object that does not exist. */
  readonly found: { readonly model: ObjectModel; readonly isActive: boolean } | null;
  /** Keys of the referring fields by record, in the order of the locks. */
  readonly fieldKeys: ReadonlyMap<string, readonly number[]>;
}

@Injectable()
export class ReferringRecords {
  constructor(
    private readonly models: ObjectModelStore,
    private readonly references: ReferenceRepository,
  ) {}

  /**
   * What refers to any of the targets, object by object.
   * @param affected how many records are affected so far; what `isSilent` says is not counted, so that nothing tells of it
   * @param removed records that are passed over
   * @throws CONFLICT when more than MAX_AFFECTED are
   */
  async *to(
    tx: TenantTransaction,
    targetIds: readonly string[],
    affected: { count: number },
    removed: ReadonlySet<string>,
    isSilent: (model: ObjectModel, fieldKey: number) => boolean,
  ): AsyncGenerator<ReferringObject> {
    for (let after: Referring | undefined | null; after !== null; ) {
      const page: Referring[] = await this.references.listReferring(tx, targetIds, PAGE, after);
      after = page.length === PAGE ? (page.at(-1) ?? null) : null;
      const objects = new Map<string, ReferringObject['found']>();
      for (const { objectId, fieldKey } of page) {
        if (!objects.has(objectId)) objects.set(objectId, await this.models.findById(tx, objectId));
        const found = objects.get(objectId);
        if (!found || !isSilent(found.model, fieldKey)) affected.count += 1;
        if (affected.count > MAX_AFFECTED) {
          throw new PlatformError(
            'CONFLICT',
            `More than ${MAX_AFFECTED} records refer to this one, which is too many for one call`,
          );
        }
      }
      for (const [objectId, found] of objects) {
        const fieldKeys = new Map<string, number[]>();
        for (const { recordId, fieldKey } of page.filter((one) => one.objectId === objectId)) {
          if (!removed.has(recordId)) fieldKeys.set(recordId, [...(fieldKeys.get(recordId) ?? []), fieldKey]);
        }
        if (fieldKeys.size > 0) yield { objectId, found, fieldKeys };
      }
    }
  }
}
