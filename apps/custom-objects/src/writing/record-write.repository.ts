import type { CallClaim, OutboxRow, SharedTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { ListTotals } from '../finding/list-total.service.js';
import { SearchListSweeper } from '../finding/search-list.sweeper.js';
import type { SearchTexts } from '../finding/search-text.js';
import type { StoredField } from '../object/object-definition.js';
import { type StoredRecord, unsetSlotOf } from '../reading/record.js';
import { COLUMNS, FIND_RECORD, type RecordRow, recordOf, recordsOf } from '../reading/record.repository.js';
import { StorageUseRepository } from '../storage/storage-use.repository.js';
import type { Actor, HistoryEntry } from '../timeline/record-history.repository.js';

const SLOT_NAME = /^[snt][1-9][0-9]?$/;
/** Slot names come from our own rows; nothing else gets into the text of a statement all the same. */
function slotColumn(name: string): string {
  if (!SLOT_NAME.test(name)) throw new Error(`${name} is not a slot`);
  return name;
}

/** For a change; a record that refers to it can be written meanwhile. $1: tenant, $2: object, $3: record. */
export const LOCK_RECORD = `${FIND_RECORD} FOR NO KEY UPDATE`;

/** Against deletion too, and against new references. In the order in which all transactions lock. $1: tenant, $2: object, $3: records. */
export const LOCK_RECORDS_FOR_DELETION = `
  SELECT ${COLUMNS} FROM custom_record
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[]) AND deleted_at IS NULL ORDER BY id FOR UPDATE`;

/**
 * $1: tenant, $2: object, $3: records, $4: time, $5: by whom, $6: the record with whose deletion they go, null for that record, $7: the
 * one with which it was merged.
 */
export const MARK_RECORDS_DELETED = `
  UPDATE custom_record SET deleted_at = $4, deleted_by = $5, deleted_with = $6, merged_into = $7, updated_at = greatest(updated_at, $4::timestamptz),
         version = version + 1
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[])`;

/** Unsets fields. $1: tenant, $2: object, $3: records, $4: keys of the fields, $5: time, unless it is `silent`. */
export const unsetFields = (fields: readonly Pick<StoredField, 'type' | 'slot'>[], silent = false): string => `
  UPDATE custom_record SET data = data - $4::text[]${silent ? '' : ', updated_at = greatest(updated_at, $5::timestamptz), version = version + 1'}
         ${fields.map((field) => (field.slot === null ? '' : `, ${slotColumn(field.slot)} = '${unsetSlotOf(field)}'`)).join('')}
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[]) RETURNING new.bytes - old.bytes AS grown`;

/** Sets a reference, silently. $1: tenant, $2: object, $3: records, $4: key of the field, $5: target. */
export const setReference = ({ slot }: Pick<StoredField, 'slot'>): string => `
  UPDATE custom_record SET data = data || jsonb_build_object($4::text, $5::text)${slot === null ? '' : `, ${slotColumn(slot)} = $5::text`}
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[]) RETURNING new.bytes - old.bytes AS grown`;

/** What every function that writes takes last: the texts and events of the records. */
const WRITTEN = (first: number) => Array.from({ length: 8 }, (_, index) => `$${first + index}`).join(', ');

/** For the arguments see the functions. */
export const CREATE_RECORDS = `SELECT refusal, refused FROM create_records($1, $2, $3, $4, $5, ${WRITTEN(6)})`;
export const LOCK_RECORDS = 'SELECT refusal, heads, data FROM lock_records($1, $2, $3, $4)';
export const CHANGE_RECORDS = `SELECT change_records($1, $2, $3, $4, $5, $6, $7, ${WRITTEN(8)})`;

/** What is written of a record. */
export interface RecordWrite {
  readonly id: string;
  readonly version: number;
  /** JSON. */
  readonly data: string;
  /** Value by slot column, of a new record and of one whose slots change; none where all stay. */
  readonly slots: ReadonlyMap<string, string | number | null>;
  /** RFC 3339. */
  readonly at: string;
  /** Who writes it. */
  readonly by: string;
  readonly texts: SearchTexts;
  readonly events: readonly OutboxRow[];
  /** What its changes were, each as JSON; of a new record none. */
  readonly history: readonly string[];
}

/** A change as `change_records` takes it. @param data values before and after, by the fields' keys */
export const historyOf = (
  { id, version, at }: Pick<RecordWrite, 'id' | 'version' | 'at'>,
  actor: Actor,
  data: HistoryEntry['data'],
): string => JSON.stringify({ id, version, at, ...actor, data });

/** The definition under which a tenant's records are written. */
export interface WrittenObject {
  readonly tenantId: string;
  readonly id: string;
  readonly revision: number;
}

/** Why nothing was written: definitions are being changed, or the object's has another revision. */
export type WriteRefusal = 'busy' | 'stale' | null;

/** What is remembered of a deletion. */
interface Deletion {
  readonly at: Date;
  readonly by: string;
  /** The record with whose deletion others go. */
  readonly along: string | null;
  /** The record with which this one was merged. */
  readonly mergedInto: string | null;
}

/** Locks and writes records. */
@Injectable()
export class RecordWriteRepository {
  constructor(
    private readonly totals: ListTotals,
    private readonly storage: StorageUseRepository,
    private readonly lists: SearchListSweeper,
  ) {}

  /** Like find, and nobody else changes or deletes the record until the transaction ends. */
  async lock(tx: TenantTransaction, objectId: string, id: string): Promise<StoredRecord | null> {
    const [row] = await tx.queryPrepared<RecordRow>(LOCK_RECORD, [tx.tenantId, objectId, id]);
    return row ? recordOf(row) : null;
  }

  /** Locks those of the records that exist and that nobody else has locked, without waiting. */
  async lockFree(
    tx: SharedTransaction,
    { tenantId, id, revision }: WrittenObject,
    ids: readonly string[],
  ): Promise<{ refusal: WriteRefusal; records: StoredRecord[] }> {
    const rows = await tx.queryPrepared<LockedRow>(LOCK_RECORDS, [tenantId, id, revision, ids]);
    const { refusal, heads, data } = rows[0] as LockedRow;
    return { refusal, records: recordsOf(heads, data) };
  }

  /**
   * Writes new records, whose versions are 1, with what belongs to them, without waiting.
   * @param claims of calls that create some of the records (`claimOfCall`)
   * @returns one row, known after the commit
   */
  create(
    tx: SharedTransaction,
    { tenantId, id, revision }: WrittenObject,
    records: readonly RecordWrite[],
    claims: readonly CallClaim[] = [],
  ): Promise<[CreatedRow]> {
    tx.announceEvents();
    this.changeTotals(tx, tenantId, id);
    this.noteTexts(tx, records);
    const calls = claims.length > 0 ? JSON.stringify(claims) : null;
    const parameters = [tenantId, id, revision, rowsOf(records), calls, ...textsAndEventsOf(records)];
    return tx.issueReturning<CreatedRow>(CREATE_RECORDS, parameters) as Promise<[CreatedRow]>;
  }

  /** Writes locked records with what belongs to them. */
  change(tx: SharedTransaction, { tenantId, id }: WrittenObject, records: readonly RecordWrite[]): void {
    tx.announceEvents();
    this.changeTotals(tx, tenantId, id);
    this.noteTexts(tx, records);
    const [same, changed] = [true, false].map((isSame) => records.filter(({ slots }) => (slots.size === 0) === isSame));
    const rows = [same, changed].flatMap((some = []) => [some.map((record) => record.id), rowsOf(some)]);
    const history = records.flatMap((record) => record.history);
    const changes = history.length > 0 ? `[${history.join(',')}]` : null;
    void tx.issueReturning(CHANGE_RECORDS, [tenantId, id, ...rows, changes, ...textsAndEventsOf(records)]);
  }

  /** Locks those of the records that exist: until the transaction ends nobody changes or deletes them, or refers to them anew. */
  async lockForDeletion(tx: TenantTransaction, objectId: string, ids: readonly string[]): Promise<StoredRecord[]> {
    const rows = await tx.queryPrepared<RecordRow>(LOCK_RECORDS_FOR_DELETION, [tx.tenantId, objectId, ids]);
    return rows.map(recordOf);
  }

  async markDeleted(
    tx: TenantTransaction,
    objectId: string,
    ids: readonly string[],
    { at, by, along, mergedInto }: Deletion,
  ): Promise<void> {
    this.changeTotals(tx, tx.tenantId, objectId);
    await tx.queryPrepared(MARK_RECORDS_DELETED, [tx.tenantId, objectId, ids, at, by, along, mergedInto]);
  }

  /** Unsets the same fields of locked records, which become one version newer. @param at null for a silent change, without a version */
  async unset(
    tx: TenantTransaction,
    objectId: string,
    ids: readonly string[],
    fields: readonly Pick<StoredField, 'key' | 'type' | 'slot'>[],
    at: Date | null,
  ): Promise<void> {
    this.changeTotals(tx, tx.tenantId, objectId);
    const keys = fields.map(({ key }) => String(key));
    const parameters = [tx.tenantId, objectId, ids, keys, ...(at === null ? [] : [at])];
    await this.writeCounted(tx, objectId, unsetFields(fields, at === null), parameters);
  }

  /** Sets a reference of locked records, which keep their versions. */
  async refer(
    tx: TenantTransaction,
    objectId: string,
    ids: readonly string[],
    field: Pick<StoredField, 'key' | 'slot'>,
    targetId: string,
  ): Promise<void> {
    this.changeTotals(tx, tx.tenantId, objectId);
    const parameters = [tx.tenantId, objectId, ids, String(field.key), targetId];
    await this.writeCounted(tx, objectId, setReference(field), parameters);
  }

  private async writeCounted(
    tx: TenantTransaction,
    objectId: string,
    statement: string,
    parameters: unknown[],
  ): Promise<void> {
    const rows = await tx.queryPrepared<{ grown: number }>(statement, parameters);
    this.storage.count(tx, objectId, { records: 0, bytes: rows.reduce((sum, { grown }) => sum + grown, 0) });
  }

  private noteTexts(tx: Pick<SharedTransaction, 'afterCommit'>, records: readonly RecordWrite[]): void {
    let units = 0;
    for (const { texts } of records) for (const text of texts.values()) units += text?.length ?? 0;
    if (units > 0) tx.afterCommit(() => this.lists.note(units));
  }

  private changeTotals(tx: Pick<SharedTransaction, 'afterCommit'>, tenantId: string, objectId: string): void {
    tx.afterCommit(() => this.totals.forget({ tenantId, objectId }));
  }
}

interface CreatedRow {
  readonly refusal: WriteRefusal;
  /** The records that an earlier call has created, or another transaction is about to. */
  readonly refused: readonly string[];
}

interface LockedRow {
  readonly refusal: WriteRefusal;
  readonly heads: string | null;
  readonly data: string | null;
}

const rowsOf = (records: readonly RecordWrite[]): string => `[${records.map(rowOf).join(',')}]`;

const rowOf = ({ id, version, data, at, by, slots }: RecordWrite): string =>
  `${JSON.stringify({ id, version, at, by, ...Object.fromEntries(slots) }).slice(0, -1)},"data":${data}}`;

/** The arguments of WRITTEN. */
function textsAndEventsOf(records: readonly RecordWrite[]): unknown[] {
  const texts = records.flatMap(({ id, texts }) => [...texts].map(([audience, text]) => ({ id, audience, text })));
  const events = records.flatMap(({ id, events }) => events.map((event) => ({ recordId: id, ...event })));
  return [
    texts.map(({ id }) => id),
    texts.map(({ audience }) => audience),
    texts.map(({ text }) => text),
    events.map(({ recordId }) => recordId),
    events.map(({ id }) => id),
    events.map(({ name }) => name),
    events.map(({ subject }) => subject),
    `[${events.map(({ envelope }) => envelope).join(',')}]`,
  ];
}
