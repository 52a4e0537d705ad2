import { PlatformError } from '@crm/contracts';
import { type AccessPlan, type FieldDefinition, fieldTypes, normaliseOptions, slotValue } from '@crm/fields';
import {
  type EvaluationContext,
  formatInstant,
  isCleanText,
  parseDate,
  parseInstant,
  type ValueType,
} from '@crm/formula';
import { FILTER_OPERATORS, type FilterOperator, operatorsOf } from '../object/filter-operators.js';
import { type StoredField } from '../object/object-definition.js';
import { type ObjectModel } from '../object/object-model.js';
import { slotText } from '../reading/record.js';
import { type FieldColumn, formulaColumn, list, Parameters, plainColumn, scalar } from './field-column.js';
import { type Span, spanOf } from './relative-date.js';

/** A condition on a record row: SQL and its own parameters, numbered from the first one that was free. */
export interface RowCondition {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Why no index finds the records, which are looked at one by one: names the query parameter. */
  readonly unindexed?: string;
  /** The column whose index finds the records. */
  readonly slot?: string;
  /** Whether the index has them in the order of the column's values; otherwise in that of their ids. */
  readonly isRange?: boolean;
  /** The same with the same parameters in a form that surely uses the index, of which at most one more than FEW records are found. */
  readonly bySlot?: string;
  /** The condition as the only one of a statement. */
  readonly alone?: () => RowCondition;
}

/**
 * Reads the options in a query text: a whole option, a JSON array of texts, or a comma-separated list unless an option
 * contains a comma. Validation refuses unknown options.
 */
export function chosenOptions(field: FieldDefinition, text: string): unknown {
  const options = normaliseOptions(field.options).map(({ value }) => value);
  if (options.includes(text)) return [text];
  if (text.startsWith('[')) return parsed(text) ?? [text];
  return options.some((option) => option.includes(',')) ? [text] : text.split(',');
}

/** @returns undefined for what is no JSON */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** The part of the query string that selects records. */
export interface RecordFilter {
  readonly q?: string;
  readonly filterField?: string;
  readonly filterOp?: FilterOperator;
  readonly filterValue?: readonly string[];
  /** JSON of a group: `{"and": […]}` or `{"or": […]}`. */
  readonly filter?: string;
}

/** The instant and zone of relative dates, and who `me` is. */
export type FilterContext = EvaluationContext & { readonly userId?: string };

/** What one condition says, checked. */
interface Comparison {
  readonly field: StoredField | SystemField;
  readonly op: FilterOperator;
  /** Canonical values, one unless the operator is `in`; none for `empty` and `notEmpty`. */
  readonly values: readonly unknown[];
  /** A period in the place of a value. */
  readonly span?: Span;
  /** Of the query. */
  readonly parameter: 'filterField' | 'filter';
}

type Filter = Comparison | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] };

/** What every record has besides its fields. Its id is a UUIDv7, whose time is that of the creation. */
interface SystemField {
  readonly apiName: 'id' | 'createdAt' | 'updatedAt';
  readonly type: 'reference' | 'datetime';
  readonly isSystem: true;
}

const SYSTEM_FIELDS: ReadonlyMap<string, SystemField> = new Map(
  (['id', 'createdAt', 'updatedAt'] as const).map((apiName) => [
    apiName,
    { apiName, type: apiName === 'id' ? 'reference' : 'datetime', isSystem: true },
  ]),
);

const SYSTEM_OPERATORS: Readonly<Record<SystemField['type'], readonly FilterOperator[]>> = {
  reference: ['eq', 'ne', 'in'],
  datetime: ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'],
};

/** So many records are found and sorted within some milliseconds. */
export const FEW = 1_000;

export const MAX_CONDITIONS = 25;
export const MAX_DEPTH = 5;
export const MAX_VALUES = 200;

const refused = (detail: string) => new PlatformError('INVALID_QUERY', detail);

/**
 * Turns the filters of a request into conditions. A field that the caller cannot read is treated as unknown.
 * @param first number of the first free parameter
 * @throws INVALID_QUERY
 */
export function rowConditions(
  model: ObjectModel,
  plan: AccessPlan,
  request: RecordFilter,
  first: number,
  context: FilterContext,
): RowCondition[] {
  const parser = new FilterParser(model, plan, context);
  const filters = [simple(parser, request), groups(parser, request)].flatMap((filter) => (filter ? flat(filter) : []));
  const conditions: RowCondition[] = [];
  let free = first;
  for (const filter of filters) {
    const build = (from: number) => conditionOf(model, filter, from, context);
    const condition = build(free);
    free += condition.parameters.length;
    conditions.push({ ...condition, alone: () => build(first) });
  }
  return conditions;
}

/** All must hold, so they stand beside each other. */
const flat = (filter: Filter): readonly Filter[] =>
  'kind' in filter && filter.kind === 'and' ? filter.filters.flatMap(flat) : [filter];

/** The fields that a checked filter names, besides those of every record. */
export function filteredFields(filter: unknown): string[] {
  if (typeof filter !== 'object' || filter === null) return [];
  const { and, or, field } = filter as { and?: unknown[]; or?: unknown[]; field?: string };
  const members = and ?? or;
  if (members) return members.flatMap(filteredFields);
  return field === undefined || SYSTEM_FIELDS.has(field) ? [] : [field];
}

function simple(parser: FilterParser, { filterField, filterOp = 'eq', filterValue }: RecordFilter): Filter | null {
  if (filterField === undefined) {
    if (filterValue !== undefined) throw refused('filterValue needs a filterField');
    return null;
  }
  return parser.ofTexts(filterField, filterOp, filterValue);
}

function groups(parser: FilterParser, { filter }: RecordFilter): Filter | null {
  if (filter === undefined) return null;
  const value = parsed(filter);
  if (value === undefined) throw refused('filter: not JSON');
  return parser.ofGroup(value, 1);
}

const hasOnly = (value: object, names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

/** Checks the filters of a request against the fields that the caller can read. */
class FilterParser {
  private conditions = 0;

  constructor(
    private readonly model: ObjectModel,
    private readonly plan: AccessPlan,
    private readonly context: FilterContext,
  ) {}

  /** `filterField`, `filterOp`, `filterValue`. */
  ofTexts(name: string, op: FilterOperator, texts: readonly string[] = []): Comparison {
    const field = this.field(name, 'filterField');
    this.requireOperator(field, op, 'filterOp');
    if (op === 'empty' || op === 'notEmpty') {
      if (texts.length > 0) throw refused(`filterValue: ${op} has no value`);
      return { field, op, values: [], parameter: 'filterField' };
    }
    if (texts.length === 0) throw refused('filterField needs a filterValue');
    if (texts.length > 1 && op !== 'in') throw refused('filterValue: several values need the filterOp in');
    const inputs = texts.map((text) => this.fromText(field, text));
    return this.compare(field, op, op === 'in' ? inputs : inputs[0], 'filterValue');
  }

  /** A group or a condition of `filter`. */
  ofGroup(value: unknown, depth: number): Filter {
    if (typeof value !== 'object' || value === null) throw refused('filter: a group or a condition is an object');
    const { and, or } = value as { and?: unknown; or?: unknown };
    const members = and ?? or;
    if (members === undefined) return this.ofCondition(value as Record<string, unknown>);
    if (!hasOnly(value, [and === undefined ? 'or' : 'and']) || !Array.isArray(members) || members.length === 0) {
      throw refused('filter: a group is {"and": […]} or {"or": […]}, with one condition at least');
    }
    if (depth > MAX_DEPTH) throw refused(`filter: groups are nested at most ${MAX_DEPTH} deep`);
    return {
      kind: and === undefined ? 'or' : 'and',
      filters: members.map((member) => this.ofGroup(member, depth + 1)),
    };
  }

  private ofCondition(condition: Record<string, unknown>): Comparison {
    this.conditions += 1;
    if (this.conditions > MAX_CONDITIONS) throw refused(`filter: at most ${MAX_CONDITIONS} conditions`);
    const { field: name, op = 'eq', value } = condition;
    if (typeof name !== 'string' || !hasOnly(condition, ['field', 'op', 'value'])) {
      throw refused('filter: a condition has field, op and value');
    }
    const field = this.field(name, 'filter');
    if (!FILTER_OPERATORS.includes(op as FilterOperator)) {
      throw refused(`filter: ${name}: op is one of ${FILTER_OPERATORS.join(', ')}`);
    }
    this.requireOperator(field, op as FilterOperator, 'filter');
    if (op === 'empty' || op === 'notEmpty') {
      if (value !== undefined) throw refused(`filter: ${name}: ${op} has no value`);
      return { field, op, values: [], parameter: 'filter' };
    }
    return this.compare(field, op as FilterOperator, value, 'filter');
  }

  private field(name: string, parameter: string): StoredField | SystemField {
    const field = this.model.fieldsByName.get(name);
    if (field && this.plan.readable.has(name)) return field;
    const system = SYSTEM_FIELDS.get(name);
    if (!system) throw refused(`${parameter}: there is no field ${name}`);
    return system;
  }

  private requireOperator(field: StoredField | SystemField, op: FilterOperator, parameter: string): void {
    const ofType = operatorsOf(field, this.valueType(field));
    const offered = 'isSystem' in field ? ofType.filter((name) => SYSTEM_OPERATORS[field.type].includes(name)) : ofType;
    if (offered.includes(op)) return;
    const known = offered.length === 0 ? 'none' : offered.join(', ');
    throw refused(`${parameter}: ${field.apiName}, which is of type ${field.type}, has no operator ${op} (${known})`);
  }

  private valueType(field: StoredField | SystemField): ValueType {
    if ('isSystem' in field) return field.type === 'datetime' ? 'datetime' : 'text';
    return this.model.valueTypeOf(field);
  }

  /** The JSON that a query text stands for. @throws INVALID_QUERY */
  private fromText(field: StoredField | SystemField, text: string): unknown {
    const type = this.valueType(field);
    if (type === 'multi_select') return chosenOptions(field as StoredField, text);
    if (type === 'number' && /^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text)) return Number(text);
    if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
    if (type === 'number' || type === 'boolean') throw this.notAValue(field, 'filterValue');
    return text;
  }

  private compare(
    field: StoredField | SystemField,
    op: FilterOperator,
    value: unknown,
    named: 'filterValue' | 'filter',
  ): Comparison {
    const comparison = { field, op, parameter: named === 'filter' ? named : 'filterField' } as const;
    if (op === 'in') {
      if (!Array.isArray(value) || value.length === 0 || value.length > MAX_VALUES) {
        throw refused(`${named}: in of ${field.apiName} needs 1 to ${MAX_VALUES} values`);
      }
      return { ...comparison, values: value.map((one) => this.canonical(field, one, named)) };
    }
    const span = this.span(field, value, named);
    if (span) return { ...comparison, values: [], span };
    if (op === 'contains' || op === 'startsWith') {
      if (typeof value !== 'string' || value === '' || !isCleanText(value)) throw this.notAValue(field, named);
      return { ...comparison, values: [value] };
    }
    return { ...comparison, values: [this.canonical(field, value, named)] };
  }

  /** @returns undefined for what is no relative date */
  private span(field: StoredField | SystemField, value: unknown, parameter: string): Span | undefined {
    const type = this.valueType(field);
    if (typeof value !== 'object' || value === null || !('relative' in value)) return undefined;
    if (type !== 'date' && type !== 'datetime') return undefined;
    const span = hasOnly(value, ['relative']) ? spanOf(value.relative, type, this.context) : undefined;
    if (!span) throw this.notAValue(field, parameter);
    return span;
  }

  private canonical(field: StoredField | SystemField, value: unknown, parameter: string): unknown {
    const isMe = typeof value === 'object' && value !== null && (value as { relative?: unknown }).relative === 'me';
    if (isMe && isUserField(field) && hasOnly(value, ['relative'])) return this.context.userId ?? NOBODY;
    const result = field.type === 'formula' ? ofType(this.valueType(field), value) : parsedValue(field, value);
    if (result === undefined) throw this.notAValue(field, parameter);
    return result;
  }

  private notAValue(field: StoredField | SystemField, parameter: string): PlatformError {
    return refused(`${parameter}: not a value of ${field.apiName}, which is of type ${field.type}`);
  }
}

/** Of a caller without a user. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

const isUserField = (field: StoredField | SystemField): boolean =>
  !('isSystem' in field) && field.type === 'reference' && field.referenceObjectIds.length === 0;

/** @returns undefined for what is no value of the field */
function parsedValue(field: StoredField | SystemField, value: unknown): unknown {
  const type = fieldTypes.get(field.type)!;
  const input = type.schema.type === 'array' && typeof value === 'string' ? [value] : value;
  if (input === null || input === undefined) return undefined;
  const result = type.parse(input, 'isSystem' in field ? {} : field, {});
  return result.ok ? (result.value ?? undefined) : undefined;
}

/** A result of a formula; text by code point. @returns undefined for what is no value of the type */
function ofType(type: ValueType, value: unknown): unknown {
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined;
  if (typeof value !== 'string') return undefined;
  if (type === 'text') return isCleanText(value) ? value : undefined;
  if (type === 'date') return parseDate(value) === null ? undefined : value;
  const instant = parseInstant(value);
  // In UTC: Postgres does not read every offset that RFC 3339 allows.
  return instant === null ? undefined : formatInstant(instant);
}

function conditionOf(model: ObjectModel, filter: Filter, first: number, context: FilterContext): RowCondition {
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
    unindexed: `filter: no index has the records of an ${filter.kind}`,
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

/** Of a field with several options: it has all that were asked for, or with `in` any of them. */
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
    return { ...condition, unindexed: `${parameter}: no index has the records that have another ${field.apiName}` };
  const isRange = span !== undefined || RANGES.has(op);
  if (op !== 'in') return { ...condition, slot: field.slot, isRange };
  const bySlot = eachBySlot(field.slot, list(column, `$${parameters.first}`), whole);
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
                            AND record.deleted_at IS NULL AND record.${slot} = wanted.value${whole} LIMIT ${FEW + 1}) AS found
     LIMIT ${FEW + 1}))`;

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
  const value = (one: unknown) => scalar(column, bind(stored(one)));
  // What comes after every value is none.
  const isSet = unset === null ? '' : ` AND ${sql} < '${unset}'`;
  if (op === 'empty') return isUnset ?? 'false';
  if (op === 'notEmpty') return unset === null ? `NOT (${isUnset})` : `${sql} < '${unset}'`;
  if (op === 'contains') return `strpos(${lower(text)}, ${lower(`${bind(values[0])}::text`)}) > 0`;
  if (op === 'startsWith') return `starts_with(${lower(text)}, ${lower(`${bind(values[0])}::text`)})`;
  // Each once: records that are found twice would leave less room for others.
  if (op === 'in') return `${sql} = ANY (${list(column, bind([...new Set(values.map(stored))]))})`;
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
    const found = op === 'ne' ? { unindexed: `${parameter}: no index has all records but one` } : { slot: 'id' };
    return { sql, parameters: parameters.values, ...found };
  }
  const within = span ?? momentOf(values[0] as string);
  const sql = compareSql(ID, { ...comparison, span: within }, parameters, (time) => firstIdAt(String(time)));
  const isPeriod =
    op !== 'ne' ? { slot: 'id' } : { unindexed: `${parameter}: no index has the records of another createdAt` };
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
