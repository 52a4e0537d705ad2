import { fieldTypes, slotValue } from '@crm/fields';
import { type EvaluationContext, formatInstant, parseInstant } from '@crm/formula';
import type { FilterOperator } from '../object/filter-operators.js';
import type { StoredField } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';
import { slotText } from '../reading/record.js';
import {
  arrayParameter,
  type FieldColumn,
  formulaColumn,
  Parameters,
  plainColumn,
  scalarParameter,
} from './field-column.js';
import type { Span } from './relative-date.js';

/** A condition on a record row: SQL and its own parameters, numbered from the first one that was free. */
export interface RowCondition {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Why no index finds the records, which are looked at one by one: names the query parameter. */
  readonly unindexed?: string;
  /** The column whose index finds the records. */
  readonly slot?: string;
  /** True when the index has them in the order of the column's values; otherwise in that of their ids. */
  readonly isRange?: boolean;
  /** The same with the same parameters in a form that surely uses the index, of which at most one more than MAX_DRIVER_MATCHES records are found. */
  readonly bySlot?: string;
}

/** So many records are found and sorted within some milliseconds. */
export const MAX_DRIVER_MATCHES = 1_000;

/** The instant and zone of relative dates, and who `me` is. */
export type FilterContext = EvaluationContext & { readonly userId?: string };

/** What one condition says, checked. */
export interface Comparison {
  readonly field: StoredField | SystemField;
  readonly op: FilterOperator;
  /** Canonical values, one unless the operator is `in`; none for `empty` and `notEmpty`. */
  readonly values: readonly unknown[];
  /** A period in place of a value. */
  readonly span?: Span;
  readonly parameter: 'filterField' | 'filter';
}

export type Filter = Comparison | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] };

/** What every record has besides its fields. Its id is a UUIDv7, whose time is that of the creation. */
export interface SystemField {
  readonly apiName: 'id' | 'createdAt' | 'updatedAt';
  readonly type: 'reference' | 'datetime';
  readonly isSystem: true;
}

/** The SQL of a filter. @param first number of the first free parameter */
export function conditionOf(model: ObjectModel, filter: Filter, first: number, context: FilterContext): RowCondition {
  if (!('kind' in filter)) return comparisonSql(model, filter, first, context);
  const parameters: unknown[] = [];
  const parts = filter.filters.map((member) => {
    const part = conditionOf(model, member, first + parameters.length, context);
    parameters.push(...part.parameters);
    return `(${part.sql})`;
  });
  return {
    sql: `(${parts.join(filter.kind === 'and' ? ' AND ' : ' OR ')})`,
    parameters,
    unindexed: `filter: no index covers ${filter.kind}`,
  };
}

function comparisonSql(
  model: ObjectModel,
  comparison: Comparison,
  first: number,
  context: FilterContext,
): RowCondition {
  const { field, parameter } = comparison;
  if ('isSystem' in field) return systemSql(field, comparison, new Parameters(first));
  const parameters = new Parameters(first);
  const unindexed = `${parameter}: ${field.apiName} has no index`;
  if (field.type === 'formula') {
    const column = formulaColumn(model, field, parameters, context, parameter);
    const sql = compareSql(column, comparison, parameters, (value) => value);
    return { sql, parameters: parameters.values, unindexed };
  }
  if (fieldTypes.get(field.type)?.schema.type === 'array') {
    return { sql: optionsSql(field, comparison, parameters), parameters: parameters.values, unindexed };
  }
  return plainSql(field, comparison, parameters, unindexed);
}

/** The field with several options has all that were asked for, or with `in` any of them. */
function optionsSql(field: StoredField, { op, values }: Comparison, { bind }: Parameters): string {
  const key = `${bind(String(field.key))}::text`;
  if (op === 'empty') return `data->>${key} IS NULL`;
  if (op === 'notEmpty') return `data->>${key} IS NOT NULL`;
  const data = `data->${key}`;
  if (op === 'in') return `coalesce(${data} ?| ${bind(values.flat())}::text[], false)`;
  const hasAll = `${data} @> ${bind(JSON.stringify(values[0]))}::jsonb`;
  return op === 'ne' ? `NOT coalesce(${hasAll}, false)` : hasAll;
}

/** Operators whose records the index of a column has together. */
const RANGES: ReadonlySet<FilterOperator> = new Set(['lt', 'lte', 'gt', 'gte', 'in', 'notEmpty']);

function plainSql(field: StoredField, comparison: Comparison, parameters: Parameters, unindexed: string): RowCondition {
  const { op, values, span, parameter } = comparison;
  const slots = values.map((value) => slotValue(field, value));
  const isExact = slots.every((slot) => slot?.exact);
  const isWhole = op === 'eq' && !span;
  if (isWhole && field.slot === null) {
    return { sql: wholeValue(field, values, parameters), parameters: parameters.values, unindexed };
  }
  const column = plainColumn(field);
  const stored = (value: unknown) => slotText(slotValue(field, value)!.value);
  const compared = compareSql(column, { ...comparison, op: op === 'ne' && !span ? 'eq' : op }, parameters, stored);
  // The column holds a prefix of a long text: the index finds candidates, the data decides.
  const isLong = !isExact && (op === 'eq' || op === 'ne' || op === 'in');
  const whole = isLong ? ` AND ${wholeValue(field, values, parameters)}` : '';
  const found = `${compared}${whole}`;
  const sql = op === 'ne' && !span ? `NOT coalesce(${found}, false)` : found;
  const condition = { sql, parameters: parameters.values };
  if (field.slot === null || op === 'contains' || op === 'startsWith') return { ...condition, unindexed };
  if (op === 'ne')
    return { ...condition, unindexed: `${parameter}: no index covers records with another ${field.apiName}` };
  const isRange = span !== undefined || RANGES.has(op);
  if (op !== 'in') return { ...condition, slot: field.slot, isRange };
  const bySlot = eachBySlot(field.slot, arrayParameter(column, `$${parameters.first}`), whole);
  return { ...condition, slot: field.slot, isRange, bySlot };
}

/**
 * Looks each value up: for a list of values, whose number no plan knows, the planner may prefer to read all records.
 * @param whole what decides on a candidate: the limit counts only records that are found
 */
const eachBySlot = (slot: string, values: string, whole: string): string => `id = ANY (ARRAY(
    SELECT found.id FROM unnest(${values}) AS wanted(value)
     CROSS JOIN LATERAL (SELECT record.id FROM custom_record AS record
                          WHERE record.tenant_id = $1::uuid AND tenant.id IS NOT NULL AND record.object_id = $2
                            AND record.deleted_at IS NULL AND record.${slot} = wanted.value${whole} LIMIT ${MAX_DRIVER_MATCHES + 1}) AS found
     LIMIT ${MAX_DRIVER_MATCHES + 1}))`;

/** Compares the data: equal JSON is an equal value. */
function wholeValue({ key }: StoredField, values: readonly unknown[], { bind }: Parameters): string {
  const data = `data->${bind(String(key))}::text`;
  const wanted = values.map((value) => JSON.stringify(value));
  return wanted.length === 1 ? `${data} = ${bind(wanted[0])}::jsonb` : `${data} = ANY (${bind(wanted)}::jsonb[])`;
}

const SQL_OPERATORS: Readonly<Partial<Record<FilterOperator, string>>> = {
  eq: '=',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
};

/** @param stored a canonical value as the column has it */
function compareSql(
  column: FieldColumn,
  { op, values, span }: Comparison,
  { bind }: Parameters,
  stored: (value: unknown) => unknown,
): string {
  const { sql, isUnset, unset, text } = column;
  const value = (one: unknown) => scalarParameter(column, bind(stored(one)));
  // What comes after every value is none.
  const isSet = unset === null ? '' : ` AND ${sql} < '${unset}'`;
  if (op === 'empty') return isUnset ?? 'false';
  if (op === 'notEmpty') return unset === null ? `NOT (${isUnset})` : `${sql} < '${unset}'`;
  if (op === 'contains') return `strpos(${lower(text)}, ${lower(`${bind(values[0])}::text`)}) > 0`;
  if (op === 'startsWith') return `starts_with(${lower(text)}, ${lower(`${bind(values[0])}::text`)})`;
  // Each once: records that are found twice would leave less space for others.
  if (op === 'in') return `${sql} = ANY (${arrayParameter(column, bind([...new Set(values.map(stored))]))})`;
  if (span) {
    const within = () => `${sql} >= ${value(span.from)} AND ${sql} < ${value(span.to)}`;
    if (op === 'eq') return `(${within()})`;
    if (op === 'ne') return `NOT coalesce(${within()}, false)`;
    if (op === 'lt') return `${sql} < ${value(span.from)}`;
    if (op === 'lte') return `${sql} < ${value(span.to)}`;
    return `${sql} >= ${value(op === 'gt' ? span.to : span.from)}${isSet}`;
  }
  if (op === 'ne') return `NOT coalesce(${sql} = ${value(values[0])}, false)`;
  return `${sql} ${SQL_OPERATORS[op]} ${value(values[0])}${op === 'gt' || op === 'gte' ? isSet : ''}`;
}

/** The same letters in every database, whatever its locale is. */
const lower = (sql: string): string => `lower(${sql} COLLATE pg_catalog.pg_unicode_fast)`;

const UPDATED_AT: FieldColumn = { sql: 'updated_at', sqlType: 'timestamptz', isUnset: null, unset: null, text: '' };
const ID: FieldColumn = { sql: 'id', sqlType: 'uuid', isUnset: null, unset: null, text: '' };

function systemSql({ apiName }: SystemField, comparison: Comparison, parameters: Parameters): RowCondition {
  const { op, values, span, parameter } = comparison;
  const same = (value: unknown) => value;
  if (apiName === 'updatedAt') {
    const sql = compareSql(UPDATED_AT, comparison, parameters, same);
    return { sql, parameters: parameters.values, unindexed: `${parameter}: updatedAt has no index` };
  }
  if (apiName === 'id') {
    const sql = compareSql(ID, comparison, parameters, same);
    const found = op === 'ne' ? { unindexed: `${parameter}: no index covers all records but one` } : { slot: 'id' };
    return { sql, parameters: parameters.values, ...found };
  }
  const within = span ?? momentOf(values[0] as string);
  const sql = compareSql(ID, { ...comparison, span: within }, parameters, (time) => firstIdAt(String(time)));
  const isPeriod =
    op !== 'ne' ? { slot: 'id' } : { unindexed: `${parameter}: no index covers records with another createdAt` };
  return { sql, parameters: parameters.values, ...isPeriod };
}

/** A time of creation is one of whole milliseconds. */
function momentOf(time: string): Span {
  const instant = parseInstant(time) as number;
  return { from: formatInstant(instant), to: formatInstant(instant + 1) };
}

/** What precedes the ids of an instant: their first 48 bits are its milliseconds (RFC 9562, 5.7). */
function firstIdAt(time: string): string {
  const hex = Math.max(0, parseInstant(time) ?? 0)
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
