import { PlatformError } from '@crm/contracts';
import {
  Batches,
  type CallClaim,
  claimOfCall,
  Database,
  IdempotencyService,
  type IdempotentCall,
  isCausedByOneTenant,
  isTemporary,
  MOST_WEIGHT,
  type Outcome,
  type SharedTransaction,
  type TenantTransaction,
} from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { StoredField } from '../object/object-definition.js';
import { isStale, type ObjectModel, ObjectModelStore, StaleModel } from '../object/object-model.js';
import { type FieldValues, recordNotFound, type StoredRecord, textOf, valuesOf } from '../reading/record.js';
import { RecordRepository } from '../reading/record.repository.js';
import { StorageLimit } from '../storage/storage-limit.service.js';
import { ReferenceRepository, UniqueValueRepository } from './claim.repository.js';
import { type Change, type Draft, draftOfChange, draftOfNew, draftOfRestored, mergedDraft } from './record-draft.js';
import type { Author, Work } from './record-events.js';
import { RecordWriteRepository, type WrittenObject } from './record-write.repository.js';
import { readableTargets } from './reference-access.service.js';

/** A validated new record. */
export interface Creation extends Author {
  readonly draft: Draft;
  /** Identifies the call, so that a repetition finds the first record. */
  readonly call: IdempotentCall | undefined;
  readonly claim: CallClaim | undefined;
}

/** A record that is no longer deleted. */
interface Restored {
  readonly record: StoredRecord;
  /** The references that named what is gone. */
  readonly gone: readonly StoredField[];
}

/**
 * Writes records with their references, unique values, search texts and events. Concurrent writes of all tenants share a
 * transaction if none of them can wait for another: no references, unique values or locks.
 */
@Injectable()
export class RecordWriteService {
  private readonly creations = new Batches<Creation, StoredRecord>({
    executeBatch: (_, groups) => this.createBatch(groups),
    executeOne: (creation) => this.createOne(creation),
    isCausedByOneCall,
    groupOf,
    weightOf: ({ draft }) => weightOf(draft),
  });
  private readonly updates = new Batches<Change, StoredRecord>({
    // What a change weighs is known once the record is read.
    executeBatch: (changes, groups) => this.whileOthersWait(changes, this.changeBatch(groups)),
    executeOne: (change) => this.changeInTurn(change),
    isCausedByOneCall,
    groupOf,
  });
  /** By record, the end of the work that changes it: later changes wait here, without a connection. */
  private readonly underWay = new Map<string, Promise<Error | undefined>>();

  constructor(
    private readonly database: Database,
    private readonly models: ObjectModelStore,
    private readonly stored: RecordRepository,
    private readonly records: RecordWriteRepository,
    private readonly references: ReferenceRepository,
    private readonly uniques: UniqueValueRepository,
    private readonly idempotency: IdempotencyService,
    private readonly storage: StorageLimit,
  ) {}

  /** Prepares a creation before its transaction. @throws PAYLOAD_TOO_LARGE, STORAGE_LIMIT_REACHED, VALIDATION_FAILED for a retired option */
  prepare(author: Author, values: FieldValues, call?: IdempotentCall): Creation {
    const draft = draftOfNew(author, values);
    this.storage.assertWithinLimit(author.caller.tenantId, { records: 1, bytes: Buffer.byteLength(draft.write.data) });
    return { ...author, draft, call, claim: call && claimOfCall(call, draft.record.id) };
  }

  /**
   * @returns the record, of an earlier call if there was one
   * @throws VALIDATION_FAILED for a reference, UNIQUE_VIOLATION, IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED; NOT_FOUND when the
   *   record of an earlier call has been deleted; an error that isStale recognises
   */
  async create(creation: Creation): Promise<StoredRecord> {
    if (this.isConcerned(creation.model, creation.draft)) return this.createOne(creation);
    return this.creations.run(await this.database.sharedTransactionKey(groupOf(creation)), creation);
  }

  /** @throws as {@link create}; VERSION_MISMATCH, NOT_FOUND, PAYLOAD_TOO_LARGE */
  async change(change: Change): Promise<StoredRecord> {
    const key = recordKey(change);
    for (let earlier = this.underWay.get(key); earlier; earlier = this.underWay.get(key)) {
      const unavailable = await earlier;
      if (unavailable) throw unavailable;
    }
    return this.updates.run(await this.database.sharedTransactionKey(groupOf(change)), change);
  }

  private async createBatch(groups: readonly (readonly Creation[])[]): Promise<Outcome<StoredRecord>[]> {
    const { answers } = await this.inSharedTransaction('creations', groups, async (tx) => ({
      answers: groups.map((creations) => {
        const first = firstOfCalls(creations);
        const claims = first.flatMap(({ claim }) => claim ?? []);
        return this.records.create(tx, objectOf(creations), writesOf(first.map(({ draft }) => draft)), claims);
      }),
    }));
    const outcomes = await Promise.all(answers);
    return groups.flatMap((creations, group) => {
      const [{ refusal, refused }] = outcomes[group] as (typeof outcomes)[number];
      const first = new Set(firstOfCalls(creations));
      return creations.map((creation): Outcome<StoredRecord> => {
        if (refusal === 'stale') return { error: new StaleModel() };
        const isWritten = refusal === null && first.has(creation) && !refused.includes(creation.draft.record.id);
        return isWritten ? { result: creation.draft.record } : null;
      });
    });
  }

  /** Waits for whom it has to. */
  private createOne(creation: Creation): Promise<StoredRecord> {
    const { model, caller, call } = creation;
    return this.models.transaction(caller, model, (tx) => {
      const find = (id: string) => this.stored.require(tx, model.object.id, id);
      return this.idempotency.run(tx, call, () => this.createIn(tx, creation), find);
    });
  }

  /** In a transaction that holds the definition and may write more. @throws as {@link create} */
  async createIn(tx: TenantTransaction, creation: Creation): Promise<StoredRecord> {
    const { draft } = creation;
    const claimed = this.claim(tx, creation, draft);
    const created = this.records.create(tx, objectOf([creation]), [draft.write]);
    await claimed;
    const [{ refusal }] = await created;
    if (refusal !== null) throw new StaleModel();
    return draft.record;
  }

  private changeBatch(groups: readonly (readonly Change[])[]): Promise<Outcome<StoredRecord>[]> {
    return this.inSharedTransaction('changes', groups, async (tx) => {
      const locked = await Promise.all(
        groups.map((changes) =>
          this.records.lockFree(tx, objectOf(changes), [...new Set(changes.map(({ id }) => id))]),
        ),
      );
      let weight = 0;
      return groups.flatMap((changes, group) => {
        const { refusal, records } = locked[group] as (typeof locked)[number];
        const current = new Map(records.map((record) => [record.id, record]));
        const drafts = new Map<string, Draft>();
        const outcomes = changes.map((change): Outcome<StoredRecord> => {
          if (refusal === 'stale') return { error: new StaleModel() };
          const before = current.get(change.id);
          if (!before) return null;
          if (weight > MOST_WEIGHT) return 'next';
          try {
            const draft = this.draftOfChange(change, before);
            if (!draft) return { result: before };
            if (this.isConcerned(change.model, draft)) return null;
            weight += weightOf(draft);
            drafts.set(change.id, mergedDraft(drafts.get(change.id), draft));
            current.set(change.id, draft.record);
            return { result: draft.record };
          } catch (error) {
            return { error };
          }
        });
        if (drafts.size > 0) this.records.change(tx, objectOf(changes), writesOf([...drafts.values()]));
        return outcomes;
      });
    });
  }

  private inSharedTransaction<T>(
    kind: string,
    groups: readonly (readonly Author[])[],
    work: (tx: SharedTransaction) => Promise<T>,
  ): Promise<T> {
    const [[{ caller }]] = groups as [[Author]];
    return this.database.sharedTransaction({ kind, tenantId: caller.tenantId, traceparent: caller.traceparent }, work);
  }

  /** One change of a record at a time: those that waited for it are carried out together afterwards. */
  private changeInTurn(change: Change): Promise<StoredRecord> {
    if (this.underWay.has(recordKey(change))) return this.change(change);
    return this.whileOthersWait([change], this.changeOne(change));
  }

  /** Changes of the same records wait for this work, and hold no connection meanwhile. */
  private async whileOthersWait<T>(changes: readonly Change[], work: Promise<T>): Promise<T> {
    const end = work.then(
      () => undefined,
      // Changes that wait for the same lock fail with it: it would not be free for them any sooner.
      (error: Error) => (isTemporary(error) ? error : undefined),
    );
    for (const key of new Set(changes.map(recordKey))) {
      const earlier = this.underWay.get(key);
      // A batch passes over a record that someone waits for: that goes on when the batch has ended.
      const all = earlier ? Promise.all([earlier, end]).then(([one, other]) => one ?? other) : end;
      this.underWay.set(key, all);
      void all.then(() => {
        if (this.underWay.get(key) === all) this.underWay.delete(key);
      });
    }
    return await work;
  }

  private changeOne(change: Change): Promise<StoredRecord> {
    return this.models.transaction(change.caller, change.model, (tx) => this.changeIn(tx, change));
  }

  /** In a transaction that holds the definition and may write more; it waits for the record. @throws as {@link change} */
  async changeIn(tx: TenantTransaction, change: Change): Promise<StoredRecord> {
    const { model, id } = change;
    const before = await this.records.lock(tx, model.object.id, id);
    if (!before) throw recordNotFound();
    const draft = this.draftOfChange(change, before);
    if (!draft) return before;
    const claimed = this.claim(tx, change, draft, change.isOfPlatform);
    this.records.change(tx, objectOf([change]), [draft.write]);
    await claimed;
    return draft.record;
  }

  /** Sets fields for the platform, whatever the caller may write and read. @throws as {@link changeIn} */
  setIn(
    { tx, ...author }: Work,
    model: ObjectModel,
    id: string,
    changes: FieldValues,
    more: Pick<Change, 'isRestored'> = {},
  ): Promise<StoredRecord> {
    return this.changeIn(tx, { ...author, ...more, model, id, changes, expected: null, isOfPlatform: true });
  }

  /**
   * Changes a reference that not all readers of the records see: no version and no event tells the others of it. Records that name
   * another target meanwhile keep it.
   * @param from null where it is unset
   * @param to a record that is locked
   * @returns those that name it now
   * @throws UNIQUE_VIOLATION
   */
  async referIn(
    tx: TenantTransaction,
    model: ObjectModel,
    recordIds: readonly string[],
    field: StoredField,
    { from, to }: { readonly from: string | null; readonly to: string },
  ): Promise<string[]> {
    const { id: objectId } = model.object;
    const referring: string[] = [];
    for (let first = 0; first < recordIds.length; first += REFERRED_AT_ONCE) {
      const some = recordIds.slice(first, first + REFERRED_AT_ONCE);
      const records = (await this.records.lockForDeletion(tx, objectId, some)).filter(
        ({ data }) => (data[field.key] ?? null) === from,
      );
      for (const { id, data } of field.is_unique ? records : []) {
        const before = valuesOf(model, data);
        await this.uniques.claim(tx, model, id, before, { ...before, [field.apiName]: to });
      }
      const ids = records.map(({ id }) => id);
      await this.references.move(tx, objectId, records, field, to);
      await this.records.refer(tx, objectId, ids, field, to);
      referring.push(...ids);
    }
    return referring;
  }

  /**
   * Writes a record that is in the bin no more as it was. References to what is gone meanwhile are cleared. The bin counts as stored, so
   * that it takes no space.
   * @returns the record, and the references that were cleared
   * @throws UNIQUE_VIOLATION; CONFLICT when a required reference is gone; PAYLOAD_TOO_LARGE
   */
  async restoreIn(tx: TenantTransaction, author: Author, before: StoredRecord): Promise<Restored> {
    const { model } = author;
    const { id } = before;
    const given = valuesOf(model, before.data);
    const gone = await this.references.claimExisting(tx, model, id, null, given, allTargets);
    if (gone.some(({ required }) => required)) {
      throw new PlatformError('CONFLICT', 'This record requires a record that was deleted. Restore that one first');
    }
    const { record, values, write } = draftOfRestored(author, before, gone);
    await this.uniques.claim(tx, model, id, null, values);
    this.records.change(tx, objectOf([author]), [write]);
    return { record, gone };
  }

  /** @throws as draftOfChange; STORAGE_LIMIT_REACHED for one that needs more space */
  private draftOfChange(change: Change, before: StoredRecord): Draft | null {
    const draft = draftOfChange(change, before);
    if (!draft || change.isRestored) return draft;
    const bytes = Buffer.byteLength(draft.write.data) - Buffer.byteLength(textOf(before));
    this.storage.assertWithinLimit(change.caller.tenantId, { records: 0, bytes });
    return draft;
  }

  /** Returns whether a write may have to wait for another, or fail because of another record. */
  private isConcerned(model: ObjectModel, { previous, values }: Draft): boolean {
    return this.references.isConcerned(model, previous, values) || this.uniques.isConcerned(model, previous, values);
  }

  /**
   * Sends its statements at once, before any later ones of the caller; all have been answered when it returns.
   * @throws VALIDATION_FAILED for a reference; else UNIQUE_VIOLATION
   */
  private async claim(
    tx: TenantTransaction,
    { model, caller }: Author,
    { previous, values, record: { id } }: Draft,
    isOfPlatform = false,
  ): Promise<void> {
    const targetsOf = isOfPlatform ? allTargets : (field: StoredField) => readableTargets(caller, field);
    const outcomes = await Promise.allSettled([
      this.references.claim(tx, model, id, previous, values, targetsOf),
      this.uniques.claim(tx, model, id, previous, values),
    ]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
}

const REFERRED_AT_ONCE = 1_000;

const allTargets = ({ referenceObjectIds }: StoredField): readonly string[] => referenceObjectIds;

const writesOf = (drafts: readonly Draft[]) => drafts.map(({ write }) => write);
/** The events have no fields that only some may read. */
const weightOf = ({ write: { data, events, history } }: Draft): number =>
  [...events.map(({ envelope }) => envelope), ...history].reduce((sum, { length }) => sum + length, data.length);

/** Writes of one tenant under one definition are one group of a batch. */
const groupOf = ({ model: { object }, caller }: Author): string => `${caller.tenantId}/${object.id}/${object.revision}`;

/** What a group writes to. */
function objectOf(group: readonly Author[]): WrittenObject {
  const { model, caller } = group[0] as Author;
  return { tenantId: caller.tenantId, id: model.object.id, revision: model.object.revision };
}

/** Returns the first of creations with the same key. */
function firstOfCalls(creations: readonly Creation[]): Creation[] {
  const names = new Set<string>();
  return creations.filter(({ claim }) => claim === undefined || (!names.has(claim.lock) && names.add(claim.lock)));
}

const recordKey = ({ caller, id }: Change): string => `${caller.tenantId}/${id}`;

/** A statement may fail for the values or the node of one record; that the definition has changed concerns all. */
const isCausedByOneCall = (error: unknown): boolean => isCausedByOneTenant(error) && !isStale(error);
