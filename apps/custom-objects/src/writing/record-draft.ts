import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '@crm/access';
import { millisecondsOfId, newId } from '@crm/database';
import { type ExpectedVersions, requireMatch } from '@crm/http';
import { searchTextsOf } from '../finding/search-text.js';
import type { StoredField } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';
import {
  dataOf,
  type FieldValues,
  laterTime,
  RecordText,
  type StoredRecord,
  slotsOf,
  valuesOf,
} from '../reading/record.js';
import { actorOf } from '../timeline/record-history.repository.js';
import { withStage } from './picklist-rules.js';
import { type Author, recordCreated, recordRestored, recordUpdated } from './record-events.js';
import { historyOf, type RecordWrite } from './record-write.repository.js';

/** A validated change of a record. */
export interface Change extends Author {
  readonly id: string;
  readonly changes: FieldValues;
  /** The versions that `If-Match` names. */
  readonly expected: ExpectedVersions;
  /** Its references may name any record of their objects, not only what the caller can read. */
  readonly isOfPlatform?: true;
  /** What a restored record brings back goes on at the storage limit. */
  readonly isRestored?: true;
}

/** Everything that is written of a record. */
export interface Draft {
  /** Values before the change; null for a new record. */
  readonly previous: FieldValues | null;
  readonly values: FieldValues;
  readonly record: StoredRecord;
  readonly write: RecordWrite;
}

/** The last of several changes of a record is written, with the events of all. */
export const mergedDraft = (earlier: Draft | undefined, draft: Draft): Draft =>
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

/** With every slot and all texts. */
const wholeRow = ({ model, caller }: Author, record: RecordText, values: FieldValues) => ({
  ...rowOf(caller, record, slotsOf(model, values)),
  texts: searchTextsOf(model, values),
});

/** @throws PAYLOAD_TOO_LARGE, VALIDATION_FAILED for a retired option */
export function draftOfNew(author: Author, given: FieldValues): Draft {
  const { model } = author;
  const values = withStage(model, given, null);
  const id = newId();
  // Not the start of the request: lists are ordered by the id, which is made later.
  const at = new Date(millisecondsOfId(id)).toISOString();
  const record = recordOf(model, values, { id, version: 1, createdAt: at, updatedAt: at });
  return {
    previous: null,
    values,
    record,
    write: { ...wholeRow(author, record, values), events: recordCreated(author, record), history: [] },
  };
}

/**
 * @param before the locked record
 * @returns null when nothing changes
 * @throws VERSION_MISMATCH, PAYLOAD_TOO_LARGE, VALIDATION_FAILED for a retired option
 */
export function draftOfChange(change: Change, before: StoredRecord): Draft | null {
  const { model, caller, expected } = change;
  requireMatch(expected, before.version);
  const previous = valuesOf(model, before.data);
  const changes = withStage(model, change.changes, previous, change.isOfPlatform);
  const values = { ...previous, ...changes };
  const changed = Object.keys(changes).filter((name) => !isDeepStrictEqual(previous[name], values[name]));
  // A write to a field that the caller cannot read always counts as a change, so that nobody can guess its value.
  const { readable } = model.planFor(caller.roles);
  if (changed.length === 0 && Object.keys(changes).every((name) => readable.has(name))) return null;

  // Not earlier than the last change, although that may have been made while this one waited for the lock.
  const updatedAt = laterTime(before.updatedAt, new Date().toISOString());
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
      events: recordUpdated(change, before, record),
      history: historyOfChange(record, caller, fields, previous, values),
    },
  };
}

/** @param before as it was deleted @param gone its references to what is gone meanwhile, which are cleared */
export function draftOfRestored(author: Author, before: StoredRecord, gone: readonly StoredField[]): Draft {
  const { model, caller, clock } = author;
  const previous = valuesOf(model, before.data);
  const values = { ...previous, ...Object.fromEntries(gone.map(({ apiName }) => [apiName, null])) };
  const updatedAt = laterTime(before.updatedAt, clock.now.toISOString());
  const record = recordOf(model, values, { ...before, version: before.version + 1, updatedAt });
  const told = gone.filter((field) => !model.hiddenReferences.includes(field));
  return {
    previous: null,
    values,
    record,
    write: {
      ...wholeRow(author, record, values),
      events: [recordRestored(author, record)],
      history: historyOfChange(record, caller, told, previous, values),
    },
  };
}

/** None for a version in which no value is another. */
function historyOfChange(
  { id, version, updatedAt: at }: StoredRecord,
  caller: Principal,
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
  { userId: by }: Principal,
  { id, version, text: data, updatedAt: at }: RecordText,
  slots: RecordWrite['slots'],
): Omit<RecordWrite, 'texts' | 'events' | 'history'> => ({ id, version, data, slots, at, by });
