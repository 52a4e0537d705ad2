import type { Principal } from '@crm/access';
import { type FieldProblem, invalidValues, isUuid, PlatformError } from '@crm/contracts';
import type { IdempotentCall } from '@crm/database';
import { fieldTypes, uniqueKey } from '@crm/fields';
import type { ExpectedVersions } from '@crm/http';
import type { StoredField } from '../object/object-definition.js';
import { isStale, type ObjectModel } from '../object/object-model.js';
import type { ValueOptions } from './record.service.js';
import type { BulkInput, BulkOperation } from './record-bulk.dto.js';

export type Done = 'created' | 'updated' | 'deleted';

/** What has become of a row. */
export interface BulkResult {
  readonly index: number;
  readonly status: Done | 'failed';
  readonly id?: string;
  /** The error has the form of a single call's problem. */
  readonly error?: {
    readonly code: string;
    readonly status: number;
    readonly detail: string;
    readonly errors?: readonly FieldProblem[];
  };
}

/** A row as it was sent. */
export interface Row {
  readonly index: number;
  /** The id of the record that is changed or deleted. */
  readonly id: string;
  readonly expected: ExpectedVersions;
  readonly values: Readonly<Record<string, unknown>>;
  readonly faults: readonly FieldProblem[];
}

/** What a row of an operation can come to. */
export const OUTCOMES: Readonly<Record<BulkOperation, readonly Done[]>> = {
  create: ['created'],
  update: ['updated'],
  upsert: ['created', 'updated'],
  delete: ['deleted'],
};

const fault = (name: string, code: string, detail: string): FieldProblem => ({ pointer: `/${name}`, code, detail });

/** @throws VALIDATION_FAILED, FIELD_ACCESS_DENIED */
export function matchedField(
  model: ObjectModel,
  { roles }: Pick<Principal, 'roles'>,
  { operation, matchField }: BulkInput,
): StoredField | undefined {
  const refused = (code: string, detail: string) => invalidValues(fault('matchField', code, detail));
  if (operation !== 'upsert') {
    if (matchField !== undefined) throw refused('UNKNOWN_FIELD', 'Use matchField only with an upsert');
    return undefined;
  }
  if (matchField === undefined) throw refused('REQUIRED', 'An upsert needs a matchField');
  const { readable, writable } = model.planFor(roles);
  const field = model.uniqueFields.find(({ apiName }) => apiName === matchField && readable.has(apiName));
  if (!field) throw refused('UNKNOWN_FIELD', 'The object has no unique field with this name');
  if (!writable.has(matchField)) throw new PlatformError('FIELD_ACCESS_DENIED', `Your role can't write ${matchField}`);
  return field;
}

/** The key of the value that a row is matched by; null for none, which validation reports. */
export function keyIn(field: StoredField, values: Row['values'], options: ValueOptions): string | null {
  const parsed = fieldTypes.get(field.type)?.parse(values[field.apiName] ?? null, field, options);
  return parsed?.ok ? uniqueKey(field, parsed.value) : null;
}

export function rowsOf(
  { operation, records }: BulkInput,
  match: StoredField | undefined,
  options: ValueOptions,
): Row[] {
  const seen = new Set<string>();
  return records.map((record, index) => {
    const row = rowOf(operation, record, index);
    const key = match ? keyIn(match, row.values, options) : operation === 'create' ? null : row.id;
    const faults = [...row.faults];
    const name = match?.apiName ?? 'id';
    if (match && key === null) faults.push(fault(name, 'REQUIRED', 'Must have a value to find the record by'));
    if (key && seen.has(key)) faults.push(fault(name, 'DUPLICATE', 'Another row is about the same record'));
    if (key) seen.add(key);
    return { ...row, faults };
  });
}

function rowOf(operation: BulkOperation, record: Row['values'], index: number): Row {
  if (operation === 'create' || operation === 'upsert')
    return { index, id: '', expected: null, values: record, faults: [] };
  const { id, version, ...values } = record;
  const faults: FieldProblem[] = [];
  if (!isUuid(id)) faults.push(fault('id', 'INVALID_REFERENCE', 'Must be a record ID'));
  const isVersion = version === undefined || (Number.isInteger(version) && (version as number) > 0);
  if (!isVersion) faults.push(fault('version', 'WRONG_TYPE', "Must be the record's version"));
  if (operation === 'delete') {
    for (const name of Object.keys(values)) {
      faults.push(fault(name, 'UNKNOWN_FIELD', 'To delete a record, send only id and version'));
    }
  }
  const expected = version === undefined ? null : new Set([version as number]);
  return { index, id: isUuid(id) ? id.toLowerCase() : '', expected, values, faults };
}

/** The call of a row: its body is part of the whole call's, which was compared already. */
export const ofRow = (call: IdempotentCall, index: number, status: Done): IdempotentCall => ({
  ...call,
  route: `${call.route} ${status}`,
  key: `${call.key} ${index}`,
  body: null,
});

export const ofRecord = ({ index }: Row, { pointer, ...problem }: FieldProblem): FieldProblem => ({
  pointer: `/records/${index}${pointer}`,
  ...problem,
});

/** What is wrong with a row of an atomic call. @throws what is not the row's fault */
export function faultsOf(row: Row, error: unknown): FieldProblem[] {
  if (!isOfRow(error)) throw error;
  const { errors = [{ pointer: '', code: error.code, detail: error.message }] } = error.extra;
  return errors.map((problem) => ofRecord(row, problem));
}

/** @throws what is not the row's fault */
export function problemOf(error: unknown): BulkResult['error'] {
  if (!(error instanceof PlatformError) || error.code.startsWith('IDEMPOTENCY_')) throw error;
  const { code, status, message: detail, extra } = error;
  return { code, status, detail, ...(extra.errors && { errors: extra.errors }) };
}

const isOfRow = (error: unknown): error is PlatformError =>
  error instanceof PlatformError && error.status < 500 && !isStale(error) && !error.code.startsWith('IDEMPOTENCY_');
