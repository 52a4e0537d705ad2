import { isDeepStrictEqual } from 'node:util';
import { PlatformError } from '@crm/contracts';
import {
  Batches,
  type CallClaim,
  claimOfCall,
  Database,
  IdempotencyService,
  type IdempotentCall,
  isOfOneTenant,
  isTemporary,
  MOST_WEIGHT,
  millisecondsOfId,
  newId,
  type Outcome,
  type SharedTransaction,
  type TenantTransaction,
} from '@crm/database';
import type { EvaluationContext } from '@crm/formula';
import { type ExpectedVersions, requireMatch } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { searchTextsOf } from '../finding/search-text.js';
import type { StoredField } from '../object/object-definition.js';
import { isStale, type ObjectCaller, type ObjectModel, ObjectModelStore, StaleModel } from '../object/object-model.js';
import {
  dataOf,
  type FieldValues,
  laterOf,
  noSuchRecord,
  RecordText,
  type StoredRecord,
  slotsOf,
  valuesOf,
} from '../reading/record.js';
import { RecordRepository } from '../reading/record.repository.js';
import { actorOf } from '../timeline/record-history.repository.js';
import { ReferenceRepository, UniqueValueRepository } from './claim.repository.js';
import { withStage } from './picklist-rules.js';
import { recordCreated, recordRestored, recordUpdated } from './record-events.js';
import { historyOf, type RecordWrite, RecordWriteRepository, type WrittenObject } from './record-write.repository.js';
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
  /** Identifies the call, so that a repetition finds the first record. */
  readonly call: IdempotentCall | undefined;
  readonly claim: CallClaim | undefined;
}

/** A validated change of a record. */
export interface Change extends Author {
  readonly id: string;
  readonly changes: FieldValues;
  /** The versions that `If-Match` names. */
  readonly expected: ExpectedVersions;
  /** Its references may name any record of their objects, not only what the caller can read. */
  readonly isOfPlatform?: true;
}

/** A record that is no longer deleted. */
interface Restored {
  readonly record: StoredRecord;
  /** The references that named what is gone. */
  readonly gone: readonly StoredField[];
}

/** Everything that is written of a record. */
interface Draft {
  /** Values before the change; null for a new record. */
  readonly previous: FieldValues | null;
  readonly values: FieldValues;
  readonly record: StoredRecord;
  readonly write: RecordWrite;
}

/**
 * Writes records with their references, unique values, search texts and events. Concurrent writes of all tenants share a
 * transaction if none of them can wait for another: no references, unique values or locks.
 */
@Injectable()
export class RecordWriteService {
  private readonly creations = new Batches<Creation, StoredRecord>({
    together: (_, groups) => this.createTogether(groups),
    groupOf,
    apart: { carryOut: (creation) => this.createAlone(creation), isOfOne },
    weightOf: ({ draft }) => weightOf(draft),
  });
  private readonly updates = new Batches<Change, StoredRecord>({
    // What a change weighs is known once the record is read.
    together: (changes, groups) => this.whileOthersWait(changes, this.changeTogether(groups)),
    groupOf,
    apart: { carryOut: (change) => this.changeApart(change), isOfOne },
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
  ) {}

  /** Prepares a creation before its transaction. @throws PAYLOAD_TOO_LARGE, VALIDATION_FAILED for a retired option */
  prepare(author: Author, values: FieldValues, call?: IdempotentCall): Creation {
    const draft = draftOfNew(author, values);
    return { ...author, draft, call, claim: call && claimOfCall(call, draft.record.id) };
  }

  /**
   * @returns the record, of an earlier call if there was one
   * @throws VALIDATION_FAILED for a reference, UNIQUE_VIOLATION, IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED; NOT_FOUND when the
   *   record of an earlier call has been deleted; an error that isStale recognises
   */
  async create(creation: Creation): Promise<StoredRecord> {
    if (this.isConcerned(creation.model, creation.draft)) return this.createAlone(creation);
    return this.creations.run(await this.database.laneOf(groupOf(creation)), creation);
  }

  /** @throws as {@link create}; VERSION_MISMATCH, NOT_FOUND, PAYLOAD_TOO_LARGE */
  async change(change: Change): Promise<StoredRecord> {
    const key = recordKey(change);
    for (let earlier = this.underWay.get(key); earlier; earlier = this.underWay.get(key)) {
      const unavailable = await earlier;
      if (unavailable) throw unavailable;
    }
    return this.updates.run(await this.database.laneOf(groupOf(change)), change);
  }

  private async createTogether(groups: readonly (readonly Creation[])[]): Promise<Outcome<StoredRecord>[]> {
    const { answers } = await this.together('creations', groups, async (tx) => ({
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
  private createAlone(creation: Creation): Promise<StoredRecord> {
    const { model, caller, call, draft } = creation;
    return this.models.transaction(caller, model, async (tx) => {
      if (!call) return this.createIn(tx, creation);
      const create = async () => (await this.createIn(tx, creation)).id;
      const { recordId, repeated } = await this.idempotency.once(tx, call, create);
      if (!repeated) return draft.record;
      const earlier = await this.stored.find(tx, model.object.id, recordId);
      if (!earlier) throw noSuchRecord();
      return earlier;
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

  private changeTogether(groups: readonly (readonly Change[])[]): Promise<Outcome<StoredRecord>[]> {
    return this.together('changes', groups, async (tx) => {
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
            const draft = draftOfChange(change, before);
            if (!draft) return { result: before };
            if (this.isConcerned(change.model, draft)) return null;
            weight += weightOf(draft);
            // Of several changes of a record the last is written, with the events of all.
            drafts.set(change.id, following(drafts.get(change.id), draft));
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

  private together<T>(
    kind: string,
    groups: readonly (readonly Author[])[],
    work: (tx: SharedTransaction) => Promise<T>,
  ): Promise<T> {
    const [[{ caller }]] = groups as [[Author]];
    return this.database.together({ kind, tenantId: caller.tenantId, traceparent: caller.traceparent }, work);
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
    return this.models.transaction(change.caller, change.model, (tx) => this.changeIn(tx, change));
  }

  /** In a transaction that holds the definition and may write more; it waits for the record. @throws as {@link change} */
  async changeIn(tx: TenantTransaction, change: Change): Promise<StoredRecord> {
    const { model, id } = change;
    const before = await this.records.lock(tx, model.object.id, id);
    if (!before) throw noSuchRecord();
    const draft = draftOfChange(change, before);
    if (!draft) return before;
    const claimed = this.claim(tx, change, draft, change.isOfPlatform);
    this.records.change(tx, objectOf([change]), [draft.write]);
    await claimed;
    return draft.record;
  }

  /**
   * Writes a record that is in the bin no more as it was. References to what is gone meanwhile are cleared.
   * @returns the record, and the references that were cleared
   * @throws UNIQUE_VIOLATION; CONFLICT when a required reference is gone; PAYLOAD_TOO_LARGE
   */
  async restoreIn(tx: TenantTransaction, author: Author, before: StoredRecord): Promise<Restored> {
    const { model, caller, clock } = author;
    const { id } = before;
    const values = valuesOf(model, before.data);
    const gone = await this.references.claimExisting(tx, model, id, null, values, allTargets);
    if (gone.some(({ required }) => required)) {
      throw new PlatformError('CONFLICT', 'A record that this one needs is gone: restore it first');
    }
    for (const { apiName } of gone) values[apiName] = null;
    await this.uniques.claim(tx, model, id, null, values);
    const updatedAt = laterOf(before.updatedAt, clock.now.toISOString());
    const record = recordOf(model, values, { ...before, version: before.version + 1, updatedAt });
    const write = {
      ...rowOf(caller, record, slotsOf(model, values)),
      texts: searchTextsOf(model, values),
      events: [recordRestored(model, record, caller, clock)],
      history: historyOfChange(record, caller, gone, valuesOf(model, before.data), values),
    };
    this.records.change(tx, objectOf([author]), [write]);
    return { record, gone };
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

/** Of creations with the same key the first. */
function firstOfCalls(creations: readonly Creation[]): Creation[] {
  const names = new Set<string>();
  return creations.filter(({ claim }) => claim === undefined || (!names.has(claim.lock) && names.add(claim.lock)));
}

const recordKey = ({ caller, id }: Change): string => `${caller.tenantId}/${id}`;

const following = (earlier: Draft | undefined, draft: Draft): Draft =>
  earlier === undefined
    ? draft
    : {
        ...draft,
        write: {
          ...draft.write,
          texts: new Map([...earlier.write.texts, ...draft.write.texts]),
          slots: draft.write.slots.size > 0 ? draft.write.slots : earlier.write.slots,
          events: [...earlier.write.events, ...draft.write.events],
          history: [...earlier.write.history, ...draft.write.history],
        },
      };

/** A statement may fail for the values or the node of one record; that the definition has changed concerns all. */
const isOfOne = (error: unknown): boolean => isOfOneTenant(error) && !isStale(error);

/** @throws PAYLOAD_TOO_LARGE, VALIDATION_FAILED for a retired option */
function draftOfNew({ model, caller, clock }: Author, given: FieldValues): Draft {
  const values = withStage(model, given, null);
  const id = newId();
  // Not the start of the request: lists are ordered by the id, which is made later.
  const at = new Date(millisecondsOfId(id)).toISOString();
  const record = recordOf(model, values, { id, version: 1, createdAt: at, updatedAt: at });
  return {
    previous: null,
    values,
    record,
    write: {
      ...rowOf(caller, record, slotsOf(model, values)),
      texts: searchTextsOf(model, values),
      events: recordCreated(model, record, caller, clock),
      history: [],
    },
  };
}

/**
 * @param before the locked record
 * @returns null when nothing changes
 * @throws VERSION_MISMATCH, PAYLOAD_TOO_LARGE, VALIDATION_FAILED for a retired option
 */
function draftOfChange(change: Change, before: StoredRecord): Draft | null {
  const { model, caller, expected, clock } = change;
  requireMatch(expected, before.version);
  const previous = valuesOf(model, before.data);
  const changes = withStage(model, change.changes, previous, change.isOfPlatform);
  const values = { ...previous, ...changes };
  const changed = Object.keys(changes).filter((name) => !isDeepStrictEqual(previous[name], values[name]));
  // A write to a field that the caller cannot read always counts as a change, so that nobody can guess its value.
  const { readable } = model.planFor(caller.roles);
  if (changed.length === 0 && Object.keys(changes).every((name) => readable.has(name))) return null;

  // Not earlier than the last change, although that may have been made while this one waited for the lock.
  const updatedAt = laterOf(before.updatedAt, new Date().toISOString());
  const { id, version, createdAt } = before;
  const record = recordOf(model, values, { id, version: version + 1, createdAt, updatedAt });
  const fields = changed.map((name) => model.fieldsByName.get(name) as StoredField);
  const changesSlots = fields.some(({ slot }) => slot !== null);
  return {
    previous,
    values,
    record,
    write: {
      ...rowOf(caller, record, changesSlots ? slotsOf(model, values) : new Map()),
      texts: searchTextsOf(model, values, previous),
      events: recordUpdated(model, before, record, caller, clock),
      history: historyOfChange(record, caller, fields, previous, values),
    },
  };
}

/** None for a version in which no value is another. */
function historyOfChange(
  { id, version, updatedAt: at }: StoredRecord,
  caller: Caller,
  fields: readonly StoredField[],
  previous: FieldValues,
  values: FieldValues,
): string[] {
  if (fields.length === 0) return [];
  const data = Object.fromEntries(
    fields.map(({ key, apiName }) => [key, [previous[apiName] ?? null, values[apiName] ?? null] as const]),
  );
  return [historyOf({ id, version, at }, actorOf(caller, caller.userId), data)];
}

function recordOf(model: ObjectModel, values: FieldValues, head: Omit<StoredRecord, 'data'>): RecordText {
  const data = dataOf(model, values);
  return new RecordText(head.id, head.version, head.createdAt, head.updatedAt, JSON.stringify(data), data);
}

const rowOf = (
  { userId: by }: Caller,
  { id, version, text: data, updatedAt: at }: RecordText,
  slots: RecordWrite['slots'],
): Omit<RecordWrite, 'texts' | 'events' | 'history'> => ({ id, version, data, slots, at, by });
