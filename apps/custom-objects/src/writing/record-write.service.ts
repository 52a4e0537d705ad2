import { isDeepStrictEqual } from 'node:util';
import {
  Batches,
  isRefusedStatement,
  isTemporary,
  MOST_WEIGHT,
  millisecondsOfId,
  newId,
  type OutboxRow,
  type Outcome,
  type TenantTransaction,
} from '@crm/database';
import type { EvaluationContext } from '@crm/formula';
import { type ExpectedVersions, requireMatch } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { SearchRepository } from '../finding/search.repository.js';
import { type SearchTexts, searchTextsOf } from '../finding/search-text.js';
import { isStale, type ObjectCaller, type ObjectModel, ObjectModelStore } from '../object/object-model.js';
import {
  dataOf,
  type FieldValues,
  laterOf,
  noSuchRecord,
  type StoredRecord,
  slotsOf,
  valuesOf,
} from '../reading/record.js';
import { ReferenceRepository, UniqueValueRepository } from './claim.repository.js';
import { recordCreated, recordUpdated } from './record-events.js';
import { type RecordWrite, RecordWriteRepository } from './record-write.repository.js';
import { type ReferenceCaller, readableTargets } from './reference-access.service.js';

type Caller = ObjectCaller & ReferenceCaller & { readonly userId: string; readonly roles: readonly string[] };

interface Author {
  readonly model: ObjectModel;
  readonly caller: Caller;
  readonly clock: EvaluationContext & { now: Date };
}

/** A validated new record. */
export interface Creation extends Author {
  readonly draft: Draft;
}

/** A validated change of a record. */
export interface Change extends Author {
  readonly id: string;
  readonly changes: FieldValues;
  /** The versions that `If-Match` names. */
  readonly expected: ExpectedVersions;
}

/** Everything that is written of a record. */
interface Draft {
  /** Values before the change; null for a new record. */
  readonly previous: FieldValues | null;
  readonly values: FieldValues;
  readonly record: StoredRecord;
  readonly write: RecordWrite;
  readonly texts: SearchTexts;
  readonly events: readonly OutboxRow[];
}

/**
 * Writes records with their references, unique values, search texts and events. Concurrent writes to one object share a
 * transaction if none of them can wait for another: no references, unique values or locks.
 */
@Injectable()
export class RecordWriteService {
  private readonly creations = new Batches<Creation, StoredRecord>({
    together: (creations) => this.createTogether(creations),
    apart: { carryOut: (creation) => this.createAlone(creation), isOfOne },
    weightOf: ({ draft }) => weightOf(draft),
  });
  private readonly updates = new Batches<Change, StoredRecord>({
    // What a change weighs is known once the record is read.
    together: (changes) => this.whileOthersWait(changes, this.changeTogether(changes)),
    apart: { carryOut: (change) => this.changeApart(change), isOfOne },
  });
  /** By record, the end of the work that changes it: later changes wait here, without a connection. */
  private readonly underWay = new Map<string, Promise<Error | undefined>>();

  constructor(
    private readonly models: ObjectModelStore,
    private readonly records: RecordWriteRepository,
    private readonly searches: SearchRepository,
    private readonly references: ReferenceRepository,
    private readonly uniques: UniqueValueRepository,
  ) {}

  /** Prepares a creation before its transaction. @throws PAYLOAD_TOO_LARGE */
  prepare(author: Author, values: FieldValues): Creation {
    return { ...author, draft: draftOfNew(author, values) };
  }

  /** @throws VALIDATION_FAILED for a reference, UNIQUE_VIOLATION; an error that isStale recognises */
  async create(creation: Creation): Promise<StoredRecord> {
    if (this.isConcerned(creation.model, creation.draft)) return this.createAlone(creation);
    return this.creations.run(batchKey(creation), creation);
  }

  /** In a transaction that holds the definition. @throws as {@link create} */
  async insert(tx: TenantTransaction, creation: Creation): Promise<StoredRecord> {
    const { draft } = creation;
    const claimed = this.claim(tx, creation, draft);
    this.insertAll(tx, [creation]);
    await claimed;
    return draft.record;
  }

  /** @throws as {@link create}; VERSION_MISMATCH, NOT_FOUND, PAYLOAD_TOO_LARGE */
  async change(change: Change): Promise<StoredRecord> {
    const key = recordKey(change);
    for (let earlier = this.underWay.get(key); earlier; earlier = this.underWay.get(key)) {
      const unavailable = await earlier;
      if (unavailable) throw unavailable;
    }
    return this.updates.run(batchKey(change), change);
  }

  private async createTogether(creations: readonly Creation[]): Promise<Outcome<StoredRecord>[]> {
    const { model, caller } = creations[0] as Creation;
    await this.models.transaction(ofAll(caller), model, async (tx) => this.insertAll(tx, creations));
    return creations.map(({ draft }) => ({ result: draft.record }));
  }

  private createAlone(creation: Creation): Promise<StoredRecord> {
    return this.models.transaction(creation.caller, creation.model, (tx) => this.insert(tx, creation));
  }

  private changeTogether(changes: readonly Change[]): Promise<Outcome<StoredRecord>[]> {
    const { model, caller } = changes[0] as Change;
    return this.models.transaction(ofAll(caller), model, async (tx) => {
      const ids = [...new Set(changes.map(({ id }) => id))];
      const locked = await this.records.lockFree(tx, model.object.id, ids);
      const current = new Map(locked.map((record) => [record.id, record]));
      const drafts = new Map<string, Draft>();
      let weight = 0;
      const outcomes = changes.map((change): Outcome<StoredRecord> => {
        const before = current.get(change.id);
        if (!before) return null;
        if (weight > MOST_WEIGHT) return 'next';
        try {
          const draft = draftOfChange(change, before);
          if (!draft) return { result: before };
          if (this.isConcerned(model, draft)) return null;
          weight += weightOf(draft);
          // Of several changes of a record the last is written, with the events of all.
          drafts.set(change.id, following(drafts.get(change.id), draft));
          current.set(change.id, draft.record);
          return { result: draft.record };
        } catch (error) {
          return { error };
        }
      });
      this.updateAll(tx, model, [...drafts.values()]);
      return outcomes;
    });
  }

  /** One change of a record at a time: those that waited for it are carried out together afterwards. */
  private changeApart(change: Change): Promise<StoredRecord> {
    if (this.underWay.has(recordKey(change))) return this.change(change);
    return this.whileOthersWait([change], this.changeAlone(change));
  }

  /** Changes of the same records wait for this work, and hold no connection meanwhile. */
  private async whileOthersWait<T>(changes: readonly Change[], work: Promise<T>): Promise<T> {
    const end = work.then(
      () => undefined,
      // Changes that wait for the same lock fail with it: it would not be free for them any sooner.
      (error: Error) => (isTemporary(error) ? error : undefined),
    );
    const keys = changes.map(recordKey);
    for (const key of keys) this.underWay.set(key, end);
    try {
      return await work;
    } finally {
      for (const key of keys) if (this.underWay.get(key) === end) this.underWay.delete(key);
    }
  }

  private changeAlone(change: Change): Promise<StoredRecord> {
    const { model, caller, id } = change;
    return this.models.transaction(caller, model, async (tx) => {
      const before = await this.records.lock(tx, model.object.id, id);
      if (!before) throw noSuchRecord();
      const draft = draftOfChange(change, before);
      if (!draft) return before;
      const claimed = this.claim(tx, change, draft);
      this.updateAll(tx, model, [draft]);
      await claimed;
      return draft.record;
    });
  }

  /** Whether a write may have to wait for another, or fail because of another record. */
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
  ): Promise<void> {
    const outcomes = await Promise.allSettled([
      this.references.claim(tx, model, id, previous, values, (field) => readableTargets(caller, field)),
      this.uniques.claim(tx, model, id, previous, values),
    ]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  private insertAll(tx: TenantTransaction, creations: readonly Creation[]): void {
    const { id: objectId } = (creations[0] as Creation).model.object;
    const drafts = creations.map(({ draft }) => draft);
    const users = creations.map(({ caller }) => caller.userId);
    this.records.insert(tx, objectId, writesOf(drafts), users);
    this.searches.insert(tx, objectId, searchedOf(drafts));
    appendAll(tx, drafts);
  }

  private updateAll(tx: TenantTransaction, model: ObjectModel, drafts: readonly Draft[]): void {
    if (drafts.length === 0) return;
    const { id: objectId } = model.object;
    this.records.update(tx, objectId, writesOf(drafts));
    this.searches.write(tx, objectId, searchedOf(drafts));
    appendAll(tx, drafts);
  }
}

const writesOf = (drafts: readonly Draft[]) => drafts.map(({ write }) => write);
const searchedOf = (drafts: readonly Draft[]) => drafts.map(({ record, texts }) => ({ id: record.id, texts }));
/** The events have all that is written, and more. */
const weightOf = ({ events }: Draft): number => events.reduce((sum, { envelope }) => sum + envelope.length, 0);

/** Writes of one tenant under one definition are batched. */
const batchKey = ({ model: { object }, caller }: Author): string =>
  `${caller.tenantId}/${object.id}/${object.revision}`;

const recordKey = ({ caller, id }: Change): string => `${caller.tenantId}/${id}`;

/** That one client goes away does not end what is done for several. */
const ofAll = (caller: Caller): Caller => ({ ...caller, connection: undefined });

const following = (earlier: Draft | undefined, draft: Draft): Draft =>
  earlier === undefined
    ? draft
    : {
        ...draft,
        texts: new Map([...earlier.texts, ...draft.texts]),
        events: [...earlier.events, ...draft.events],
      };

/** A refused statement may have been refused for the values of one record; that the definition has changed concerns all. */
const isOfOne = (error: unknown): boolean => isRefusedStatement(error) && !isStale(error);

function appendAll(tx: TenantTransaction, drafts: readonly Draft[]): void {
  for (const { events } of drafts) for (const event of events) tx.appendToOutbox(event);
}

/** @throws PAYLOAD_TOO_LARGE */
function draftOfNew({ model, caller, clock }: Author, values: FieldValues): Draft {
  const id = newId();
  // Not the start of the request: lists are ordered by the id, which is made later.
  const at = new Date(millisecondsOfId(id)).toISOString();
  const record: StoredRecord = { id, version: 1, data: dataOf(model, values), createdAt: at, updatedAt: at };
  return {
    previous: null,
    values,
    record,
    write: writeOf(model, record, values),
    texts: searchTextsOf(model, values),
    events: recordCreated(model, record, caller, clock),
  };
}

/**
 * @param before the locked record
 * @returns null when nothing changes
 * @throws VERSION_MISMATCH, PAYLOAD_TOO_LARGE
 */
function draftOfChange({ model, caller, changes, expected, clock }: Change, before: StoredRecord): Draft | null {
  requireMatch(expected, before.version);
  const previous = valuesOf(model, before.data);
  const values = { ...previous, ...changes };
  // A write to a field that the caller cannot read always counts as a change, so that nobody can guess its value.
  const { readable } = model.planFor(caller.roles);
  const areReadable = Object.keys(changes).every((name) => readable.has(name));
  if (areReadable && isDeepStrictEqual(previous, values)) return null;

  // Not earlier than the last change, although that may have been made while this one waited for the lock.
  const updatedAt = laterOf(before.updatedAt, new Date().toISOString());
  const record: StoredRecord = { ...before, version: before.version + 1, data: dataOf(model, values), updatedAt };
  return {
    previous,
    values,
    record,
    write: writeOf(model, record, values),
    texts: searchTextsOf(model, values, previous),
    events: recordUpdated(model, before, record, caller, clock),
  };
}

function writeOf(
  model: ObjectModel,
  { id, version, data, updatedAt: at }: StoredRecord,
  values: FieldValues,
): RecordWrite {
  return { id, version, data, slots: slotsOf(model, values), at };
}
