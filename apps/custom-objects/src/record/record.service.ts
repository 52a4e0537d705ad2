import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { IdempotencyService, type IdempotentCall, type TenantTransaction } from '@crm/database';
import { validateRecord } from '@crm/fields';
import type { EvaluationContext } from '@crm/formula';
import { type ExpectedVersions, type ListAnswer, type ListQuery, listAnswer, parsePage, requireMatch } from '@crm/http';
import { TenantDirectory } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import type { ObjectModel } from '../object/object-model.js';
import { ObjectModelStore } from '../object/object-model.store.js';
import { requireWritable, shownProblems } from './field-access.js';
import { noSuchRecord, type StoredRecord } from './record.js';
import { RecordRepository } from './record.repository.js';
import { recordJson } from './record.writer.js';
import { recordEtag } from './record-etag.js';
import { type RecordFilter, rowConditions } from './record-filter.js';
import { RecordListService } from './record-list.service.js';
import { readPage } from './record-page.js';
import { RecordReadService } from './record-read.service.js';
import { RecordRemovalService } from './record-removal.service.js';
import { parseSort } from './record-sort.js';
import type { FieldValues } from './record-values.js';
import { RecordWriteService } from './record-write.service.js';
import { ReferenceAccessService } from './reference-access.service.js';

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

/** The calls for records, of standard objects and of those that apps bring, with field security and validation. */
@Injectable()
export class RecordService {
  constructor(
    private readonly models: ObjectModelStore,
    private readonly records: RecordRepository,
    private readonly reads: RecordReadService,
    private readonly lists: RecordListService,
    private readonly writes: RecordWriteService,
    private readonly referenceAccess: ReferenceAccessService,
    private readonly removal: RecordRemovalService,
    private readonly tenants: TenantDirectory,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** @throws NOT_FOUND */
  async get(caller: Caller, apiName: string, id: string): Promise<TaggedRecord> {
    const clock = await this.clock(caller);
    const { model, result } = await this.models.readAtOnce(caller, apiName, ({ object }) =>
      this.reads.read(caller.tenantId, object.id, id),
    );
    if (!result) throw noSuchRecord();
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
    const prepare = async (model: ObjectModel) => {
      const values = await this.validate(caller, model, body, 'create');
      return this.writes.prepare({ model, caller, clock }, values);
    };
    return this.models.decideWrite(caller, apiName, prepare, async (model, creation) => {
      if (!call) return tagged(model, await this.writes.create(creation), caller, clock);
      return this.models.transaction(caller, model, async (tx) => {
        const create = async () => (await this.writes.insert(tx, creation)).id;
        const { recordId } = await this.idempotency.once(tx, call, create);
        return this.getTagged(tx, model, caller, recordId, clock);
      });
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
    return this.models.decideWrite(caller, apiName, prepare, async (model, changes) => {
      const record = await this.writes.change({ model, caller, id, changes, expected, clock });
      return tagged(model, record, caller, clock);
    });
  }

  /** @throws VERSION_MISMATCH, NOT_FOUND; CONFLICT when a record needs this one, or very many refer to it */
  async delete(caller: Caller, apiName: string, id: string, expected: ExpectedVersions): Promise<void> {
    const clock = await this.clock(caller);
    const prepare = async () => undefined;
    await this.models.decideWrite(caller, apiName, prepare, (model) =>
      this.models.transaction(caller, model, async (tx) => {
        const [record] = await this.records.lockForDeletion(tx, model.object.id, [id]);
        if (!record) throw noSuchRecord();
        requireMatch(expected, record.version);
        await this.removal.remove(tx, caller, model, record, clock);
      }),
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

  private async getTagged(
    tx: TenantTransaction,
    model: ObjectModel,
    caller: Caller,
    id: string,
    clock: EvaluationContext,
  ): Promise<TaggedRecord> {
    const record = await this.records.find(tx, model.object.id, id);
    if (!record) throw noSuchRecord();
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
}

function tagged(model: ObjectModel, record: StoredRecord, caller: Caller, clock: EvaluationContext): TaggedRecord {
  return {
    id: record.id,
    json: recordJson(model, record, model.planFor(caller.roles), clock),
    etag: recordEtag(model, record.version, clock),
  };
}
