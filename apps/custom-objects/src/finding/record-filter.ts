import { PlatformError } from '@crm/contracts';
import { type AccessPlan, type FieldDefinition, fieldTypes, normaliseOptions } from '@crm/fields';
import { formatInstant, isCleanText, parseDate, parseInstant, type ValueType } from '@crm/formula';
import { FILTER_OPERATORS, type FilterOperator, operatorsOf } from '../object/filter-operators.js';
import { type StoredField } from '../object/object-definition.js';
import { type ObjectModel } from '../object/object-model.js';
import {
  type Comparison,
  conditionOf,
  type Filter,
  type FilterContext,
  type RowCondition,
  type SystemField,
} from './filter-sql.js';
import { type Span, spanOf } from './relative-date.js';

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
    const condition = conditionOf(model, filter, free, context);
    free += condition.parameters.length;
    conditions.push(condition);
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
  if (value === undefined) throw refused('filter: must be JSON');
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
      if (texts.length > 0) throw refused(`filterValue: ${op} takes no value`);
      return { field, op, values: [], parameter: 'filterField' };
    }
    if (texts.length === 0) throw refused('filterField needs a filterValue');
    if (texts.length > 1 && op !== 'in') throw refused('filterValue: several values need filterOp=in');
    const inputs = texts.map((text) => this.fromText(field, text));
    return this.compare(field, op, op === 'in' ? inputs : inputs[0], 'filterValue');
  }

  /** A group or a condition of `filter`. */
  ofGroup(value: unknown, depth: number): Filter {
    if (typeof value !== 'object' || value === null) throw refused('filter: a group or a condition must be an object');
    const { and, or } = value as { and?: unknown; or?: unknown };
    const members = and ?? or;
    if (members === undefined) return this.ofCondition(value as Record<string, unknown>);
    if (!hasOnly(value, [and === undefined ? 'or' : 'and']) || !Array.isArray(members) || members.length === 0) {
      throw refused('filter: a group must be {"and": […]} or {"or": […]} with at least one condition');
    }
    if (depth > MAX_DEPTH) throw refused(`filter: nest groups up to ${MAX_DEPTH} levels deep`);
    return {
      kind: and === undefined ? 'or' : 'and',
      filters: members.map((member) => this.ofGroup(member, depth + 1)),
    };
  }

  private ofCondition(condition: Record<string, unknown>): Comparison {
    this.conditions += 1;
    if (this.conditions > MAX_CONDITIONS) throw refused(`filter: use up to ${MAX_CONDITIONS} conditions`);
    const { field: name, op = 'eq', value } = condition;
    if (typeof name !== 'string' || !hasOnly(condition, ['field', 'op', 'value'])) {
      throw refused('filter: a condition must have only field, op, and value');
    }
    const field = this.field(name, 'filter');
    if (!FILTER_OPERATORS.includes(op as FilterOperator)) {
      throw refused(`filter: ${name}: op must be one of ${FILTER_OPERATORS.join(', ')}`);
    }
    this.requireOperator(field, op as FilterOperator, 'filter');
    if (op === 'empty' || op === 'notEmpty') {
      if (value !== undefined) throw refused(`filter: ${name}: ${op} takes no value`);
      return { field, op, values: [], parameter: 'filter' };
    }
    return this.compare(field, op as FilterOperator, value, 'filter');
  }

  private field(name: string, parameter: string): StoredField | SystemField {
    const field = this.model.fieldsByName.get(name);
    if (field && this.plan.readable.has(name)) return field;
    const system = SYSTEM_FIELDS.get(name);
    if (!system) throw refused(`${parameter}: unknown field "${name}"`);
    return system;
  }

  private requireOperator(field: StoredField | SystemField, op: FilterOperator, parameter: string): void {
    const ofType = operatorsOf(field, this.valueType(field));
    const offered = 'isSystem' in field ? ofType.filter((name) => SYSTEM_OPERATORS[field.type].includes(name)) : ofType;
    if (offered.includes(op)) return;
    const known = offered.length === 0 ? 'none' : offered.join(', ');
    throw refused(`${parameter}: ${field.apiName}, which is of type ${field.type}, doesn't support ${op} (${known})`);
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
        throw refused(`${named}: in takes 1 to ${MAX_VALUES} values for ${field.apiName}`);
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
    return refused(`${parameter}: not a valid value for ${field.apiName}, which is of type ${field.type}`);
  }
}

/** A caller without a user is compared with nobody. */
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
