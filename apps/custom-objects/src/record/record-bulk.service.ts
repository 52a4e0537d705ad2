import type { Principal } from '@crm/access';
import { invalidValues, PlatformError, requireNoProblems } from '@crm/contracts';
import { Database, IdempotencyService, type IdempotentCall, newId, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { requireAccess, type StoredField } from '../object/object-definition.js';
import { type ObjectModel, ObjectModelStore } from '../object/object-model.js';
import { UniqueValueRepository } from '../writing/claim.repository.js';
import type { Change } from '../writing/record-draft.js';
import { RecordRemovalService } from '../writing/record-removal.service.js';
import { RecordWriteRepository } from '../writing/record-write.repository.js';
import { type Creation, RecordWriteService } from '../writing/record-write.service.js';
import {
  type BulkResult,
  type Done,
  faultsOf,
  keyIn,
  matchedField,
  OUTCOMES,
  ofRecord,
  ofRow,
  problemOf,
  type Row,
  rowsOf,
} from './bulk-row.js';
import { RecordService } from './record.service.js';
import type { BulkInput } from './record-bulk.dto.js';

/** Rows of one call that are written at the same time, and so share batches: others of the workspace have their turn too. */
const AT_ONCE = 20;

export interface BulkAnswer {
  readonly results: readonly BulkResult[];
  readonly succeeded: number;
  readonly failed: number;
}

/** What a row comes to within one transaction. */
type Step =
  | { readonly row: Row; readonly status: 'created'; readonly id: string; readonly creation: Creation }
  | { readonly row: Row; readonly status: 'updated'; readonly id: string; readonly change: Change }
  | { readonly row: Row; readonly status: 'deleted'; readonly id: string };

/** A call that is carried out. */
interface Run {
  readonly caller: Principal;
  readonly apiName: string;
  readonly input: BulkInput;
  readonly call: IdempotentCall | undefined;
  readonly model: ObjectModel;
  /** The field by which an upsert finds records. */
  readonly field: StoredField | undefined;
}

/** Writes many records in one call by the rules of the single calls: all or none, or each for itself. */
@Injectable()
export class RecordBulkService {
  constructor(
    private readonly database: Database,
    private readonly models: ObjectModelStore,
    private readonly records: RecordService,
    private readonly writes: RecordWriteService,
    private readonly removal: RecordRemovalService,
    private readonly stored: RecordWriteRepository,
    private readonly uniques: UniqueValueRepository,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * @param call with a key: what it has written already is not written again. Each row is a call of its own, because rows commit by
   *   themselves.
   * @throws NOT_FOUND, FORBIDDEN of the object; IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED; VALIDATION_FAILED for a
   *   matchField, and of an atomic call for any row
   */
  async run(principal: Principal, apiName: string, input: BulkInput, call?: IdempotentCall): Promise<BulkAnswer> {
    // What was begun is finished, whether or not someone still waits for the answer.
    const caller = { ...principal, connection: undefined };
    // By a definition that is in force.
    const run = await this.models.read(caller, apiName, async (model): Promise<Run> => {
      requireAccess(model.object, caller, 'write');
      return { caller, apiName, input, call, model, field: matchedField(model, caller, input) };
    });
    const rows = rowsOf(input, run.field, await this.records.valueOptions(caller));
    const known = call ? await this.recall(caller, input, rows, call) : new Map<number, BulkResult>();
    const open = rows.filter(({ index }) => !known.has(index));
    const written = await (input.atomic ? this.writeAtomically(run, open) : this.writeEach(run, open));
    const results = [...known.values(), ...written].sort((one, other) => one.index - other.index);
    const failed = results.filter(({ status }) => status === 'failed').length;
    return { results, succeeded: results.length - failed, failed };
  }

  /** What earlier calls with the key have written. An atomic call is remembered along with what it writes. */
  private recall(
    caller: Principal,
    { operation, atomic }: BulkInput,
    rows: readonly Row[],
    call: IdempotentCall,
  ): Promise<Map<number, BulkResult>> {
    return this.database.transaction(caller, async (tx) => {
      const known = new Map<number, BulkResult>();
      const isRepeated = atomic
        ? (await this.idempotency.findRecordId(tx, call)) !== null
        : (await this.idempotency.once(tx, call, async () => newId())).repeated;
      if (!isRepeated) return known;
      for (const status of OUTCOMES[operation]) {
        const ids = await Promise.all(
          rows.map(({ index }) => this.idempotency.findRecordId(tx, ofRow(call, index, status))),
        );
        for (const [place, id] of ids.entries()) {
          const { index } = rows[place] as Row;
          if (id !== null) known.set(index, { index, status, id });
        }
      }
      return known;
    });
  }

  /** Each row for itself, some at a time. */
  private async writeEach(run: Run, rows: readonly Row[]): Promise<BulkResult[]> {
    const results: BulkResult[] = [];
    const waiting = rows.values();
    const work = async (): Promise<void> => {
      for (const row of waiting) {
        try {
          results.push({ index: row.index, ...(await this.write(run, row)) });
        } catch (error) {
          results.push({ index: row.index, status: 'failed', error: problemOf(error) });
        }
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return results;
  }

  /** @throws as the single call */
  private async write(
    { caller, apiName, model, field, input, call }: Run,
    row: Row,
  ): Promise<{ status: Done; id: string }> {
    requireNoProblems(row.faults);
    const own = (status: Done) => call && ofRow(call, row.index, status);
    const create = async () => {
      const { id } = await this.records.create(caller, apiName, row.values, own('created'));
      return { status: 'created', id } as const;
    };
    const update = async (id: string) => {
      await this.records.update(caller, apiName, id, row.values, row.expected, own('updated'));
      return { status: 'updated', id } as const;
    };
    if (input.operation === 'create') return create();
    if (input.operation === 'update') return update(row.id);
    if (!field) {
      await this.records.delete(caller, apiName, row.id, row.expected, own('deleted'));
      return { status: 'deleted', id: row.id };
    }
    const find = async () => (await this.match(caller, model, field, [row])).get(row.index);
    const found = await find();
    try {
      return await (found === undefined ? create() : update(found));
    } catch (error) {
      // Someone else has created or deleted it meanwhile.
      const now = await find();
      if (now === found || !(error instanceof PlatformError)) throw error;
      return now === undefined ? create() : update(now);
    }
  }

  /** All rows in one transaction, or none. */
  private async writeAtomically({ caller, apiName, input, call }: Run, rows: readonly Row[]): Promise<BulkResult[]> {
    if (rows.length === 0) return [];
    const { operation, matchField = '' } = input;
    const prepare = async (model: ObjectModel): Promise<Step[]> => {
      const faults = rows.flatMap((row) => row.faults.map((one) => ofRecord(row, one)));
      const steps: Step[] = [];
      const clock = await this.records.clock(caller);
      const field = model.fieldsByName.get(matchField);
      const matched = field ? await this.match(caller, model, field, rows) : new Map<number, string>();
      for (const row of rows.filter((one) => one.faults.length === 0)) {
        const id = operation === 'upsert' ? matched.get(row.index) : row.id;
        try {
          if (operation === 'create' || id === undefined) {
            const creation = await this.records.prepareCreation({ model, caller, clock }, row.values);
            steps.push({ row, status: 'created', id: creation.draft.record.id, creation });
          } else if (operation === 'delete') {
            steps.push({ row, status: 'deleted', id });
          } else {
            const changes = await this.records.prepareChange(caller, model, id, row.values);
            const change = { model, caller, id, changes, expected: row.expected, clock };
            steps.push({ row, status: 'updated', id, change });
          }
        } catch (error) {
          faults.push(...faultsOf(row, error));
        }
      }
      requireNoProblems(faults);
      // Two calls of the same records lock them in the same order.
      return steps.sort((one, other) => (one.id < other.id ? -1 : 1));
    };
    return this.models.decideWrite(caller, apiName, prepare, (model, steps) =>
      this.models.transaction(caller, model, async (tx) => {
        const writeAll = async () => {
          await this.requirePresent(tx, model, steps);
          for (const step of steps) await this.take(tx, caller, model, step);
          if (call) {
            for (const { row, status, id } of steps)
              await this.idempotency.save(tx, ofRow(call, row.index, status), id);
          }
          return newId();
        };
        if (!call) await writeAll();
        // Another call has done it since this one looked: the next repetition finds it.
        else if ((await this.idempotency.once(tx, call, writeAll)).repeated) {
          throw new PlatformError('IDEMPOTENCY_KEY_IN_USE');
        }
        return steps.map(({ row: { index }, status, id }) => ({ index, status, id }));
      }),
    );
  }

  /** Locks what is to be deleted, so that what goes along with another is not taken for missing. */
  private async requirePresent(tx: TenantTransaction, model: ObjectModel, steps: readonly Step[]): Promise<void> {
    const wanted = steps.filter(({ status }) => status === 'deleted');
    if (wanted.length === 0) return;
    const ids = wanted.map(({ id }) => id);
    const locked = await this.stored.lockForDeletion(tx, model.object.id, ids);
    const present = new Map(locked.map(({ id, version }) => [id, version]));
    const errors = wanted.flatMap(({ row, id }) => {
      const version = present.get(id);
      if (version === undefined) return faultsOf(row, new PlatformError('NOT_FOUND', 'Record not found'));
      const isOther = row.expected !== null && !row.expected.has(version);
      return isOther ? faultsOf(row, new PlatformError('VERSION_MISMATCH')) : [];
    });
    requireNoProblems(errors);
  }

  private async take(tx: TenantTransaction, caller: Principal, model: ObjectModel, step: Step): Promise<void> {
    try {
      if (step.status === 'created') await this.writes.createIn(tx, step.creation);
      else if (step.status === 'updated') await this.writes.changeIn(tx, step.change);
      else await this.remove(tx, caller, model, step.id);
    } catch (error) {
      throw invalidValues(...faultsOf(step.row, error));
    }
  }

  private async remove(tx: TenantTransaction, caller: Principal, model: ObjectModel, id: string): Promise<void> {
    const clock = await this.records.clock(caller);
    try {
      await this.removal.removeIn({ tx, caller, clock }, model, id, null);
    } catch (error) {
      // It was there: another one of these has taken it along.
      if (!(error instanceof PlatformError) || error.code !== 'NOT_FOUND') throw error;
    }
  }

  /** The records that have the values of the rows, by the number of the row. */
  private async match(
    caller: Principal,
    model: ObjectModel,
    field: StoredField,
    rows: readonly Row[],
  ): Promise<Map<number, string>> {
    const options = await this.records.valueOptions(caller);
    const keys = rows.map(({ values }) => keyIn(field, values, options));
    const wanted = keys.filter((key) => key !== null);
    const found = await this.database.transaction(caller, (tx) =>
      this.uniques.find(tx, model.object.id, field.id, wanted),
    );
    return new Map(
      rows.flatMap(({ index }, place) => {
        const id = found.get(keys[place] ?? '');
        return id === undefined ? [] : [[index, id] as const];
      }),
    );
  }
}
