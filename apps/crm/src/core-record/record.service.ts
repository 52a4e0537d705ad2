import { isDeepStrictEqual } from 'node:util';
import { PlatformError } from '@crm/contracts';
import { Database, newId, type TenantTransaction, type TransactionOrigin } from '@crm/database';
import { type ExpectedVersions, type ListAnswer, listAnswer, type Position, requireMatch } from '@crm/http';
import { IdempotencyService, type IdempotentCall } from '@crm/idempotency';
import { Injectable } from '@nestjs/common';
import type { CoreObjectDefinition, CoreRecord } from '../core-object/core-object.js';
import type { RecordListQuery } from './record.dto.js';
import { appendCreated, appendDeleted, appendUpdated } from './record.events.js';
import { parseRecordQuery, type RecordQuery } from './record.query.js';
import { RecordReferences } from './record.references.js';
import { RecordRepository } from './record.repository.js';
import { type Values, validateValues } from './record.validation.js';

/** The rules of core records. Each change and its events commit together. */
@Injectable()
export class RecordService {
  constructor(
    private readonly database: Database,
    private readonly records: RecordRepository,
    private readonly references: RecordReferences,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** @throws INVALID_QUERY */
  async list(
    definition: CoreObjectDefinition,
    tenantId: string,
    parameters: RecordListQuery,
  ): Promise<ListAnswer<CoreRecord>> {
    const query = parseRecordQuery(definition, tenantId, parameters);
    const { records, counted } = await this.database.transaction(tenantId, (tx) =>
      this.records.list(tx, definition, query),
    );
    return listAnswer(records, query.page, counted, (record) => positionOf(query, record));
  }

  /** @throws NOT_FOUND, also for a record of another tenant */
  async get(definition: CoreObjectDefinition, tenantId: string, id: string): Promise<CoreRecord> {
    return this.database.transaction(tenantId, async (tx) => found(await this.records.find(tx, definition, id)));
  }

  /**
   * @param call makes a repetition find the record of the first call
   * @throws VALIDATION_FAILED, REFERENCE_NOT_FOUND, IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED; NOT_FOUND when the
   *   record of a repeated call has been deleted since
   */
  async create(
    definition: CoreObjectDefinition,
    tenant: TransactionOrigin,
    input: Readonly<Record<string, unknown>>,
    call?: IdempotentCall,
  ): Promise<CoreRecord> {
    const values = validateValues(definition, input, 'create');
    return this.database.transaction(tenant, async (tx) => {
      if (!call) return this.insert(tx, definition, values);
      const create = async () => (await this.insert(tx, definition, values)).id;
      const { recordId } = await this.idempotency.once(tx, call, create);
      return found(await this.records.find(tx, definition, recordId));
    });
  }

  /**
   * Changes the given fields. When none differs nothing happens: no new version, no event.
   * @param expected the versions that `If-Match` names
   * @throws VALIDATION_FAILED, REFERENCE_NOT_FOUND, NOT_FOUND, VERSION_MISMATCH
   */
  async update(
    definition: CoreObjectDefinition,
    tenant: TransactionOrigin,
    id: string,
    input: Readonly<Record<string, unknown>>,
    expected: ExpectedVersions = null,
  ): Promise<CoreRecord> {
    const values = validateValues(definition, input, 'update');
    return this.database.transaction(tenant, async (tx) => {
      const record = found(await this.records.lock(tx, definition, id));
      requireMatch(expected, record.version);
      return this.change(tx, definition, record, values);
    });
  }

  /**
   * Deletes the record. References to it are unset, each with an `updated` event of the record that held it.
   * @param expected the versions that `If-Match` names
   * @throws NOT_FOUND, VERSION_MISMATCH; CONFLICT when very many records refer to it
   */
  async delete(
    definition: CoreObjectDefinition,
    tenant: TransactionOrigin,
    id: string,
    expected: ExpectedVersions = null,
  ): Promise<void> {
    await this.database.transaction(tenant, async (tx) => {
      const record = found(await this.records.lock(tx, definition, id));
      requireMatch(expected, record.version);
      for (const holder of await this.references.lockReferencing(tx, definition, id)) {
        const unset = Object.fromEntries(holder.fields.map((name) => [name, null]));
        await this.change(tx, holder.definition, holder.record, unset);
      }
      await this.records.delete(tx, definition, id);
      await appendDeleted(tx, definition, record);
    });
  }

  /** Which of the ids exist in the tenant. */
  async existing(definition: CoreObjectDefinition, tenantId: string, ids: readonly string[]): Promise<string[]> {
    return this.database.transaction(tenantId, (tx) =>
      this.records.existing(tx, definition.object, ids, { hold: false }),
    );
  }

  private async insert(tx: TenantTransaction, definition: CoreObjectDefinition, values: Values): Promise<CoreRecord> {
    await this.references.check(tx, definition, values);
    const record = await this.records.insert(tx, definition, newId(), values);
    await appendCreated(tx, definition, record);
    return record;
  }

  private async change(
    tx: TenantTransaction,
    definition: CoreObjectDefinition,
    record: CoreRecord,
    values: Values,
  ): Promise<CoreRecord> {
    const changed = Object.keys(values).filter((name) => !isDeepStrictEqual(values[name], record[name]));
    if (changed.length === 0) return record;
    await this.references.check(tx, definition, Object.fromEntries(changed.map((name) => [name, values[name]])));
    const updated = await this.records.update(tx, definition, { ...record, ...values }, changed);
    await appendUpdated(tx, definition, updated, record, changed);
    return updated;
  }
}

function positionOf(query: RecordQuery, record: CoreRecord): Position {
  return { value: (record[query.sort.field] ?? null) as Position['value'], id: record.id };
}

function found(record: CoreRecord | undefined): CoreRecord {
  if (!record) throw new PlatformError('NOT_FOUND');
  return record;
}
