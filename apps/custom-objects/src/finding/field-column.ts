import { PlatformError } from '@crm/contracts';
import { fieldTypes, SLOT_TEXT_LENGTH, type SlotKind } from '@crm/fields';
import {
  type BindParameter,
  type EvaluationContext,
  emitSql,
  FormulaSqlError,
  type SqlColumn,
  type ValueType,
} from '@crm/formula';
import type { StoredField } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';
import { unsetSlotOf } from '../reading/record.js';

/** Numbers the parameters of a part of a statement. */
export class Parameters {
  readonly values: unknown[] = [];

  /** @param first number of the first free parameter */
  constructor(readonly first: number) {}

  /** @returns the placeholder */
  readonly bind = (value: unknown): string => {
    this.values.push(value);
    return `$${this.first + this.values.length - 1}`;
  };
}

/** What lists are filtered and sorted by: an expression over a record's row that compares like the values of the field. */
export interface FieldColumn {
  readonly sql: string;
  /** What a parameter is cast to; numbers of formulas compare as decimals of 15 digits. */
  readonly sqlType: 'text' | 'float8' | 'timestamptz' | 'boolean' | 'date' | 'uuid';
  readonly isDecimal?: true;
  /** True for records without a value; null where each has one. */
  readonly isUnset: string | null;
  /** What comes after every value and records without one have; null where they have none. */
  readonly unset: string | null;
  /** The whole text, of which `sql` may have a part. */
  readonly text: string;
}

const SLOT_TYPES: Readonly<Record<SlotKind, 'text' | 'float8' | 'timestamptz'>> = {
  text: 'text',
  number: 'float8',
  time: 'timestamptz',
};

/** The field's column, or what the column would contain; of a field whose type has one. */
export function slotExpression(field: StoredField): string {
  return field.slot ?? `coalesce(${dataExpression(field)}, '${unsetSlotOf(field)}')`;
}

function dataExpression({ key, type: name }: StoredField): string {
  const { slotKind, formulaType } = fieldTypes.get(name)!;
  const value = `(data->>'${key}')`;
  if (formulaType === 'boolean') return `${value}::boolean::integer::float8`;
  if (formulaType === 'date') return `(${value} || 'T00:00:00Z')::timestamptz`;
  if (slotKind === 'text') return `left(${value}, ${SLOT_TEXT_LENGTH}) COLLATE "C"`;
  return `${value}::${SLOT_TYPES[slotKind!]}`;
}

/** @param field a plain field whose type has a column */
export function plainColumn(field: StoredField): FieldColumn {
  const sql = slotExpression(field);
  const unset = unsetSlotOf(field);
  const sqlType = SLOT_TYPES[fieldTypes.get(field.type)!.slotKind!];
  return { sql, sqlType, unset, isUnset: `${sql} = '${unset}'`, text: `(data->>'${field.key}')` };
}

const FORMULA_TYPES: Readonly<Partial<Record<ValueType, FieldColumn['sqlType']>>> = {
  number: 'float8',
  text: 'text',
  boolean: 'boolean',
  date: 'date',
  datetime: 'timestamptz',
};

/**
 * A formula as SQL over the stored data. No index has it.
 * @throws INVALID_QUERY when the formula is too large for one expression
 */
export function formulaColumn(
  model: ObjectModel,
  field: StoredField,
  parameters: Parameters,
  clock: EvaluationContext,
  parameter: string,
): FieldColumn {
  const formula = model.checkedFormula(field.apiName);
  const sqlType = formula && FORMULA_TYPES[formula.resultType];
  if (!formula || !sqlType) throw new Error(`The formula ${field.apiName} is not comparable`);
  const columns = (column: string, bind: BindParameter): SqlColumn => storedColumn(model, column, bind);
  try {
    const { sql, parameters: values } = emitSql(formula, columns, clock, {
      firstParameter: parameters.first + parameters.values.length,
      formula: (read) => model.checkedFormula(read),
    });
    parameters.values.push(...values);
    const isUnset = `(${sql}) IS NULL`;
    if (sqlType === 'float8')
      return { sql: `(${sql})::numeric`, sqlType, isDecimal: true, unset: null, isUnset, text: sql };
    return {
      sql: sqlType === 'text' ? `(${sql}) COLLATE "C"` : `(${sql})`,
      sqlType,
      unset: null,
      isUnset,
      text: `(${sql})`,
    };
  } catch (error) {
    // Computing values has no such limit: it goes step by step.
    if (error instanceof FormulaSqlError)
      throw new PlatformError('INVALID_QUERY', `${parameter}: ${field.apiName}: ${error.message}`);
    throw error;
  }
}

/** The canonical value of a plain field: in the data, by the field's key. */
function storedColumn(model: ObjectModel, name: string, bind: BindParameter): SqlColumn {
  const field = model.fieldsByName.get(name);
  const type = field && fieldTypes.get(field.type)?.formulaType;
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

/** A parameter as the column compares it. */
export const scalarParameter = ({ sqlType, isDecimal }: FieldColumn, placeholder: string): string =>
  `${placeholder}::${sqlType}${isDecimal ? '::numeric' : ''}`;

/** A parameter that is an array. */
export const arrayParameter = ({ sqlType, isDecimal }: FieldColumn, placeholder: string): string =>
  `${placeholder}::${sqlType}[]${isDecimal ? '::numeric[]' : ''}`;
