import { PlatformError } from '@crm/contracts';
import { foldForSearch } from '@crm/fields';
import { type CursorValueType, type ListPage, parsePage } from '@crm/http';
import { type CoreField, type CoreObjectDefinition, fieldNamed } from '../core-object/core-object.js';
import type { RecordListQuery } from './record.dto.js';
import { parseFieldValue } from './record.validation.js';

/** A list as it was asked for, with every name and value checked. */
export interface RecordQuery {
  /** Folded like the text it is looked for in. */
  readonly search?: string;
  readonly filter?: { readonly field: string; readonly value: unknown };
  readonly sort: { readonly field: string; readonly descending: boolean };
  readonly page: ListPage;
}

/** What a list can be sorted by besides the object's fields, with what a cursor holds of it. */
const HEAD_FIELDS: Readonly<Record<string, CursorValueType>> = {
  id: 'uuid',
  createdAt: 'date-time',
  updatedAt: 'date-time',
};

/** What a cursor holds of a field; a long text has no place in an address, so lists are not sorted by it. */
const CURSOR_TYPES: Readonly<Record<CoreField['type'], CursorValueType | null>> = {
  text: 'text',
  textarea: null,
  email: 'text',
  phone: 'text',
  url: 'text',
  picklist: 'text',
  number: 'number',
  date: 'date',
  datetime: 'date-time',
  reference: 'uuid',
  user: 'uuid',
};

/**
 * Reads the query parameters of a list.
 * @throws INVALID_QUERY for an unknown field or a value that does not fit
 */
export function parseRecordQuery(
  definition: CoreObjectDefinition,
  tenantId: string,
  parameters: RecordListQuery,
): RecordQuery {
  const { valueType, ...sort } = readSort(definition, parameters.sort);
  const filter = readFilter(definition, parameters);
  const search = (parameters.q && foldForSearch(storable('q', parameters.q))) || undefined;
  const page = parsePage(parameters, {
    tenantId,
    list: definition.object,
    sort: `${sort.descending ? '-' : ''}${sort.field}`,
    filter: [filter?.field ?? null, filter?.value ?? null, search ?? null],
    value: valueType,
  });
  return { search, filter, sort, page };
}

const invalid = (detail: string): PlatformError => new PlatformError('INVALID_QUERY', detail);

/** Postgres compares no text with U+0000. */
function storable(name: string, value: string): string {
  if (value.includes('\0')) throw invalid(`${name} holds a character that is not allowed.`);
  return value;
}

function readSort(
  definition: CoreObjectDefinition,
  sort = '-createdAt',
): RecordQuery['sort'] & { readonly valueType: CursorValueType } {
  const descending = sort.startsWith('-');
  const name = descending ? sort.slice(1) : sort;
  const field = fieldNamed(definition, name);
  if (!field && !Object.hasOwn(HEAD_FIELDS, name)) throw invalid('sort names no field.');
  const valueType = field ? CURSOR_TYPES[field.type] : HEAD_FIELDS[name];
  if (!valueType) throw invalid('sort names a long text.');
  return { field: name, descending, valueType };
}

function readFilter(
  definition: CoreObjectDefinition,
  { filterField, filterValue }: RecordListQuery,
): RecordQuery['filter'] | undefined {
  if (filterField === undefined && filterValue === undefined) return undefined;
  if (filterField === undefined || filterValue === undefined) throw invalid('filterField and filterValue go together.');
  const field = fieldNamed(definition, filterField);
  if (!field) throw invalid('filterField names no field.');
  const value = parseFieldValue(field, storable('filterValue', filterValue));
  if (value === undefined) throw invalid(`filterValue does not fit the field ${field.name}.`);
  return { field: field.name, value };
}
