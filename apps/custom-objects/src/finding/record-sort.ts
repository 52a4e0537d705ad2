import { PlatformError } from '@crm/contracts';
import { type AccessPlan, type FieldType, fieldTypes, SLOT_TEXT_LENGTH, type SlotKind, slotValue } from '@crm/fields';
import { type CursorValueType, idPosition, type Position } from '@crm/http';
import type { StoredField } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';
import { type StoredRecord, slotText, unsetSlotOf } from '../reading/record.js';

/** The order of a list; equal values are ordered by id, in the same direction, and records without a value come last. */
export interface RecordSort {
  /** As a cursor is bound to it. */
  readonly name: string;
  readonly descending: boolean;
  /** The expression that precedes the id in the order; null to order by the id alone. */
  readonly by: SortExpression | null;
  positionOf(record: StoredRecord): Position;
}

export interface SortExpression {
  /** Refers to the columns of the record only, so it can stand in the text of a statement. */
  readonly sql: string;
  readonly valueType: CursorValueType;
  /** Type that a parameter is cast to for the comparison. */
  readonly sqlType: 'text' | 'float8' | 'timestamptz';
  /** What comes after every value: records without one have it. Null where each record has a value. */
  readonly unset: string | null;
  /** Whether an index has the records in this order. */
  readonly isIndexed: boolean;
}

/** Ids are UUIDv7: their order is the order of creation. */
const BY_ID: ReadonlySet<string> = new Set(['id', 'createdAt']);

const UPDATED_AT: SortExpression = {
  sql: 'updated_at',
  valueType: 'date-time',
  sqlType: 'timestamptz',
  unset: null,
  isIndexed: false,
};

const KINDS: Readonly<Record<SlotKind, Pick<SortExpression, 'valueType' | 'sqlType'>>> = {
  text: { valueType: 'text', sqlType: 'text' },
  number: { valueType: 'number', sqlType: 'float8' },
  time: { valueType: 'date-time', sqlType: 'timestamptz' },
};

/**
 * @param sort a field name, `id`, `createdAt` or `updatedAt`; a leading `-` means descending
 * @throws INVALID_QUERY, also for a field that the caller cannot read
 */
export function parseSort(model: ObjectModel, plan: AccessPlan, sort = '-createdAt'): RecordSort {
  const descending = sort.startsWith('-');
  const name = descending ? sort.slice(1) : sort;
  if (BY_ID.has(name)) return { name: sort, descending, by: null, positionOf: idPosition };
  if (name === 'updatedAt') {
    const positionOf = ({ id, updatedAt }: StoredRecord): Position => ({ id, value: updatedAt });
    return { name: sort, descending, by: UPDATED_AT, positionOf };
  }
  const field = model.fieldsByName.get(name);
  if (!field || !plan.readable.has(name)) throw new PlatformError('INVALID_QUERY', `sort: there is no field ${name}`);
  const type = fieldTypes.get(field.type);
  if (!type?.slotKind) {
    throw new PlatformError(
      'INVALID_QUERY',
      `sort: a list cannot be sorted by ${name}, which is of type ${field.type}`,
    );
  }
  const positionOf = ({ id, data }: StoredRecord): Position => {
    const stored = slotValue(field, data[field.key]);
    return { id, value: stored && slotText(stored.value) };
  };
  const by = {
    ...KINDS[type.slotKind],
    sql: expressionOf(field, type),
    unset: unsetSlotOf(field),
    isIndexed: field.slot !== null,
  };
  return { name: sort, descending, by, positionOf };
}

/** The field's column, or what the column would contain. */
function expressionOf(field: StoredField, type: FieldType): string {
  return field.slot ?? `coalesce(${dataExpressionOf(field, type)}, '${unsetSlotOf(field)}')`;
}

function dataExpressionOf({ key }: StoredField, { slotKind, formulaType }: FieldType): string {
  const value = `(data->>'${key}')`;
  if (formulaType === 'boolean') return `${value}::boolean::integer::float8`;
  if (formulaType === 'date') return `(${value} || 'T00:00:00Z')::timestamptz`;
  if (slotKind === 'text') return `left(${value}, ${SLOT_TEXT_LENGTH}) COLLATE "C"`;
  return `${value}::${KINDS[slotKind!].sqlType}`;
}
