import type { Principal } from '@crm/access';
import { type FieldProblem, PlatformError, requireNoProblems } from '@crm/contracts';
import { IdempotencyService, type IdempotentCall } from '@crm/database';
import { type AccessPlan, recordValidation, type FieldProblem as ValueProblem, withoutLimits } from '@crm/fields';
import { type EvaluationContext, inPieces } from '@crm/formula';
import { type ExpectedVersions, type ListAnswer } from '@crm/http';
import { TenantDirectory } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { ExpandedReferences, expandedFields } from '../finding/expanded-references.service.js';
import { RecordListService, type RecordQuery } from '../finding/record-list.service.js';
import { type ObjectModel, ObjectModelStore } from '../object/object-model.js';
import { type FieldValues, recordNotFound, type StoredRecord } from '../reading/record.js';
import { RecordRepository } from '../reading/record.repository.js';
import { recordEtag, recordJson } from '../reading/record.serializer.js';
import { StorageLimit } from '../storage/storage-limit.service.js';
import { requireChoice } from '../writing/merged-fields.js';
import { withStatus } from '../writing/picklist-rules.js';
import { RecordErasureService } from '../writing/record-erasure.service.js';
import type { Author } from '../writing/record-events.js';
import { RecordMergeService, requireAnotherRecord } from '../writing/record-merge.service.js';
import { RecordRemovalService } from '../writing/record-removal.service.js';
import { RecordRestoreService } from '../writing/record-restore.service.js';
import { type Creation, RecordWriteService } from '../writing/record-write.service.js';
import { ReferenceAccessService, referenceNotFound } from '../writing/reference-access.service.js';

/**
 * Refuses fields that the role cannot write, before any value is validated. Formulas are left to validation. On
 * `create` the default of a unique field counts as written, because it can conflict.
 * @throws FIELD_ACCESS_DENIED naming the fields
 */
function requireWritable(
  model: ObjectModel,
  plan: AccessPlan,
  body: Readonly<Record<string, unknown>>,
  mode: 'create' | 'update',
): void {
  const denied = Object.keys(body).filter((name) => {
    const field = model.fieldsByName.get(name);
    return field !== undefined && field.type !== 'formula' && !plan.writable.has(name);
  });
  if (denied.length > 0) {
    throw new PlatformError('FIELD_ACCESS_DENIED', `Your role can't write ${denied.join(', ')}`, {
      errors: denied.map(
        (name): FieldProblem => ({
          pointer: `/${name}`,
          code: 'FIELD_ACCESS_DENIED',
          detail: "Your role can't write this field",
        }),
      ),
    });
  }
  if (mode === 'create' && model.setsHiddenUnique(plan)) {
    throw new PlatformError('FIELD_ACCESS_DENIED', "Your role can't read a unique field that a new record sets");
  }
}

/** The codes of ISO 4217 that this runtime knows. */
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

const unknownCurrencies = ({ object }: ObjectModel, values: FieldValues): ValueProblem[] =>
  object.fields
    .filter(({ isCurrency, apiName }) => isCurrency && (values[apiName] ?? null) !== null)
    .filter(({ apiName }) => !CURRENCIES.has(values[apiName] as string))
    .map(({ apiName }) => ({
      pointer: `/${apiName}`,
      code: 'PATTERN_MISMATCH',
      detail: 'Must be a currency code such as EUR',
    }));

/** Problems as a caller with this plan sees them: of a field that they cannot read, neither options nor limits. */
function shownProblems(model: ObjectModel, plan: AccessPlan, problems: readonly ValueProblem[]): ValueProblem[] {
  return problems.map((problem) => {
    const name = problem.pointer.split('/', 2)[1] ?? '';
    return !model.fieldsByName.has(name) || plan.readable.has(name) ? problem : withoutLimits(problem);
  });
}

/** The representation of a record and its entity tag. */
export interface TaggedRecord {
  readonly id: string;
  /** JSON of the readable fields. */
  readonly json: string;
  readonly etag: string;
}

/** The query string of a list, or of the bin. */
type ListedQuery = RecordQuery & { readonly deleted?: 'only' };

/** The country of phone numbers without a prefix. */
export interface ValueOptions {
  readonly defaultCountry?: string;
}

type Body = Readonly<Record<string, unknown>>;

/** The calls for records, of standard objects and of those that apps bring, with field security and validation. */
@Injectable()
export class RecordService {
  constructor(
    private readonly models: ObjectModelStore,
    private readonly records: RecordRepository,
    private readonly lists: RecordListService,
    private readonly writes: RecordWriteService,
    private readonly referenceAccess: ReferenceAccessService,
    private readonly removal: RecordRemovalService,
    private readonly restores: RecordRestoreService,
    private readonly merges: RecordMergeService,
    private readonly erasures: RecordErasureService,
    private readonly tenants: TenantDirectory,
    private readonly idempotency: IdempotencyService,
    private readonly references: ExpandedReferences,
    private readonly storage: StorageLimit,
  ) {}

  /** @param expand references that are followed, separated by commas @throws NOT_FOUND, INVALID_QUERY */
  async get(caller: Principal, apiName: string, id: string, expand?: string): Promise<TaggedRecord> {
    const clock = await this.clock(caller);
    const { model, result } = await this.models.readAtOnce(caller, apiName, ({ object }) =>
      this.records.read(caller.tenantId, object.id, id),
    );
    if (!result) throw recordNotFound();
    const record = tagged(model, result, caller, clock);
    if (expand === undefined) return record;
    const fields = expandedFields(model, model.planFor(caller.roles), expand);
    const [json = record.json] = await this.references.expand(caller, fields, [result], [record.json], clock);
    return { ...record, json };
  }

  /** @throws INVALID_QUERY, NOT_FOUND, QUERY_TOO_EXPENSIVE */
  async list(caller: Principal, apiName: string, query: ListedQuery): Promise<ListAnswer<string>> {
    const clock = await this.clock(caller);
    const { deleted, ...listed } = query;
    if (deleted === undefined) return this.lists.list(caller, apiName, listed, clock);
    const { page: _, size: _size, cursor: _cursor, count: _count, ...more } = listed;
    const [other] = Object.keys(more);
    if (other !== undefined) throw new PlatformError('INVALID_QUERY', `${other} can't be combined with deleted`);
    return this.restores.list(caller, apiName, listed, clock);
  }

  /**
   * @param call identifies the call, so that a repetition finds the first record
   * @throws FIELD_ACCESS_DENIED, INSUFFICIENT_SCOPE, VALIDATION_FAILED, UNIQUE_VIOLATION, IDEMPOTENCY_KEY_IN_USE,
   *   IDEMPOTENCY_KEY_REUSED; NOT_FOUND, also when a repeated call's record has been deleted
   */
  async create(caller: Principal, apiName: string, body: Body, call?: IdempotentCall): Promise<TaggedRecord> {
    const clock = await this.clock(caller);
    const prepare = (model: ObjectModel) => this.prepareCreation({ model, caller, clock }, body, call);
    const show = (model: ObjectModel, record: StoredRecord) => tagged(model, record, caller, clock);
    const create = () =>
      this.models.decideWrite(caller, apiName, prepare, async (model, creation) =>
        show(model, await this.writes.create(creation)),
      );
    return this.orEarlier(caller, apiName, call, create, show);
  }

  /**
   * Definition, rights and the record may have changed since an earlier call, which is repeated all the same.
   * @param show answers with the record that it has written
   */
  async orEarlier<T>(
    caller: Principal,
    apiName: string,
    call: IdempotentCall | undefined,
    attempt: () => Promise<T>,
    show: (model: ObjectModel, record: StoredRecord) => T,
  ): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      if (!call) throw error;
      return this.models.read(caller, apiName, async (model, tx) => {
        const id = await this.idempotency.findRecordId(tx, call);
        if (id === null) throw error;
        return show(model, await this.records.require(tx, model.object.id, id));
      });
    }
  }

  /** Like {@link prepareCreation}. @returns the values that change */
  async prepareChange(caller: Principal, model: ObjectModel, id: string, body: Body): Promise<FieldValues> {
    const changes = await this.validate(caller, model, body, 'update');
    await this.requireUsers(caller, model, changes, id);
    return changes;
  }

  /**
   * @param expected versions of `If-Match`
   * @param call identifies the call, which takes effect once
   * @throws FIELD_ACCESS_DENIED, INSUFFICIENT_SCOPE, VALIDATION_FAILED, UNIQUE_VIOLATION, VERSION_MISMATCH, NOT_FOUND
   */
  async update(
    caller: Principal,
    apiName: string,
    id: string,
    body: Body,
    expected: ExpectedVersions,
    call?: IdempotentCall,
  ): Promise<TaggedRecord> {
    const clock = await this.clock(caller);
    const prepare = (model: ObjectModel) => this.prepareChange(caller, model, id, body);
    return this.models.decideWrite(caller, apiName, prepare, async (model, changes) => {
      const change = { model, caller, id, changes, expected, clock };
      const record = call
        ? await this.models.transaction(caller, model, (tx) => {
            const find = () => this.records.require(tx, model.object.id, id);
            return this.idempotency.run(tx, call, () => this.writes.changeIn(tx, change), find);
          })
        : await this.writes.change(change);
      return tagged(model, record, caller, clock);
    });
  }

  /**
   * @param call identifies the call, which takes effect once
   * @throws VERSION_MISMATCH, NOT_FOUND; CONFLICT when a record needs this one, or very many refer to it
   */
  async delete(
    caller: Principal,
    apiName: string,
    id: string,
    expected: ExpectedVersions,
    call?: IdempotentCall,
  ): Promise<void> {
    await this.write(caller, apiName, (model, clock) =>
      this.models.transaction(caller, model, (tx) => {
        const done = async () => ({ id });
        const remove = () => this.removal.removeIn({ tx, caller, clock }, model, id, expected).then(done);
        return this.idempotency.run(tx, call, remove, done);
      }),
    );
  }

  /** @throws as RecordRestoreService.restore */
  restore(caller: Principal, apiName: string, id: string): Promise<TaggedRecord> {
    return this.write(caller, apiName, async (model, clock) =>
      tagged(model, await this.restores.restore(caller, model, id, clock), caller, clock),
    );
  }

  /** For what needs no preparation. @param work in transactions of the definition */
  private async write<T>(
    caller: Principal,
    apiName: string,
    work: (model: ObjectModel, clock: EvaluationContext) => Promise<T>,
  ): Promise<T> {
    const clock = await this.clock(caller);
    const prepare = async () => undefined;
    return this.models.decideWrite(caller, apiName, prepare, (model) => work(model, clock));
  }

  /** @throws NOT_FOUND, VALIDATION_FAILED, FIELD_ACCESS_DENIED, VERSION_MISMATCH, CONFLICT as RecordMergeService.merge */
  async merge(
    caller: Principal,
    apiName: string,
    id: string,
    { loserId, fields = [] }: { readonly loserId: string; readonly fields?: readonly string[] },
    expected: ExpectedVersions,
  ): Promise<TaggedRecord> {
    const clock = await this.clock(caller);
    const prepare = async (model: ObjectModel) => {
      requireAnotherRecord(id, loserId);
      requireChoice(model, model.planFor(caller.roles), fields);
      await this.storage.know(caller.tenantId);
    };
    return this.models.decideWrite(caller, apiName, prepare, async (model) => {
      const record = await this.merges.merge({ model, caller, clock, id, loserId, chosen: fields, expected });
      return tagged(model, record, caller, clock);
    });
  }

  /**
   * What precedes the transaction of a creation.
   * @throws FIELD_ACCESS_DENIED, INSUFFICIENT_SCOPE, VALIDATION_FAILED, PAYLOAD_TOO_LARGE
   */
  async prepareCreation({ model, caller, clock }: Author, body: Body, call?: IdempotentCall): Promise<Creation> {
    const values = await this.validate(caller, model, body, 'create');
    await this.requireUsers(caller, model, values);
    return this.writes.prepare({ model, caller, clock }, values, call);
  }

  erase(caller: Principal, apiName: string, id: string): Promise<number> {
    return this.write(caller, apiName, (model, clock) => this.erasures.erase(caller, model, id, clock));
  }

  /** One instant for the whole request, in the tenant's time zone. */
  async clock(caller: Principal): Promise<EvaluationContext> {
    const { timeZone } = await this.tenants.get(caller.tenantId);
    return { now: new Date(), timeZone };
  }

  /** By what the values of a workspace are read. */
  async valueOptions({ tenantId }: Pick<Principal, 'tenantId'>): Promise<ValueOptions> {
    const { country } = await this.tenants.get(tenantId);
    return country === null ? {} : { defaultCountry: country };
  }

  /** Checks field security first, then reports every problem of the values at once. */
  private async validate(
    caller: Principal,
    model: ObjectModel,
    body: Body,
    mode: 'create' | 'update',
  ): Promise<FieldValues> {
    const plan = model.planFor(caller.roles);
    requireWritable(model, plan, body, mode);
    await this.storage.know(caller.tenantId);
    await this.referenceAccess.require(caller, model, body);
    const options = await this.valueOptions(caller);
    const { values, problems } = await inPieces(recordValidation(model.object.fields, body, mode, options));
    problems.push(...unknownCurrencies(model, values));
    requireNoProblems(shownProblems(model, plan, problems));
    return withStatus(model, values, body);
  }

  /**
   * Fields that name a user must name one of the workspace. As with references to records, an unchanged value is not checked again.
   * @param id of the record that is changed
   * @throws VALIDATION_FAILED
   */
  private async requireUsers(caller: Principal, model: ObjectModel, values: FieldValues, id?: string): Promise<void> {
    const unknown = await this.referenceAccess.findFieldsWithUnknownUsers(caller, model, values);
    if (unknown.length === 0) return;
    const before = id === undefined ? null : (await this.records.read(caller.tenantId, model.object.id, id)).result;
    const wrong = unknown.filter(({ key, apiName }) => before?.data[key] !== values[apiName]);
    requireNoProblems(wrong.map(referenceNotFound));
  }
}

function tagged(model: ObjectModel, record: StoredRecord, caller: Principal, clock: EvaluationContext): TaggedRecord {
  const plan = model.planFor(caller.roles);
  return {
    id: record.id,
    json: recordJson(model, record, plan, clock),
    etag: recordEtag(model, record, plan, clock),
  };
}
