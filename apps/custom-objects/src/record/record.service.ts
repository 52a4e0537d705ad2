import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { newId, type TenantTransaction } from '@crm/database';
import { validateRecord } from '@crm/fields';
import type { EvaluationContext } from '@crm/formula';
import { Injectable } from '@nestjs/common';
import { ModelStore } from '../object/model-store.js';
import type { ObjectModel } from '../object/object-model.js';
import { TenantSettingsService } from '../tenant/tenant-settings.service.js';
import { requireWritable } from './field-access.js';
import { presentRecord } from './present-record.js';
import type { RecordView, StoredRecord } from './record.js';
import { type PageStart, RecordRepository, type RecordWrite } from './record.repository.js';
import { decodeCursor, encodeCursor } from './record-cursor.js';
import { recordEtag } from './record-etag.js';
import { recordCreated, recordDeleted, recordUpdated } from './record-events.js';
import { type RecordListRequest, rowConditions } from './record-query.js';
import { dataOf, type FieldValues, searchTextOf, slotsOf, valuesOf } from './record-values.js';
import { ReferenceService } from './reference.service.js';
import { UniqueService } from './unique.service.js';

/** A record and the entity tag of what is shown. */
export interface TaggedRecord {
  readonly record: RecordView;
  readonly etag: string;
}

export interface RecordPage {
  readonly records: RecordView[];
  readonly total: number;
  readonly totalIsExact: boolean;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** Counting stops here unless the exact number is asked for. */
const COUNT_LIMIT = 10_000;

type Body = Readonly<Record<string, unknown>>;
type Caller = Pick<Principal, 'tenantId' | 'userId' | 'roles'>;

/** The rules of custom records: field security, validation, uniqueness, versions and events. */
@Injectable()
export class RecordService {
  constructor(
    private readonly models: ModelStore,
    private readonly records: RecordRepository,
    private readonly references: ReferenceService,
    private readonly uniques: UniqueService,
    private readonly tenants: TenantSettingsService,
  ) {}

  async get(caller: Caller, apiName: string, id: string): Promise<TaggedRecord> {
    const clock = await this.clock(caller);
    return this.models.read(caller.tenantId, apiName, async (model, tx) => {
      const record = await this.records.find(tx, model.object.id, id);
      if (!record) throw notFound();
      return tagged(model, record, caller, clock);
    });
  }

  async list(caller: Caller, apiName: string, request: RecordListRequest): Promise<RecordPage> {
    const clock = await this.clock(caller);
    return this.models.read(caller.tenantId, apiName, async (model, tx) => {
      const { id: objectId } = model.object;
      const plan = model.planFor(caller.roles);
      // $1 is the tenant and $2 the object.
      const conditions = rowConditions(model, plan, request, 3);
      const start: PageStart =
        request.cursor === undefined
          ? { offset: (request.page - 1) * request.size }
          : { afterId: decodeCursor(caller.tenantId, objectId, request.cursor) };
      const [rows, counted] = await Promise.all([
        this.records.page(tx, objectId, conditions, start, request.size + 1),
        this.records.count(tx, objectId, conditions, request.exactCount ? null : COUNT_LIMIT + 1),
      ]);
      const shown = rows.slice(0, request.size);
      const hasMore = rows.length > request.size;
      const last = shown.at(-1);
      const totalIsExact = request.exactCount || counted <= COUNT_LIMIT;
      return {
        records: shown.map((record) => presentRecord(model, record, plan, clock)),
        total: totalIsExact ? counted : COUNT_LIMIT,
        totalIsExact,
        hasMore,
        nextCursor: hasMore && last ? encodeCursor(caller.tenantId, objectId, last.id) : null,
      };
    });
  }

  /**
   * @param creationKey makes a repeated call find the record that an earlier one made
   * @throws FIELD_ACCESS_DENIED, VALIDATION_FAILED, UNIQUE_VIOLATION, NOT_FOUND
   */
  async create(caller: Caller, apiName: string, body: Body, creationKey?: string): Promise<TaggedRecord> {
    const clock = await this.clock(caller);
    const prepare = async (model: ObjectModel): Promise<FieldValues> => {
      const values = await this.validated(caller, model, body, 'create');
      await this.references.requireCore(caller.tenantId, model, values);
      return values;
    };
    return this.models.write(caller.tenantId, apiName, prepare, async (model, tx, values) => {
      const id = newId();
      if (creationKey !== undefined) {
        const claimed = await this.records.claimCreation(tx, creationKey, model.object.id, id);
        if (!claimed) return this.created(tx, model, caller, creationKey, clock);
      }
      await this.references.requireCustom(tx, model, values);
      await this.uniques.claim(tx, model, id, null, values);
      const write = writeOf(model, id, 1, values, clock.now);
      await this.records.insert(tx, write, caller.userId);
      const record: StoredRecord = { id, version: 1, data: write.data, createdAt: clock.now, updatedAt: clock.now };
      await recordCreated(tx, model, record, clock);
      return tagged(model, record, caller, clock);
    });
  }

  /**
   * @param version the version the caller has seen; null changes whatever is there
   * @throws FIELD_ACCESS_DENIED, VALIDATION_FAILED, UNIQUE_VIOLATION, VERSION_MISMATCH, NOT_FOUND
   */
  async update(caller: Caller, apiName: string, id: string, body: Body, version: number | null): Promise<TaggedRecord> {
    const clock = await this.clock(caller);
    const prepare = async (model: ObjectModel): Promise<FieldValues> => {
      const values = await this.validated(caller, model, body, 'update');
      await this.references.requireCore(caller.tenantId, model, values);
      return values;
    };
    return this.models.write(caller.tenantId, apiName, prepare, async (model, tx, changes) => {
      const before = await this.held(tx, model, id, version);
      const previous = valuesOf(model, before.data);
      const values = { ...previous, ...changes };
      if (isDeepStrictEqual(previous, values)) return tagged(model, before, caller, clock);

      await this.references.requireCustom(tx, model, changes);
      await this.uniques.claim(tx, model, id, previous, values);
      const write = writeOf(model, id, before.version + 1, values, clock.now);
      await this.records.update(tx, write);
      const after: StoredRecord = { ...before, version: write.version, data: write.data, updatedAt: clock.now };
      await recordUpdated(tx, model, before, after, clock);
      return tagged(model, after, caller, clock);
    });
  }

  /** @throws VERSION_MISMATCH, NOT_FOUND */
  async delete(caller: Caller, apiName: string, id: string, version: number | null): Promise<void> {
    const clock = await this.clock(caller);
    await this.models.write(
      caller.tenantId,
      apiName,
      async () => undefined,
      async (model, tx) => {
        const record = await this.held(tx, model, id, version);
        await this.uniques.release(tx, model, id);
        await this.records.markDeleted(tx, model.object.id, id, clock.now);
        await recordDeleted(tx, model, record, clock);
      },
    );
  }

  /** One instant for the whole request, in the tenant's zone. */
  private async clock(caller: Caller): Promise<EvaluationContext & { now: Date }> {
    const { timeZone } = await this.tenants.settings(caller.tenantId);
    return { now: new Date(), timeZone };
  }

  /** Field security first, then every problem of the values at once. */
  private async validated(
    caller: Caller,
    model: ObjectModel,
    body: Body,
    mode: 'create' | 'update',
  ): Promise<FieldValues> {
    requireWritable(model, model.planFor(caller.roles), body);
    const { country } = await this.tenants.settings(caller.tenantId);
    const options = country === null ? {} : { defaultCountry: country };
    const { values, problems } = validateRecord(model.object.fields, body, mode, options);
    if (problems.length > 0) throw new PlatformError('VALIDATION_FAILED', undefined, { errors: problems });
    return values;
  }

  private async held(
    tx: TenantTransaction,
    model: ObjectModel,
    id: string,
    version: number | null,
  ): Promise<StoredRecord> {
    const record = await this.records.hold(tx, model.object.id, id);
    if (!record) throw notFound();
    if (version !== null && version !== record.version) throw new PlatformError('VERSION_MISMATCH');
    return record;
  }

  private async created(
    tx: TenantTransaction,
    model: ObjectModel,
    caller: Caller,
    creationKey: string,
    clock: EvaluationContext,
  ): Promise<TaggedRecord> {
    const id = await this.records.findCreation(tx, creationKey);
    const record = id === null ? null : await this.records.find(tx, model.object.id, id);
    if (!record) throw new PlatformError('CONFLICT', 'The record made by this key is gone');
    return tagged(model, record, caller, clock);
  }
}

const notFound = () => new PlatformError('NOT_FOUND', 'There is no such record');

function tagged(model: ObjectModel, record: StoredRecord, caller: Caller, clock: EvaluationContext): TaggedRecord {
  return {
    record: presentRecord(model, record, model.planFor(caller.roles), clock),
    etag: recordEtag(model, record.version, clock),
  };
}

function writeOf(model: ObjectModel, id: string, version: number, values: FieldValues, at: Date): RecordWrite {
  return {
    objectId: model.object.id,
    id,
    version,
    data: dataOf(model, values),
    searchText: searchTextOf(model, values),
    slots: slotsOf(model, values),
    at,
  };
}
