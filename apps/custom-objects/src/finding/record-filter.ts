import { PlatformError } from '@crm/contracts';
import { type AccessPlan, type FieldDefinition, fieldTypes, normaliseOptions, slotValue } from '@crm/fields';
import {
  type BindParameter,
  type CheckedFormula,
  type EmittedSql,
  type EvaluationContext,
  emitSql,
  FormulaSqlError,
  formatInstant,
  parseDate,
  parseInstant,
  type SqlColumn,
  type ValueType,
} from '@crm/formula';
import { type StoredField } from '../object/object-definition.js';
import { type ObjectModel } from '../object/object-model.js';
import { slotText } from '../reading/record.js';

/** A condition on a record row: SQL and its own parameters, numbered from the first one that was free. */
export interface RowCondition {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** The field by which records are selected, when no index has it: each record is looked at. */
  readonly unindexedField?: string;
  /** The column whose index finds the records, in the order of their ids. */
  readonly slot?: string;
}

/**
 * Reads the options in a query text: a whole option, a JSON array of texts, or a comma-separated list unless an option
 * contains a comma. Validation refuses unknown options.
 */
export function chosenOptions(field: FieldDefinition, text: string): unknown {
  const options = normaliseOptions(field.options).map(({ value }) => value);
  if (options.includes(text)) return [text];
  if (text.startsWith('[')) return parsed(text);
  return options.some((option) => option.includes(',')) ? [text] : text.split(',');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Not an array either: refused like any text that is no option.
    return [text];
  }
}

/** The part of the query string that selects records. */
export interface RecordFilter {
  readonly q?: string;
  readonly filterField?: string;
  readonly filterValue?: string;
}

/**
 * Turns `filterField`/`filterValue` into conditions. A field that the caller cannot read is treated as unknown.
 * @param first number of the first free parameter
 * @throws INVALID_QUERY
 */
export function rowConditions(
  model: ObjectModel,
  plan: AccessPlan,
  request: RecordFilter,
  first: number,
  clock: EvaluationContext,
): RowCondition[] {
  if (request.filterField !== undefined) {
    const field = model.fieldsByName.get(request.filterField);
    if (!field || !plan.readable.has(field.apiName)) {
      throw new PlatformError('INVALID_QUERY', `filterField: there is no field ${request.filterField}`);
    }
    if (request.filterValue === undefined) {
      throw new PlatformError('INVALID_QUERY', 'filterField needs a filterValue');
    }
    const { filterValue } = request;
    return [
      field.type === 'formula'
        ? { ...formulaEquals(model, field, filterValue, first, clock), unindexedField: field.apiName }
        : equals(field, filterValue, first),
    ];
  }
  if (request.filterValue !== undefined) {
    throw new PlatformError('INVALID_QUERY', 'filterValue needs a filterField');
  }
  return [];
}

function equals(field: StoredField, text: string, first: number): RowCondition {
  const value = parseValue(field, text);
  if (fieldTypes.get(field.type)?.schema.type === 'array') {
    // The record's options contain all that were asked for.
    return {
      sql: `data->$${first}::text @> $${first + 1}::jsonb`,
      parameters: [String(field.key), JSON.stringify(value)],
      unindexedField: field.apiName,
    };
  }
  const slot = slotValue(field, value);
  const exact = { sql: `data->$N::text = $M::jsonb`, parameters: [String(field.key), JSON.stringify(value)] };
  const at = (sql: string, start: number) => sql.replace('$N', `$${start}`).replace('$M', `$${start + 1}`);
  if (field.slot === null || slot === null) {
    return { sql: at(exact.sql, first), parameters: exact.parameters, unindexedField: field.apiName };
  }
  const bySlot = `${field.slot} = $${first}`;
  const stored = slotText(slot.value);
  if (slot.exact) return { sql: bySlot, parameters: [stored], slot: field.slot };
  // The column holds a prefix of a long text: the index finds candidates, the data decides.
  return {
    sql: `${bySlot} AND ${at(exact.sql, first + 1)}`,
    parameters: [stored, ...exact.parameters],
    slot: field.slot,
  };
}

/** The canonical value of a query text, by the field's type. */
function parseValue(field: StoredField, text: string): unknown {
  const refuse = () =>
    new PlatformError('INVALID_QUERY', `filterValue: not a value of ${field.apiName}, which is of type ${field.type}`);
  const type = fieldTypes.get(field.type)!;
  let input: unknown = type.schema.type === 'array' ? chosenOptions(field, text) : text;
  if (['number', 'integer', 'boolean'].includes(type.schema.type)) {
    if (!/^(true|false|-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?)$/.test(text)) throw refuse();
    input = JSON.parse(/^-?0[0-9]/.test(text) ? String(Number(text)) : text);
  }
  const parsed = type.parse(input, field, {});
  if (!parsed.ok) throw refuse();
  return parsed.value;
}

interface Comparison {
  /** The query text as Postgres reads the value; null when it is not a value of the type. */
  read(text: string): string | null;
  /** Numbers compare as 15-digit decimals, text by code point, as in the language. */
  equals(sql: string, value: string): string;
}

const COMPARISONS: Readonly<Partial<Record<ValueType, Comparison>>> = {
  number: {
    read: (text) =>
      /^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text) && Number.isFinite(Number(text))
        ? String(Number(text))
        : null,
    equals: (sql, value) => `(${sql})::numeric = ${value}::text::float8::numeric`,
  },
  text: { read: (text) => text, equals: (sql, value) => `(${sql}) COLLATE "C" = ${value}::text` },
  boolean: {
    read: (text) => (text === 'true' || text === 'false' ? text : null),
    equals: (sql, value) => `(${sql}) = ${value}::text::boolean`,
  },
  date: {
    read: (text) => (parseDate(text) === null ? null : text),
    equals: (sql, value) => `(${sql}) = ${value}::text::date`,
  },
  datetime: {
    read: (text) => {
      const instant = parseInstant(text);
      // In UTC: Postgres does not read every offset that RFC 3339 allows.
      return instant === null ? null : formatInstant(instant);
    },
    equals: (sql, value) => `(${sql}) = ${value}::text::timestamptz`,
  },
};

/**
 * Compares a formula, emitted as SQL over the stored data, with a value. No index serves it.
 * @param first number of the first free parameter
 * @throws INVALID_QUERY when the text is not a value of the formula's type, or the formula is too large for one
 *   expression
 */
export function formulaEquals(
  model: ObjectModel,
  field: StoredField,
  text: string,
  first: number,
  clock: EvaluationContext,
): RowCondition {
  const formula = model.checkedFormulas.formulas.get(field.apiName);
  const comparison = formula && COMPARISONS[formula.resultType];
  const operand = comparison?.read(text) ?? null;
  if (!formula || !comparison || operand === null) {
    throw new PlatformError('INVALID_QUERY', `filterValue: not a value of ${field.apiName}`);
  }
  const emitted = expressionOf(model, formula, field.apiName, first, clock);
  const value = `$${first + emitted.parameters.length}`;
  return { sql: comparison.equals(emitted.sql, value), parameters: [...emitted.parameters, operand] };
}

function expressionOf(
  model: ObjectModel,
  formula: CheckedFormula,
  name: string,
  firstParameter: number,
  clock: EvaluationContext,
): EmittedSql {
  const columns = (column: string, bind: BindParameter): SqlColumn => storedColumn(model, column, bind);
  try {
    return emitSql(formula, columns, clock, {
      firstParameter,
      formula: (read) => model.checkedFormulas.formulas.get(read),
    });
  } catch (error) {
    // Computing values has no such limit: it goes step by step.
    if (error instanceof FormulaSqlError)
      throw new PlatformError('INVALID_QUERY', `filterField: ${name}: ${error.message}`);
    throw error;
  }
}

/** The canonical value of a plain field: in the data, by the field's key. */
function storedColumn(model: ObjectModel, name: string, bind: BindParameter): SqlColumn {
  const field = model.fieldsByName.get(name);
  const type = model.plainFieldTypes.get(name);
  if (!field || !type) throw new Error(`The formula reads ${name}, which is not a plain field`);
  const key = `${bind(String(field.key))}::text`;
  const casts: Partial<Record<ValueType, string>> = {
    text: `(data->>${key})`,
    number: `(data->>${key})::float8`,
    boolean: `(data->>${key})::boolean`,
    date: `(data->>${key})::date`,
    datetime: `(data->>${key})::timestamptz`,
    multi_select: `CASE WHEN jsonb_typeof(data->${key}) = 'array' THEN ARRAY(SELECT jsonb_array_elements_text(data->${key})) END`,
  };
  const sql = casts[type];
  if (sql === undefined) throw new Error(`A field of type ${type} has no column`);
  return { sql: `(${sql})`, type };
}
