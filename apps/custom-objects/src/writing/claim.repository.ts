import { type FieldProblem, PlatformError, requireNoProblems } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { uniqueKey } from '@crm/fields';
import { Injectable } from '@nestjs/common';
import type { StoredField } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';
import type { FieldValues, StoredRecord } from '../reading/record.js';
import { referenceNotFound } from './reference-access.service.js';

/**
 * One row: the fields whose record exists, which is kept from being deleted. $1: tenant, $2: object, $3: record, $4: keys of the
 * fields, $5: target objects, $6: targets.
 */
export const CLAIM_REFERENCES = 'SELECT claim_references($1, $2, $3, $4, $5, $6) AS claimed';

/** $1: tenant, $2: object, $3: records, $4: keys of their fields, $5: the records that they refer to. */
export const RELEASE_REFERENCES = `
  DELETE FROM record_reference USING unnest($3::uuid[], $4::integer[], $5::uuid[]) AS held (record_id, field_key, target_id)
   WHERE record_reference.tenant_id = $1 AND record_reference.target_id = held.target_id
     AND record_reference.object_id = $2 AND record_reference.record_id = held.record_id
     AND record_reference.field_key = held.field_key`;

/** $1: tenant, $2: object, $3: records, $4: key of their field, $5: the record that they refer to. */
export const INSERT_REFERENCES = `
  INSERT INTO record_reference (tenant_id, target_id, object_id, record_id, field_key)
  SELECT r.tenant_id, $5::uuid, r.object_id, r.id, $4::integer FROM custom_record r
   WHERE r.tenant_id = $1 AND r.object_id = $2 AND r.id = ANY ($3::uuid[])`;

/** Records that refer to any of $2, in lock order. $1: tenant, $2: records, $3: limit, $4 to $6: object, record and field after which they begin. */
export const LIST_REFERRING = `
  SELECT object_id AS "objectId", record_id AS "recordId", field_key AS "fieldKey"
    FROM record_reference WHERE tenant_id = $1 AND target_id = ANY ($2::uuid[])
     AND (object_id, record_id, field_key) > ($4::uuid, $5::uuid, $6::integer)
   ORDER BY object_id, record_id, field_key LIMIT $3`;

/**
 * One row: the fields whose values are claimed; waits for transactions that claim the same ones. $1: tenant, $2: object,
 * $3: record, $4: fields, $5: their values, both in the order of the fields.
 */
export const CLAIM_UNIQUE_VALUES = 'SELECT claim_unique_values($1, $2, $3, $4, $5) AS claimed';

/** The records that have values of a unique field. $1: tenant, $2: object, $3: field, $4: values. */
export const FIND_UNIQUE_VALUES = `
  SELECT norm_value AS key, record_id AS "recordId" FROM custom_unique
   WHERE tenant_id = $1 AND object_id = $2 AND field_id = $3 AND norm_value = ANY ($4::text[] COLLATE "C")`;

/** $1: tenant, $2: object, $3: fields, $4: their values, $5: the records that have them. */
export const RELEASE_UNIQUE_VALUES = `
  DELETE FROM custom_unique USING unnest($3::uuid[], $4::text[], $5::uuid[]) AS held (field_id, norm_value, record_id)
   WHERE custom_unique.tenant_id = $1 AND custom_unique.object_id = $2 AND custom_unique.field_id = held.field_id
     AND custom_unique.norm_value = held.norm_value COLLATE "C" AND custom_unique.record_id = held.record_id`;

/** What a field claims for its record: a unique value, or the id of the record that it refers to. */
interface Claim {
  readonly recordId: string;
  readonly field: StoredField;
  readonly key: string;
}

/** Claims and releases what the fields of one kind hold besides the record's row. */
abstract class ClaimRepository {
  protected abstract fieldsOf(model: ObjectModel): readonly StoredField[];
  /** What a value claims; null for nothing. */
  protected abstract keyOf(field: StoredField, value: unknown): string | null;
  protected abstract releaseClaims(tx: TenantTransaction, objectId: string, held: readonly Claim[]): Promise<unknown>;

  /** Returns whether a change has anything to claim or to release. @param before null for a new record */
  isConcerned(model: ObjectModel, before: FieldValues | null, after: FieldValues): boolean {
    return this.changedKeys(model, before, after).length > 0;
  }

  /** Releases what records hold by these fields, by default by all. */
  async release(
    tx: TenantTransaction,
    model: ObjectModel,
    records: readonly StoredRecord[],
    fields: readonly StoredField[] = this.fieldsOf(model),
  ): Promise<void> {
    const held = records.flatMap(({ id: recordId, data }) =>
      fields.flatMap((field) => claimOf(recordId, field, this.keyOf(field, data[field.key] ?? null))),
    );
    if (held.length > 0) await this.releaseClaims(tx, model.object.id, held);
  }

  /**
   * Claims new keys and releases old ones; the statements are sent at once, before any later ones of the caller. In this order
   * two records that exchange their keys are both refused: after the release each would wait for the other's.
   * @param claim returns which fields have what they want
   * @returns the others
   */
  protected async exchange(
    tx: TenantTransaction,
    model: ObjectModel,
    recordId: string,
    before: FieldValues | null,
    after: FieldValues,
    claim: (wanted: readonly Claim[]) => Promise<(field: StoredField) => boolean>,
  ): Promise<StoredField[]> {
    const changed = this.changedKeys(model, before, after);
    const released = changed.flatMap(({ field, previous }) => claimOf(recordId, field, previous));
    const wanted = changed.flatMap(({ field, key }) => claimOf(recordId, field, key));
    const [isClaimed] = await Promise.all([
      wanted.length > 0 ? claim(wanted) : undefined,
      released.length > 0 ? this.releaseClaims(tx, model.object.id, released) : undefined,
    ]);
    return wanted.map(({ field }) => field).filter((field) => !isClaimed?.(field));
  }

  private changedKeys(model: ObjectModel, before: FieldValues | null, after: FieldValues) {
    return this.fieldsOf(model).flatMap((field) => {
      const previous = before === null ? null : this.keyOf(field, before[field.apiName] ?? null);
      const key = this.keyOf(field, after[field.apiName] ?? null);
      return key === previous ? [] : [{ field, previous, key }];
    });
  }
}

const claimOf = (recordId: string, field: StoredField, key: string | null): Claim[] =>
  key === null ? [] : [{ recordId, field, key }];

/** A field that refers to a record. */
export interface Referring {
  readonly objectId: string;
  readonly recordId: string;
  readonly fieldKey: number;
}

const NO_ID = '00000000-0000-0000-0000-000000000000';
const BEFORE_ALL: Referring = { objectId: NO_ID, recordId: NO_ID, fieldKey: 0 };

/** Keeps references true: what is written exists, and stays until the writing transaction has committed. */
@Injectable()
export class ReferenceRepository extends ClaimRepository {
  protected fieldsOf = (model: ObjectModel): readonly StoredField[] => model.referenceFields;
  protected keyOf = (_field: StoredField, value: unknown): string | null => value as string | null;

  /**
   * Registers new references and releases old ones.
   * @param targetsOf the objects that a written reference may point to
   * @param before null for a new record
   * @throws VALIDATION_FAILED with every reference that names no record
   */
  async claim(...written: Parameters<ReferenceRepository['claimExisting']>): Promise<void> {
    const missing = await this.claimExisting(...written);
    requireNoProblems(missing.map(referenceNotFound));
  }

  /** Like {@link claim}. @returns the fields that name no record */
  async claimExisting(
    tx: TenantTransaction,
    model: ObjectModel,
    recordId: string,
    before: FieldValues | null,
    after: FieldValues,
    targetsOf: (field: StoredField) => readonly string[],
  ): Promise<StoredField[]> {
    return this.exchange(tx, model, recordId, before, after, async (wanted) => {
      // In the order of the records, in which all transactions lock them.
      const candidates = wanted
        .flatMap(({ field, key }) => targetsOf(field).map((objectId) => ({ fieldKey: field.key, objectId, key })))
        .sort((one, other) => (one.key < other.key ? -1 : 1));
      const [row] = await tx.queryPrepared<{ claimed: number[] }>(CLAIM_REFERENCES, [
        tx.tenantId,
        model.object.id,
        recordId,
        candidates.map(({ fieldKey }) => fieldKey),
        candidates.map(({ objectId }) => objectId),
        candidates.map(({ key }) => key),
      ]);
      return ({ key }) => row?.claimed.includes(key) ?? false;
    });
  }

  /** Moves references from locked records to one that is locked too. */
  async move(
    tx: TenantTransaction,
    objectId: string,
    records: readonly StoredRecord[],
    field: StoredField,
    to: string,
  ): Promise<void> {
    const held = records.flatMap(({ id, data }) => claimOf(id, field, (data[field.key] as string | undefined) ?? null));
    if (held.length > 0) await this.releaseClaims(tx, objectId, held);
    await tx.queryPrepared(INSERT_REFERENCES, [tx.tenantId, objectId, records.map(({ id }) => id), field.key, to]);
  }

  /** At most that many. @param after the last one of those before */
  listReferring(
    tx: TenantTransaction,
    targetIds: readonly string[],
    limit: number,
    { objectId, recordId, fieldKey }: Referring = BEFORE_ALL,
  ): Promise<Referring[]> {
    const parameters = [tx.tenantId, targetIds, limit, objectId, recordId, fieldKey];
    return tx.queryPrepared<Referring>(LIST_REFERRING, parameters);
  }

  protected releaseClaims(tx: TenantTransaction, objectId: string, held: readonly Claim[]): Promise<unknown> {
    return tx.queryPrepared(RELEASE_REFERENCES, [
      tx.tenantId,
      objectId,
      held.map(({ recordId }) => recordId),
      held.map(({ field }) => field.key),
      held.map(({ key }) => key),
    ]);
  }
}

/**
 * For what is written along of other objects, which the caller may not know.
 * @throws CONFLICT, which names nothing, for UNIQUE_VIOLATION
 */
export async function withoutNames<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'UNIQUE_VIOLATION') throw error;
    throw new PlatformError('CONFLICT', 'Another record already uses a value that this change would also write', {
      cause: error,
    });
  }
}

/** Keeps `is_unique` fields unique, also between concurrent transactions. */
@Injectable()
export class UniqueValueRepository extends ClaimRepository {
  /** Ordered by field id, so that two records that claim several values cannot deadlock. */
  protected fieldsOf = (model: ObjectModel): readonly StoredField[] => model.uniqueFields;
  protected keyOf = uniqueKey;

  /**
   * Claims new values of unique fields, waiting for transactions that are about to claim them, and releases old ones.
   * @param before null for a new record
   * @throws UNIQUE_VIOLATION naming the fields, never the value or the other record
   */
  async claim(
    tx: TenantTransaction,
    model: ObjectModel,
    recordId: string,
    before: FieldValues | null,
    after: FieldValues,
  ): Promise<void> {
    const taken = await this.exchange(tx, model, recordId, before, after, async (wanted) => {
      const [row] = await tx.queryPrepared<{ claimed: string[] }>(CLAIM_UNIQUE_VALUES, [
        tx.tenantId,
        model.object.id,
        recordId,
        wanted.map(({ field }) => field.id),
        wanted.map(({ key }) => key),
      ]);
      return ({ id }) => row?.claimed.includes(id) ?? false;
    });
    if (taken.length === 0) return;
    throw new PlatformError('UNIQUE_VIOLATION', undefined, {
      errors: taken.map(
        ({ apiName, label }): FieldProblem => ({
          pointer: `/${apiName}`,
          code: 'UNIQUE_VIOLATION',
          detail: `Another record already uses this value for ${label}`,
        }),
      ),
    });
  }

  /** The records that have these values of a field, by the values. */
  async find(
    tx: TenantTransaction,
    objectId: string,
    fieldId: string,
    keys: readonly string[],
  ): Promise<Map<string, string>> {
    const rows = await tx.queryPrepared<{ key: string; recordId: string }>(FIND_UNIQUE_VALUES, [
      ...[tx.tenantId, objectId, fieldId],
      keys,
    ]);
    return new Map(rows.map(({ key, recordId }) => [key, recordId]));
  }

  protected releaseClaims(tx: TenantTransaction, objectId: string, held: readonly Claim[]): Promise<unknown> {
    return tx.queryPrepared(RELEASE_UNIQUE_VALUES, [
      tx.tenantId,
      objectId,
      held.map(({ field }) => field.id),
      held.map(({ key }) => key),
      held.map(({ recordId }) => recordId),
    ]);
  }
}
