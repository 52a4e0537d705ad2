import { PlatformError } from '@crm/contracts';
import {
  type BindParameter,
  type CheckedFormula,
  type EmittedSql,
  type EvaluationContext,
  emitSql,
  FormulaSqlError,
  parseDate,
  parseInstant,
  type SqlColumn,
  type ValueType,
} from '@crm/formula';
import type { StoredField } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';
import { type RowCondition } from './record-list.repository.js';

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
    read: (text) => (parseInstant(text) === null ? null : text),
    equals: (sql, value) => `(${sql}) = ${value}::text::timestamptz`,
  },
};

/**
 * The condition that a computed field has a value: the formula as SQL over the stored data, without an index.
 * @param first number of the first free parameter
 * @throws INVALID_QUERY when the text is not a value of the formula's type, or when the formula with all that it reads is
 *   too large for one expression
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
