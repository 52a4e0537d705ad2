import type { Position } from '@crm/http';
import { type CoreObjectDefinition, columnName } from '../core-object/core-object.js';
import type { RecordQuery } from './record.query.js';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Columns of a record under their JSON names. A date is read as text: as a JavaScript Date it would get a zone. */
export function selectList(definition: CoreObjectDefinition): string {
  const fields = definition.fields.map(
    (field) => `${columnName(field.name)}${field.type === 'date' ? '::text' : ''} AS "${field.name}"`,
  );
  return ['id', 'version', 'created_at AS "createdAt"', 'updated_at AS "updatedAt"', ...fields].join(', ');
}

/** Collects the parameters of a statement while its text is put together. */
class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/**
 * The statements of a list: its page, one row longer than asked so that the caller sees whether there is more, and its
 * count, which stops where the page says.
 */
export function listSql(definition: CoreObjectDefinition, query: RecordQuery): { page: Statement; count: Statement } {
  const counted = new Parameters();
  const countWhere = whereClause(conditions(query, counted));
  const { after, limit, offset, countLimit } = query.page;
  const count =
    countLimit === null
      ? `SELECT count(*) AS total FROM ${definition.object}${countWhere}`
      : `SELECT count(*) AS total FROM (SELECT 1 FROM ${definition.object}${countWhere} LIMIT ${countLimit}) AS counted`;

  const paged = new Parameters();
  const pageConditions = conditions(query, paged);
  if (after) pageConditions.push(afterPosition(query, after, paged));
  const column = columnName(query.sort.field);
  const direction = query.sort.descending ? 'DESC' : 'ASC';
  // Both keys run in one direction and nulls stand where Postgres puts them, so that one index serves both directions.
  const order = column === 'id' ? `id ${direction}` : `${column} ${direction}, id ${direction}`;
  const page = `SELECT ${selectList(definition)} FROM ${definition.object}${whereClause(pageConditions)}
    ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`;

  return { page: { sql: page, parameters: paged.values }, count: { sql: count, parameters: counted.values } };
}

const whereClause = (parts: readonly string[]): string => (parts.length > 0 ? ` WHERE ${parts.join(' AND ')}` : '');

function conditions(query: RecordQuery, parameters: Parameters): string[] {
  const parts: string[] = [];
  if (query.filter) parts.push(`${columnName(query.filter.field)} = ${parameters.add(query.filter.value)}`);
  if (query.search) {
    parts.push(`search_text LIKE ${parameters.add(`%${query.search.replace(/[\\%_]/g, '\\$&')}%`)}`);
  }
  return parts;
}

/** What comes after a position in the list's order: ascending with nulls last, descending with nulls first. */
function afterPosition(query: RecordQuery, { value, id }: Position, parameters: Parameters): string {
  const column = columnName(query.sort.field);
  const beyond = query.sort.descending ? '<' : '>';
  const idBeyond = `id ${beyond} ${parameters.add(id)}`;
  if (column === 'id') return idBeyond;
  if (value === null) {
    const sameNull = `${column} IS NULL AND ${idBeyond}`;
    return query.sort.descending ? `((${sameNull}) OR ${column} IS NOT NULL)` : `(${sameNull})`;
  }
  const place = parameters.add(value);
  const nullsLast = query.sort.descending ? '' : ` OR ${column} IS NULL`;
  return `(${column} ${beyond} ${place} OR (${column} = ${place} AND ${idBeyond})${nullsLast})`;
}
