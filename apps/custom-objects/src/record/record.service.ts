import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '@crm/context';
import { PlatformError } from '@crm/contracts';
import { newId, type TenantTransaction } from '@crm/database';
import { validateRecord } from '@crm/fields';
import type { EvaluationContext } from '@crm/formula';
import { type ExpectedVersions, type ListAnswer, type ListQuery, listAnswer, parsePage, requireMatch } from '@crm/http';
import { IdempotencyService, type IdempotentCall } from '@crm/idempotency';
import { TenantDirectory } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import type { ObjectModel } from '../object/object-model.js';
import { ObjectModelStore } from '../object/object-model.store.js';
import { requireWritable, shownProblems } from './field-access.js';
import { laterOf, type StoredRecord } from './record.js';
import { RecordRepository, type RecordWrite } from './record.repository.js';
import { recordJson } from './record.writer.js';
import { recordEtag } from './record-etag.js';
import { recordCreated, recordUpdated } from './record-events.js';
import { type RecordFilter, rowConditions } from './record-filter.js';
import { RecordListService } from './record-list.service.js';
import { readPage } from './record-page.js';
import { RecordRemovalService } from './record-removal.service.js';
import { parseSort } from './record-sort.js';
import { dataOf, type FieldValues, slotsOf, valuesOf } from './record-values.js';
import { ReferenceService } from './reference.service.js';
import { ReferenceAccessService, readableTargets } from './reference-access.service.js';
import { SearchRepository } from './search.repository.js';
import { searchTextsOf } from './search-text.js';
import { UniqueService } from './unique.service.js';

/** The representation of a record and its entity tag. */
export interface TaggedRecord {
  readonly id: string;
  /** What the caller can read, as JSON. */
  readonly json: string;
  readonly etag: string;
}

type Body = Readonly<Record<string, unknown>>;
type Caller = Pick<
  Principal,
  'tenantId' | 'userId' | 'roles' | 'scopes' | 'kind' | 'appKey' | 'requestId' | 'traceparent'
>;

/** The rules of records, of standard objects and of those that apps bring: field security, validation, uniqueness, versions and events. */
@Injectable()
export class RecordService {
  constructor(
    private readonly models: ObjectModelStore,
    private readonly records: RecordRepository,
    private readonly lists: RecordListService,
    private readonly searches: SearchRepository,
    private readonly references: ReferenceService,
    private readonly referenceAccess: ReferenceAccessService,
    private readonly uniques: UniqueService,
    private readonly removal: RecordRemovalService,
    private readonly tenants: TenantDirectory,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** @throws NOT_FOUND */
  async get(caller: Caller, apiName: string, id: string): Promise<TaggedRecord> {
    const clock = await this.clock(caller);
    const { model, result } = await this.models.readAtOnce(caller, apiName, ({ object }) =>
      this.records.read(caller.tenantId, object.id, id),
    );
    if (!result) throw notFound();
    return tagged(model, result, caller, clock);
  }

  /**
   * @returns the page with the JSON of each record
   * @throws INVALID_QUERY, NOT_FOUND
   */
  async list(
    caller: Caller,
    apiName: string,
    query: ListQuery & RecordFilter & { sort?: string },
  ): Promise<ListAnswer<string>> {
    const { q = null, filterField = null, filterValue = null } = query;
    const clock = await this.clock(caller);
    const { result } = await this.models.readAtOnce(caller, apiName, async (model) => {
      const { id: objectId } = model.object;
      const plan = model.planFor(caller.roles);
      // $1 is the tenant and $2 the object.
      const conditions = rowConditions(model, plan, query, 3, clock);
      const sort = parseSort(model, plan, query.sort);
      const page = parsePage(query, {
        tenantId: caller.tenantId,
        list: `records ${objectId}`,
        sort: sort.name,
        value: sort.by?.valueType,
        filter: [q, filterField, filterValue],
      });
      let { revision }: { revision: number | null } = model.object;
      let counted: number | undefined;
      const records = await readPage(
        page,
        async (portion) => {
          const isFirst = counted === undefined;
          const part = await this.lists.read(
            caller.tenantId,
            model,
            plan,
            { q: query.q, conditions, sort },
            portion,
            isFirst,
          );
          counted ??= part.counted;
          // Nothing follows a portion that was read under another definition: what was read is discarded. A standard object
          // to which the tenant has added nothing has no revision there.
          if ((part.revision ?? 0) === revision) return part.records;
          revision = part.revision;
          return [];
        },
        (record) => recordJson(model, record, plan, clock),
        sort.positionOf,
      );
      const { rows, end } = records;
      return { revision, result: listAnswer(rows, page, counted ?? 0, () => end) };
    });
    return result;
  }

  /**
   * @param call identifies the call, so that a repetition finds the record of the first one
   * @throws FIELD_ACCESS_DENIED, INSUFFICIENT_SCOPE for a reference, VALIDATION_FAILED, UNIQUE_VIOLATION,
   *   IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED; NOT_FOUND, also when the record of a repeated call has since been deleted
   */
  async create(caller: Caller, apiName: string, body: Body, call?: IdempotentCall): Promise<TaggedRecord> {
    const clock = await this.clock(caller);
    const earlier = call && (await this.findCreated(caller, apiName, call, clock));
    if (earlier) return earlier;
    const prepare = (model: ObjectModel) => this.validate(caller, model, body, 'create');
    return this.models.write(caller, apiName, prepare, async (model, tx, values) => {
      if (!call) return tagged(model, await this.insert(tx, model, caller, values, clock), caller, clock);
      const create = async () => (await this.insert(tx, model, caller, values, clock)).id;
      const { recordId } = await this.idempotency.once(tx, call, create);
      return this.getTagged(tx, model, caller, recordId, clock);
    });
  }

  /**
   * @param expected the versions that `If-Match` names
   * @throws FIELD_ACCESS_DENIED, INSUFFICIENT_SCOPE for a reference, VALIDATION_FAILED, UNIQUE_VIOLATION, VERSION_MISMATCH,
   *   NOT_FOUND
   */
  async update(
    caller: Caller,
    apiName: string,
    id: string,
    body: Body,
    expected: ExpectedVersions,
  ): Promise<TaggedRecord> {
    const clock = await this.clock(caller);
    const prepare = (model: ObjectModel) => this.validate(caller, model, body, 'update');
    return this.models.write(caller, apiName, prepare, async (model, tx, changes) => {
      const before = await this.lock(tx, model, id, expected);
      const previous = valuesOf(model, before.data);
      const values = { ...previous, ...changes };
      // A write to a field that the caller cannot read always counts as a change, so that nobody can guess its value.
      const { readable } = model.planFor(caller.roles);
      const areReadable = Object.keys(changes).every((name) => readable.has(name));
      if (areReadable && isDeepStrictEqual(previous, values)) return tagged(model, before, caller, clock);

      // Not earlier than the last change, although that may have been made while this one waited for the lock.
      const updatedAt = laterOf(before.updatedAt, new Date().toISOString());
      const write = writeOf(model, id, before.version + 1, values, updatedAt);
      const after: StoredRecord = { ...before, version: write.version, data: write.data, updatedAt };
      await inOneFlight(
        this.references.claim(tx, model, (field) => readableTargets(caller, field), id, previous, values),
        this.uniques.claim(tx, model, id, previous, values),
        this.records.update(tx, write),
        this.searches.write(tx, model.object.id, id, searchTextsOf(model, values, previous)),
        recordUpdated(tx, model, before, after, clock),
      );
      return tagged(model, after, caller, clock);
    });
  }

  /** @throws VERSION_MISMATCH, NOT_FOUND; CONFLICT when a record needs this one, or very many refer to it */
  async delete(caller: Caller, apiName: string, id: string, expected: ExpectedVersions): Promise<void> {
    const clock = await this.clock(caller);
    await this.models.write(
      caller,
      apiName,
      async () => undefined,
      async (model, tx) => {
        const [record] = await this.records.lockForDeletion(tx, model.object.id, [id]);
        if (!record) throw notFound();
        requireMatch(expected, record.version);
        await this.removal.remove(tx, caller, model, record, clock);
      },
    );
  }

  /** One instant for the whole request, in the tenant's time zone. */
  private async clock(caller: Caller): Promise<EvaluationContext & { now: Date }> {
    const { timeZone } = await this.tenants.get(caller.tenantId);
    return { now: new Date(), timeZone };
  }

  /** Checks field security first, then reports every problem of the values at once. */
  private async validate(
    caller: Caller,
    model: ObjectModel,
    body: Body,
    mode: 'create' | 'update',
  ): Promise<FieldValues> {
    const plan = model.planFor(caller.roles);
    requireWritable(model, plan, body, mode);
    await this.referenceAccess.require(caller, model, body);
    const { country } = await this.tenants.get(caller.tenantId);
    const options = country === null ? {} : { defaultCountry: country };
    const { values, problems } = validateRecord(model.object.fields, body, mode, options);
    if (problems.length > 0) {
      throw new PlatformError('VALIDATION_FAILED', undefined, { errors: shownProblems(model, plan, problems) });
    }
    return values;
  }

  private async lock(
    tx: TenantTransaction,
    model: ObjectModel,
    id: string,
    expected: ExpectedVersions,
  ): Promise<StoredRecord> {
    const record = await this.records.lock(tx, model.object.id, id);
    if (!record) throw notFound();
    requireMatch(expected, record.version);
    return record;
  }

  private async getTagged(
    tx: TenantTransaction,
    model: ObjectModel,
    caller: Caller,
    id: string,
    clock: EvaluationContext,
  ): Promise<TaggedRecord> {
    const record = await this.records.find(tx, model.object.id, id);
    if (!record) throw notFound();
    return tagged(model, record, caller, clock);
  }

  /**
   * The record of an earlier, finished call, or null. It is looked for before the body is validated: definition, references
   * and the caller's rights may have changed since, and the record exists all the same.
   */
  private findCreated(
    caller: Caller,
    apiName: string,
    call: IdempotentCall,
    clock: EvaluationContext,
  ): Promise<TaggedRecord | null> {
    return this.models.read(caller, apiName, async (model, tx) => {
      const id = await this.idempotency.findRecordId(tx, call);
      return id === null ? null : this.getTagged(tx, model, caller, id, clock);
    });
  }

  private async insert(
    tx: TenantTransaction,
    model: ObjectModel,
    caller: Caller,
    values: FieldValues,
    clock: EvaluationContext & { now: Date },
  ): Promise<StoredRecord> {
    const id = newId();
    const at = clock.now.toISOString();
    const write = writeOf(model, id, 1, values, at);
    const record: StoredRecord = { id, version: 1, data: write.data, createdAt: at, updatedAt: at };
    await inOneFlight(
      this.references.claim(tx, model, (field) => readableTargets(caller, field), id, null, values),
      this.uniques.claim(tx, model, id, null, values),
      this.records.insert(tx, write, caller.userId),
      this.searches.write(tx, model.object.id, id, searchTextsOf(model, values)),
      recordCreated(tx, model, record, clock),
    );
    return record;
  }
}

/**
 * Waits for statements that are sent together, in this order, in one round trip. All have been answered when it returns.
 * @throws what the first of them that failed says
 */
async function inOneFlight(...sent: readonly Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(sent)) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
}

const notFound = () => new PlatformError('NOT_FOUND', 'There is no such record');

function tagged(model: ObjectModel, record: StoredRecord, caller: Caller, clock: EvaluationContext): TaggedRecord {
  return {
    id: record.id,
    json: recordJson(model, record, model.planFor(caller.roles), clock),
    etag: recordEtag(model, record.version, clock),
  };
}

function writeOf(model: ObjectModel, id: string, version: number, values: FieldValues, at: string): RecordWrite {
  return {
    objectId: model.object.id,
    id,
    version,
    data: dataOf(model, values),
    slots: slotsOf(model, values),
    at,
  };
}
