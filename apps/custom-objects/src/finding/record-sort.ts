import { PlatformError } from '@crm/contracts';
import { type AccessPlan, fieldTypes, SLOT_TEXT_LENGTH, type SlotKind, slotValue } from '@crm/fields';
import type { EvaluationContext, ValueType } from '@crm/formula';
import { type CursorValueType, fitsCursor, idPosition, type Position } from '@crm/http';
import { isSortable } from '../object/filter-operators.js';
import type { StoredField } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';
import { type StoredRecord, slotText, valuesOf } from '../reading/record.js';
import { type FieldColumn, formulaColumn, Parameters, plainColumn } from './field-column.js';

/** The order of a list; equal values are ordered by id, in the direction of the last of them, and records without a value come last. */
export interface RecordSort {
  /** The name to which a cursor is bound. */
  readonly name: string;
  readonly descending: boolean;
  /** The expression that precedes the id in the order; null to order by the id alone, or by several. */
  readonly by: SortExpression | null;
  /** Several fields, or a formula: no index has the records in this order. */
  readonly keys?: readonly SortKey[];
  positionOf(record: StoredRecord): Position;
}

export interface SortExpression {
  /** Refers to the columns of the record only, so it can stand in the text of a statement. */
  readonly sql: string;
  readonly valueType: CursorValueType;
  /** Type that a parameter is cast to for the comparison. */
  readonly sqlType: FieldColumn['sqlType'];
  /** What comes after every value: records without one have it. Null where each record has a value. */
  readonly unset: string | null;
  readonly isIndexed: boolean;
}

/** One of several values that a list is sorted by. */
export interface SortKey {
  readonly descending: boolean;
  readonly valueType: CursorValueType;
  /** @param parameters receives those of a formula */
  column(parameters: Parameters): FieldColumn;
  /** Null for a record without a value. */
  valueOf(record: StoredRecord): string | number | boolean | null;
}

export const MAX_SORTS = 3;

/** Ids are UUIDv7: their order is the order of creation. */
const BY_ID: ReadonlySet<string> = new Set(['id', 'createdAt']);

const UPDATED_AT: SortExpression = {
  sql: 'updated_at',
  valueType: 'date-time',
  sqlType: 'timestamptz',
  unset: null,
  isIndexed: false,
};

const CURSORS: Readonly<Record<SlotKind, CursorValueType>> = { text: 'text', number: 'number', time: 'date-time' };
const cursorOf = ({ type }: StoredField): CursorValueType => CURSORS[fieldTypes.get(type)!.slotKind!];

/**
 * @param sort up to three of: a field name, `id`, `createdAt` or `updatedAt`; a leading `-` means descending
 * @throws INVALID_QUERY, also for a field that the caller cannot read
 */
export function parseSort(
  model: ObjectModel,
  plan: AccessPlan,
  sort: string | undefined,
  clock: EvaluationContext,
): RecordSort {
  const terms = (sort ?? '-createdAt').split(',');
  if (terms.length > MAX_SORTS) throw new PlatformError('INVALID_QUERY', `sort: use up to ${MAX_SORTS} fields`);
  const parsed = terms.map((term) => {
    const descending = term.startsWith('-');
    const name = descending ? term.slice(1) : term;
    const isId = BY_ID.has(name);
    const field = isId || name === 'updatedAt' ? undefined : fieldToSortBy(model, plan, name);
    return { name, descending, isId, field };
  });
  const names = new Set(parsed.map(({ name }) => name));
  if (names.size < parsed.length) throw new PlatformError('INVALID_QUERY', 'sort: the same field is listed twice');
  // Ids differ, so what follows one decides nothing.
  const idAt = parsed.findIndex(({ isId }) => isId);
  const deciding = idAt < 0 ? parsed : parsed.slice(0, idAt);
  const last = parsed[idAt < 0 ? parsed.length - 1 : idAt]!;
  const name = terms.join(',');
  const [first] = deciding;
  if (!first) return { name, descending: last.descending, by: null, positionOf: idPosition };
  if (deciding.length > 1 || first.field?.type === 'formula' || first.descending !== last.descending) {
    const keys = deciding.map(({ field, descending }) => keyOf(model, field, descending, clock));
    const positionOf = (record: StoredRecord): Position => ({
      id: record.id,
      value: JSON.stringify(keys.map((key) => key.valueOf(record))),
    });
    return { name, descending: last.descending, by: null, keys, positionOf };
  }
  if (!first.field) return { name, descending: first.descending, by: UPDATED_AT, positionOf: updatedPosition };
  return { name, descending: first.descending, ...byField(first.field) };
}

/** The fields that a checked sort names, besides those of every record. */
export const sortedFields = (sort: string | null): string[] =>
  (sort?.split(',') ?? [])
    .map((term) => term.replace(/^-/, ''))
    .filter((name) => !BY_ID.has(name) && name !== 'updatedAt');

const updatedPosition = ({ id, updatedAt }: StoredRecord): Position => ({ id, value: updatedAt });

function fieldToSortBy(model: ObjectModel, plan: AccessPlan, name: string): StoredField {
  const field = model.fieldsByName.get(name);
  if (!field || !plan.readable.has(name)) throw new PlatformError('INVALID_QUERY', `sort: unknown field "${name}"`);
  if (isSortable(field, model.valueTypeOf(field))) return field;
  throw new PlatformError('INVALID_QUERY', `sort: lists can't be sorted by ${name}, which is of type ${field.type}`);
}

/** The values of a position after several keys. @throws INVALID_QUERY for what no such list has written */
export function valuesAt(keys: readonly SortKey[], { value }: Position): (string | number | boolean | null)[] {
  const values = readValues(value);
  const fits =
    values.length === keys.length &&
    keys.every(({ valueType }, index) => values[index] === null || fitsCursor(valueType, values[index]));
  if (!fits)
    throw new PlatformError('INVALID_QUERY', 'cursor: this cursor belongs to a different list, filter, or sort');
  return values as (string | number | null)[];
}

function readValues(value: Position['value']): readonly unknown[] {
  try {
    const values: unknown = JSON.parse(String(value));
    return Array.isArray(values) ? values : [];
  } catch (error) {
    throw new PlatformError('INVALID_QUERY', 'cursor: this cursor belongs to a different list, filter, or sort', {
      cause: error,
    });
  }
}

function byField(field: StoredField): Pick<RecordSort, 'by' | 'positionOf'> {
  const { sql, sqlType, unset } = plainColumn(field);
  const by = { sql, sqlType, unset, valueType: cursorOf(field), isIndexed: field.slot !== null };
  return { by, positionOf: (record) => ({ id: record.id, value: slotOf(field, record) }) };
}

function slotOf(field: StoredField, { data }: StoredRecord): string | number | null {
  const stored = slotValue(field, data[field.key]);
  return stored && slotText(stored.value);
}

const FORMULA_CURSORS: Readonly<Partial<Record<ValueType, CursorValueType>>> = {
  number: 'number',
  text: 'text',
  boolean: 'boolean',
  date: 'date',
  datetime: 'date-time',
};

/** @param field undefined for `updatedAt` */
function keyOf(
  model: ObjectModel,
  field: StoredField | undefined,
  descending: boolean,
  clock: EvaluationContext,
): SortKey {
  if (!field) {
    const column: FieldColumn = { ...UPDATED_AT, isUnset: null, text: '' };
    return { descending, valueType: 'date-time', column: () => column, valueOf: ({ updatedAt }) => updatedAt };
  }
  if (field.type !== 'formula') {
    return {
      descending,
      valueType: cursorOf(field),
      column: () => plainColumn(field),
      valueOf: (record) => slotOf(field, record),
    };
  }
  const { apiName } = field;
  const evaluate = model.formulas.evaluatorOf(new Set([apiName]));
  const valueType = FORMULA_CURSORS[model.valueTypeOf(field)] ?? 'none';
  return {
    descending,
    valueType,
    column: (parameters) => {
      const column = formulaColumn(model, field, parameters, clock, 'sort');
      return valueType === 'text'
        ? { ...column, sql: `left(${column.text}, ${SLOT_TEXT_LENGTH}) COLLATE "C"` }
        : column;
    },
    valueOf: ({ data }) => {
      const values = Object.assign(Object.create(null), valuesOf(model, data));
      evaluate(values, clock);
      const value = values[apiName] ?? null;
      return typeof value === 'string' ? [...value].slice(0, SLOT_TEXT_LENGTH).join('') : value;
    },
  };
}
