import { PlatformError } from '@crm/contracts';
import { foldForSearch } from '@crm/fields';
import { parsePage } from '@crm/service-kit';
import { type CoreObjectDefinition, fieldNamed } from './core-object.js';
import { type CursorBinding, type Position, readCursor } from './record.cursor.js';
import type { RecordListQuery } from './record.dto.js';
import { parseFieldValue } from './record.validation.js';

/** A list as it was asked for, with every name and value checked. */
export interface RecordQuery {
  /** Folded like the text it is looked for in. */
  readonly search?: string;
  readonly filter?: { readonly field: string; readonly value: unknown };
  readonly sort: { readonly field: string; readonly descending: boolean };
  /** From 1; without meaning when `after` is set. */
  readonly page: number;
  readonly size: number;
  readonly after?: Position;
  readonly exactCount: boolean;
  readonly binding: CursorBinding;
}

/** Pages reach so far; what is behind is read by cursor, because skipping rows costs as much as reading them. */
const MAX_OFFSET = 100_000;
/** What a list can be sorted by besides the object's fields. */
const HEAD_FIELDS = ['id', 'createdAt', 'updatedAt'];

/**
 * Reads the query parameters of a list.
 * @throws INVALID_QUERY for an unknown field or a value that does not fit
 */
export function parseRecordQuery(
  definition: CoreObjectDefinition,
  tenantId: string,
  parameters: RecordListQuery,
): RecordQuery {
  const { page, size } = parsePage(parameters);
  if ((page - 1) * size > MAX_OFFSET) throw invalid(`page reaches ${MAX_OFFSET} records; go on with cursor.`);
  const sort = readSort(definition, parameters.sort);
  const filter = readFilter(definition, parameters);
  const search = (parameters.q && foldForSearch(storable('q', parameters.q))) || undefined;
  const binding: CursorBinding = {
    tenantId,
    object: definition.object,
    sort: `${sort.descending ? '-' : ''}${sort.field}`,
    filter: filter ? JSON.stringify([filter.field, filter.value]) : null,
    search: search ?? null,
  };
  const after = parameters.cursor ? readCursor(binding, parameters.cursor) : undefined;
  return { search, filter, sort, page, size, after, exactCount: parameters.count === 'exact', binding };
}

const invalid = (detail: string): PlatformError => new PlatformError('INVALID_QUERY', detail);

/** Postgres compares no text with U+0000. */
function storable(name: string, value: string): string {
  if (value.includes('\0')) throw invalid(`${name} holds a character that is not allowed.`);
  return value;
}

function readSort(definition: CoreObjectDefinition, sort = '-createdAt'): RecordQuery['sort'] {
  const descending = sort.startsWith('-');
  const field = descending ? sort.slice(1) : sort;
  if (!HEAD_FIELDS.includes(field) && !fieldNamed(definition, field)) throw invalid('sort names no field.');
  return { field, descending };
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
