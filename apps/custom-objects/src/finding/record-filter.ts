import { PlatformError } from '@crm/contracts';
import { type AccessPlan, type FieldDefinition, fieldTypes, normaliseOptions, slotValue } from '@crm/fields';
import type { EvaluationContext } from '@crm/formula';
import type { StoredField } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';
import { formulaEquals } from './formula-condition.js';
import type { RowCondition } from './record-list.repository.js';

/**
 * The options that a query text names: one when the whole text is an option, several as a JSON array of texts. Options
 * without commas may also be separated by commas, unless an option of the field contains one.
 * @returns for validation as a value of the field; what is not an option is refused there
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

/** Field types whose query text is read as JSON before it is parsed. */
const JSON_TYPES: ReadonlySet<string> = new Set(['number', 'currency', 'percent', 'checkbox']);

/**
 * Turns `filterField`/`filterValue` into conditions.
 * @param plan the caller's; a field that they cannot read is treated like one that does not exist
 * @param first number of the first free parameter
 * @param clock the request's instant and zone, for formulas
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
  if (field.type === 'multi_select') {
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
  if (slot.exact) return { sql: bySlot, parameters: [slot.value] };
  // The column holds a prefix of a long text: the index finds candidates, the data decides.
  return { sql: `${bySlot} AND ${at(exact.sql, first + 1)}`, parameters: [slot.value, ...exact.parameters] };
}

/** The canonical value of a query text, by the field's type. */
function parseValue(field: StoredField, text: string): unknown {
  const refuse = () =>
    new PlatformError('INVALID_QUERY', `filterValue: not a value of ${field.apiName}, which is of type ${field.type}`);
  let input: unknown = field.type === 'multi_select' ? chosenOptions(field, text) : text;
  if (JSON_TYPES.has(field.type)) {
    if (!/^(true|false|-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?)$/.test(text)) throw refuse();
    input = JSON.parse(/^-?0[0-9]/.test(text) ? String(Number(text)) : text);
  }
  const parsed = fieldTypes.get(field.type)?.parse(input, field, {});
  if (!parsed?.ok) throw refuse();
  return parsed.value;
}
