import { invalidValues, type PlatformError } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { type ExpectedVersions, requireMatch } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { type ObjectModel, ObjectModelStore } from '../object/object-model.js';
import { recordNotFound, type StoredRecord } from '../reading/record.js';
import { NoteRepository } from '../timeline/note.repository.js';
import { actorOf, RecordHistoryRepository } from '../timeline/record-history.repository.js';
import { UniqueValueRepository, withoutNames } from './claim.repository.js';
import { mergedChanges } from './merged-fields.js';
import { withStatus } from './picklist-rules.js';
import type { Author } from './record-events.js';
import { RecordRemovalService } from './record-removal.service.js';
import { RecordWriteRepository } from './record-write.repository.js';
import { RecordWriteService } from './record-write.service.js';
import { ReferringRecords } from './referring-records.js';

/** Two records that become the first one. */
export interface Merge extends Author {
  readonly id: string;
  readonly loserId: string;
  /** The fields that take the loser's value, which the caller may read and write. */
  readonly chosen: readonly string[];
  /** The versions of the winner that `If-Match` names. */
  readonly expected: ExpectedVersions;
}

/** Merges two records of an object: what refers to the loser refers to the winner then, and the loser is in the bin. */
@Injectable()
export class RecordMergeService {
  constructor(
    private readonly models: ObjectModelStore,
    private readonly records: RecordWriteRepository,
    private readonly referring: ReferringRecords,
    private readonly uniques: UniqueValueRepository,
    private readonly writes: RecordWriteService,
    private readonly removal: RecordRemovalService,
    private readonly notes: NoteRepository,
    private readonly history: RecordHistoryRepository,
  ) {}

  /**
   * @returns the winner
   * @throws NOT_FOUND; VALIDATION_FAILED when there is no loser; VERSION_MISMATCH; CONFLICT when over 1,000 records refer to the
   *   loser, or the winner needs it; PAYLOAD_TOO_LARGE; STORAGE_LIMIT_REACHED
   */
  merge(merge: Merge): Promise<StoredRecord> {
    const { model, caller, clock, id, loserId, chosen, expected } = merge;
    return this.models.transaction(caller, model, async (tx) => {
      const { winner, loser } = await this.lock(tx, merge);
      requireMatch(expected, winner.version);
      const taken = mergedChanges(model, model.planFor(caller.roles), winner, loser, chosen);
      const changes = withStatus(model, taken, {});
      // Before the winner claims what was the loser's.
      await this.uniques.release(tx, model, [loser]);
      const merged = await this.writes.setIn({ tx, caller, clock }, model, id, changes);
      await this.moveReferences(tx, merge);
      await this.notes.move(tx, model.object.id, loserId, id);
      await this.removal.removeIn({ tx, caller, clock, mergedInto: id }, model, loserId, null);
      return merged;
    });
  }

  /** Both in the order of their ids. The winner only against changes: others who refer to it need not wait for it. */
  private async lock(tx: TenantTransaction, { model: { object }, id, loserId }: Merge) {
    const locks = {
      winner: () => this.records.lock(tx, object.id, id),
      loser: async () => (await this.records.lockForDeletion(tx, object.id, [loserId]))[0] ?? null,
    };
    const first = id < loserId ? await locks.winner() : null;
    const loser = await locks.loser();
    const winner = id < loserId ? first : await locks.winner();
    if (!winner) throw recordNotFound();
    if (!loser) throw loserProblem("The record doesn't exist");
    return { winner, loser };
  }

  /** The definition of a removed object publishes nothing: its references are unset with the loser's deletion. */
  private async moveReferences(tx: TenantTransaction, { caller, clock, id, loserId }: Merge): Promise<void> {
    const affected = { count: 0 };
    for await (const object of this.referring.to(tx, [loserId], affected, new Set([id, loserId]), isHidden)) {
      if (!object.found?.isActive) continue;
      const { model } = object.found;
      for (const field of model.hiddenReferences) {
        const ids = [...object.fieldKeys].flatMap(([recordId, keys]) => (keys.includes(field.key) ? recordId : []));
        if (ids.length === 0) continue;
        const moved = await withoutNames(this.writes.referIn(tx, model, ids, field, { from: loserId, to: id }));
        const data = { [field.key]: [loserId, id] as const };
        await this.history.rememberBesides(tx, object.objectId, moved, data, clock.now, actorOf(caller, caller.userId));
      }
      for (const [recordId, keys] of object.fieldKeys) {
        const seen = keys.filter((key) => !isHidden(model, key));
        const current = seen.length > 0 ? await this.records.lock(tx, object.objectId, recordId) : null;
        // Someone may have changed it while this waited.
        const fields = model.object.fields.filter(({ key }) => seen.includes(key) && current?.data[key] === loserId);
        if (fields.length === 0) continue;
        const changes = Object.fromEntries(fields.map(({ apiName }) => [apiName, id]));
        await withoutNames(this.writes.setIn({ tx, caller, clock }, model, recordId, changes));
      }
    }
  }
}

/** Returns whether those who do not see the field would learn by a new version of its record which of the two it named. */
const isHidden = ({ hiddenReferences }: ObjectModel, fieldKey: number): boolean =>
  hiddenReferences.some(({ key }) => key === fieldKey);

/** @throws VALIDATION_FAILED for a record that would be merged with itself */
export function requireAnotherRecord(id: string, loserId: string): void {
  if (id === loserId) throw loserProblem("A record can't be merged with itself");
}

const loserProblem = (detail: string): PlatformError =>
  invalidValues({ pointer: '/loserId', code: 'REFERENCE_NOT_FOUND', detail });
