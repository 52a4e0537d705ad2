import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import type { EvaluationContext } from '@crm/formula';
import { type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { type ObjectModel, ObjectModelStore } from '../object/object-model.js';
import type { StoredRecord } from '../reading/record.js';
import { recordOf } from '../reading/record.repository.js';
import { recordJson } from '../reading/record.serializer.js';
import { actorOf } from '../timeline/record-history.repository.js';
import { BinRepository, type ClearedReference } from './bin.repository.js';
import { withoutNames } from './claim.repository.js';
import type { Work } from './record-events.js';
import { RecordWriteRepository } from './record-write.repository.js';
import { RecordWriteService } from './record-write.service.js';

/** Before the first page. */
const END_OF_TIME = { deletedAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** The bin: lists what was deleted, and brings it back with what its deletion took along or cleared. */
@Injectable()
export class RecordRestoreService {
  constructor(
    private readonly models: ObjectModelStore,
    private readonly bin: BinRepository,
    private readonly records: RecordWriteRepository,
    private readonly writes: RecordWriteService,
  ) {}

  /** @returns the JSON of each deleted record, newest deletion first, with `deleted` @throws INVALID_QUERY, NOT_FOUND */
  list(caller: Principal, apiName: string, query: ListQuery, clock: EvaluationContext): Promise<ListAnswer<string>> {
    return this.models.read(caller, apiName, async (model, tx) => {
      const list = `bin ${model.object.id}`;
      const page = parsePage({ ...query, count: 'none' }, { tenantId: caller.tenantId, list, value: 'date-time' });
      if (page.offset > 0) throw new PlatformError('INVALID_QUERY', 'page: use cursor to list deleted records');
      const after = page.after ? { deletedAt: String(page.after.value), id: page.after.id } : END_OF_TIME;
      const rows = await this.bin.list(tx, model.object.id, after, page.limit);
      const answer = listAnswer(rows, page, 0, ({ deletedAt, id }) => ({ value: deletedAt.toISOString(), id }));
      const plan = model.planFor(caller.roles);
      const data = answer.data.map((row) => {
        const deleted = JSON.stringify({ at: row.deletedAt, by: row.deletedBy });
        return `${recordJson(model, recordOf(row), plan, clock).slice(0, -1)},"deleted":${deleted}}`;
      });
      return { ...answer, data };
    });
  }

  /**
   * @returns the record
   * @throws NOT_FOUND when it is not in the bin; FIELD_ACCESS_DENIED for a unique field that the caller cannot read; UNIQUE_VIOLATION;
   *   CONFLICT when what it needs is gone
   */
  restore(caller: Principal, model: ObjectModel, id: string, clock: EvaluationContext): Promise<StoredRecord> {
    return this.models.transaction(caller, model, async (tx) => {
      const work = { tx, caller, clock };
      const [record] = await this.bin.lock(tx, model.object.id, [id]);
      if (!record) throw new PlatformError('NOT_FOUND', 'No deleted record with this ID');
      const batches = [{ model, records: [record] }, ...(await this.lockAlong(tx, id))];
      const idsOf = ({ records }: (typeof batches)[number]) => records.map((one) => one.id);
      for (const batch of batches) {
        requireReadableUniques(batch.model, caller);
        // All at first: those that were deleted together refer to each other.
        await this.bin.unmark(tx, batch.model.object.id, idsOf(batch));
      }
      const [restored] = (await this.write(work, batches)) as [StoredRecord];
      await this.refer(work, batches.flatMap(idsOf));
      return restored;
    });
  }

  /** What was deleted along with a record, of objects in use. */
  private async lockAlong(tx: TenantTransaction, id: string) {
    const along: { model: ObjectModel; records: StoredRecord[] }[] = [];
    for (const [objectId, ids] of await this.bin.listDeletedWith(tx, id)) {
      const found = await this.models.findById(tx, objectId);
      if (found?.isActive) along.push({ model: found.model, records: await this.bin.lock(tx, objectId, ids) });
    }
    return along;
  }

  private async write(
    { tx, caller, clock }: Work,
    batches: readonly { model: ObjectModel; records: readonly StoredRecord[] }[],
  ): Promise<StoredRecord[]> {
    const written: StoredRecord[] = [];
    for (const { model, records } of batches) {
      for (const before of records) {
        const restored = this.writes.restoreIn(tx, { model, caller, clock }, before);
        const { record, gone } = await (written.length === 0 ? restored : withoutNames(restored));
        written.push(record);
        // When what they named comes back later, they name it again.
        for (const field of gone) {
          const silentlyBy = model.hiddenReferences.includes(field) ? actorOf(caller, caller.userId) : null;
          const named = { ...before, version: record.version, data: before.data };
          await this.bin.rememberGone(tx, model.object.id, named, field, clock.now, silentlyBy);
        }
      }
    }
    return written;
  }

  /** References that the deletion has cleared name the records again, where they are still empty. */
  private async refer(work: Work, ids: readonly string[]): Promise<void> {
    const { tx } = work;
    const cleared = await this.bin.takeCleared(tx, ids);
    cleared.sort((one, other) => (one.recordId < other.recordId ? -1 : 1));
    const silently = new Map<string, { readonly first: ClearedReference; readonly recordIds: string[] }>();
    for (const reference of cleared) {
      if (!reference.isSilent) {
        await this.referAgain(work, reference);
        continue;
      }
      const name = `${reference.objectId} ${reference.fieldKey} ${reference.targetId}`;
      const group = silently.get(name) ?? { first: reference, recordIds: [] };
      group.recordIds.push(reference.recordId);
      silently.set(name, group);
    }
    for (const { first, recordIds } of silently.values()) {
      const found = await this.find(tx, first);
      const change = { from: null, to: first.targetId };
      if (found) await withoutNames(this.writes.referIn(tx, found.model, recordIds, found.field, change));
    }
  }

  private async referAgain(work: Work, reference: ClearedReference): Promise<void> {
    const { objectId, recordId, fieldKey, targetId } = reference;
    const found = await this.find(work.tx, reference);
    if (!found) return;
    const current = await this.records.lock(work.tx, objectId, recordId);
    if (!current || (current.data[fieldKey] ?? null) !== null) return;
    const changes = { [found.field.apiName]: targetId };
    await withoutNames(this.writes.setIn(work, found.model, recordId, changes, { isRestored: true }));
  }

  /** @returns null for a field or an object that is no longer in use */
  private async find(tx: TenantTransaction, { objectId, fieldKey }: ClearedReference) {
    const found = await this.models.findById(tx, objectId);
    const field = found?.model.object.fields.find(({ key }) => key === fieldKey);
    return found?.isActive && field ? { model: found.model, field } : null;
  }
}

/** That it conflicts would reveal a value that the caller cannot read. */
function requireReadableUniques(model: ObjectModel, caller: Principal): void {
  const { readable } = model.planFor(caller.roles);
  if (model.uniqueFields.every(({ apiName }) => readable.has(apiName))) return;
  throw new PlatformError(
    'FIELD_ACCESS_DENIED',
    "Your role can't read a unique field of a record that would be restored",
  );
}
