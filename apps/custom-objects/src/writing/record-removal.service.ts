import { hasScope } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { onDeleteOf } from '@crm/fields';
import { type ExpectedVersions, requireMatch } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { SearchRepository } from '../finding/search.repository.js';
import { isVisibleTo, type StoredField, scopeOf } from '../object/object-definition.js';
import { isUnsetSilently, type ObjectModel } from '../object/object-model.js';
import { laterTime, recordNotFound, type StoredRecord } from '../reading/record.js';
import { actorOf, RecordHistoryRepository } from '../timeline/record-history.repository.js';
import { BinRepository } from './bin.repository.js';
import { ReferenceRepository, UniqueValueRepository } from './claim.repository.js';
import { recordDeleted, recordUpdated, type Work } from './record-events.js';
import { RecordWriteRepository } from './record-write.repository.js';
import { type ReferringObject, ReferringRecords } from './referring-records.js';

/** Locked records of one object. */
interface Batch {
  readonly model: ObjectModel;
  readonly isActive: boolean;
  readonly records: readonly StoredRecord[];
}

/** A deletion that is under way. */
export interface Removal extends Work {
  /** True when all that goes is erased, of which its eraser tells. */
  readonly erases?: true;
  /** The record with which this one was merged. */
  readonly mergedInto?: string;
}

/**
 * Deletes records, and what their references say: nothing refers to a deleted record afterwards. The definition decides, whatever the
 * caller may do with the referring records (decision 0236).
 */
@Injectable()
export class RecordRemovalService {
  constructor(
    private readonly records: RecordWriteRepository,
    private readonly bin: BinRepository,
    private readonly history: RecordHistoryRepository,
    private readonly searches: SearchRepository,
    private readonly references: ReferenceRepository,
    private readonly referring: ReferringRecords,
    private readonly uniques: UniqueValueRepository,
  ) {}

  /**
   * In a transaction that holds the definition and may write more.
   * @param expected versions of `If-Match`
   * @throws VERSION_MISMATCH, NOT_FOUND; CONFLICT when a restricting or required reference points to it, or over 1,000
   *   records are affected
   */
  async removeIn(removal: Removal, model: ObjectModel, id: string, expected: ExpectedVersions): Promise<void> {
    const [record] = await this.records.lockForDeletion(removal.tx, model.object.id, [id]);
    if (!record) throw recordNotFound();
    requireMatch(expected, record.version);
    await this.removeLocked(removal, model, record);
  }

  private async removeLocked(removal: Removal, model: ObjectModel, record: StoredRecord): Promise<void> {
    const removed = new Set([record.id]);
    const batches: Batch[] = [{ model, isActive: true, records: [record] }];
    const affected = { count: 0 };
    // What is deleted along is appended to the list that is being walked.
    for (const batch of batches) {
      const ids = batch.records.map(({ id }) => id);
      for await (const object of this.referring.to(removal.tx, ids, affected, removed, isUnsetSilently)) {
        const deleted = await this.settle(removal, object, removed);
        if (deleted.records.length > 0) batches.push(deleted);
        for (const { id } of deleted.records) removed.add(id);
      }
    }
    // What was deleted along first: who sees the events never sees a reference to a record that is gone.
    for (const batch of batches.reverse()) await this.delete(removal, record, batch);
  }

  /**
   * Unsets references, or collects records to delete.
   * @param removed the records that are deleted so far
   * @returns the records to delete, locked
   */
  private async settle(
    removal: Removal,
    { objectId, found, fieldKeys }: ReferringObject,
    removed: ReadonlySet<string>,
  ): Promise<Batch> {
    const { tx, caller } = removal;
    if (!found) throw new Error(`Records of the object ${objectId}, which does not exist, refer to others`);
    const { model, isActive } = found;
    const locked = await this.records.lockForDeletion(tx, objectId, [...fieldKeys.keys()]);
    const deleted: StoredRecord[] = [];
    /** Records that lose the same references, by the keys of the fields. */
    const unset = new Map<string, { fields: StoredField[]; records: StoredRecord[] }>();
    for (const record of locked) {
      // Someone may have changed it while this waited for the lock.
      const keys = (fieldKeys.get(record.id) ?? []).filter((key) => removed.has(record.data[key] as string));
      if (keys.length === 0) continue;
      const fields = model.object.fields.filter(({ key }) => keys.includes(key));
      if (isActive && fields.some((field) => onDeleteOf(field) === 'restrict')) {
        // A caller who may not read the object does not learn its name.
        const isKnown = isVisibleTo(model.object, caller) && hasScope(caller, scopeOf(objectId), 'read');
        const which = isKnown ? `A record of ${model.object.pluralLabel}` : 'Another record';
        throw new PlatformError('CONFLICT', `${which} requires this record`);
      }
      if (fields.some((field) => onDeleteOf(field) === 'cascade')) {
        deleted.push(record);
        continue;
      }
      const silent = fields.filter(({ key }) => isUnsetSilently(model, key));
      for (const some of [silent, fields.filter((field) => !silent.includes(field))]) {
        if (some.length === 0) continue;
        const name = some.map(({ key }) => key).join();
        const group = unset.get(name) ?? { fields: some, records: [] };
        group.records.push(record);
        unset.set(name, group);
      }
    }
    for (const { fields, records } of unset.values()) await this.unset(removal, { model, isActive, records }, fields);
    return { model, isActive, records: deleted };
  }

  private async unset(
    { tx, caller, clock }: Removal,
    { model, isActive, records }: Batch,
    fields: readonly StoredField[],
  ): Promise<void> {
    const ids = records.map(({ id }) => id);
    const actor = actorOf(caller, caller.userId);
    const isSilent = fields.every(({ key }) => isUnsetSilently(model, key));
    await Promise.all([
      this.bin.rememberCleared(tx, model.object.id, ids, fields, clock.now, isSilent ? actor : null),
      isSilent ? undefined : this.history.rememberUnset(tx, model.object.id, ids, fields, clock.now, actor),
      this.references.release(tx, model, records, fields),
      this.uniques.release(
        tx,
        model,
        records,
        fields.filter(({ is_unique: isUnique }) => isUnique),
      ),
      this.records.unset(tx, model.object.id, ids, fields, isSilent ? null : clock.now),
    ]);
    if (!isActive || isSilent) return;
    for (const before of records) {
      const data = { ...before.data };
      for (const { key } of fields) delete data[key];
      const updatedAt = laterTime(before.updatedAt, clock.now.toISOString());
      const after: StoredRecord = { ...before, version: before.version + 1, data, updatedAt };
      for (const event of recordUpdated({ model, caller, clock }, before, after)) tx.appendToOutbox(event);
    }
  }

  private async delete(
    { tx, caller, clock, erases, mergedInto }: Removal,
    first: StoredRecord,
    { model, isActive, records }: Batch,
  ): Promise<void> {
    const ids = records.map(({ id }) => id);
    const isFirst = ids.includes(first.id);
    const belongsTo = isFirst ? { along: null, mergedInto: mergedInto ?? null } : { along: first.id, mergedInto: null };
    const deletion = { at: clock.now, by: caller.userId, ...belongsTo };
    await Promise.all([
      this.uniques.release(tx, model, records),
      this.references.release(tx, model, records),
      this.records.markDeleted(tx, model.object.id, ids, deletion),
      this.searches.delete(tx, model.object.id, ids),
    ]);
    if (!isActive || erases) return;
    for (const record of records) tx.appendToOutbox(recordDeleted({ model, caller, clock }, record));
  }
}
