import { TENANT_OF_STATEMENT } from '@crm/database';
import type { SortExpression } from './record-sort.js';
import type { RowCondition } from './row-condition.js';

// Every statement names the tenant, although row-level security would do: a condition that the planner knows begins every index.

/** Unix time in milliseconds. In floating point, which is several times faster than the numeric that `extract` returns. */
const milliseconds = (column: string): string => `floor(date_part('epoch', ${column}) * 1000 + 0.5)`;

const COLUMNS = `id, version, data, ${milliseconds('created_at')} AS "createdAt", ${milliseconds('updated_at')} AS "updatedAt"`;

const SLOT_NAME = /^[snt][1-8]$/;
/** Types of the slots by their first letters. */
const SLOT_TYPES: Readonly<Record<string, string>> = { s: 'text', n: 'float8', t: 'timestamptz' };

/** Slot names come from our own rows; nothing else gets into the text of a statement all the same. */
function slotColumn(name: string): string {
  if (!SLOT_NAME.test(name)) throw new Error(`${name} is not a slot`);
  return name;
}

/**
 * What is written of records, a row for each: `id`, `at`, a third column and the slots come in arrays, the data as one JSON
 * array (`DATA`), because in an array of Postgres each of its quotes would have to be escaped. It is no function in FROM
 * either, of which the planner would expect a hundred rows and read the whole object. $3: ids, $4: times, $5: the third
 * column, $6: data, from $7: the slots.
 */
function written(third: string, type: string, slots: readonly string[]): string {
  const arrays = slots.map((name, index) => `, $${7 + index}::${SLOT_TYPES[name.charAt(0)]}[]`).join('');
  return `unnest($3::uuid[], $4::timestamptz[], $5::${type}[]${arrays}) WITH ORDINALITY
      AS written (id, at, ${third}${slots.map((name) => `, ${name}`).join('')}, number)`;
}

const DATA = '$6::jsonb -> (written.number::integer - 1)';

/** $1: tenant, $2: object, $3: record. */
export const FIND_RECORD = `
  SELECT ${COLUMNS} FROM custom_record WHERE tenant_id = $1 AND object_id = $2 AND id = $3 AND deleted_at IS NULL`;

/** For a change; a record that refers to it can be written meanwhile. $1: tenant, $2: object, $3: record. */
export const LOCK_RECORD = `${FIND_RECORD} FOR NO KEY UPDATE`;

/** Those of the records that nobody else has locked: nothing is waited for. $1: tenant, $2: object, $3: records. */
export const LOCK_FREE_RECORDS = `
  SELECT ${COLUMNS} FROM custom_record
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[]) AND deleted_at IS NULL
   ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`;

/** Against deletion too, and against new references. In the order in which all transactions lock. $1: tenant, $2: object, $3: records. */
export const LOCK_RECORDS_FOR_DELETION = `
  SELECT ${COLUMNS} FROM custom_record
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[]) AND deleted_at IS NULL ORDER BY id FOR UPDATE`;

/** $1: tenant, $2: object, $3: records, $4: time. */
export const MARK_RECORDS_DELETED = `
  UPDATE custom_record SET deleted_at = $4, updated_at = greatest(updated_at, $4::timestamptz), version = version + 1
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[])`;

/** Unsets fields. $1: tenant, $2: object, $3: records, $4: time, $5: keys of the fields. */
export const unsetFields = (slots: readonly string[]): string => `
  UPDATE custom_record SET data = data - $5::text[], updated_at = greatest(updated_at, $4::timestamptz), version = version + 1
         ${slots.map((name) => `, ${slotColumn(name)} = NULL`).join('')}
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[])`;

/** The definition's revision as the statement sees it; null when there is no such object. */
const REVISION = `
  LEFT JOIN LATERAL (SELECT revision FROM custom_object
                      WHERE tenant_id = $1::uuid AND tenant.id IS NOT NULL AND id = $2 AND state = 'active' OFFSET 0) AS object ON true`;

/** One row: the revision, and the record, whose id is null when there is none. $1: tenant, $2: object, $3: record. */
export const READ_RECORD = `
  SELECT object.revision, record.*
    FROM ${TENANT_OF_STATEMENT} ${REVISION}
    LEFT JOIN LATERAL (SELECT ${COLUMNS} FROM custom_record
                        WHERE tenant_id = $1::uuid AND tenant.id IS NOT NULL AND object_id = $2 AND id = $3
                          AND deleted_at IS NULL OFFSET 0) AS record ON true`;

/**
 * Records in one row of two texts, null when there is none: it costs the server and the driver less than a row for each.
 * `heads` has the id, version and times of each, parted by spaces, and commas between the records; `data` has their data as
 * JSON, with commas too.
 * @param records a query that selects COLUMNS
 */
const inTexts = (records: string): string => `
    LEFT JOIN LATERAL (SELECT string_agg(concat_ws(' ', id, version, "createdAt", "updatedAt"), ',') AS heads,
                              string_agg(data::text, ',') AS data
                         FROM (${records}) AS records) AS page ON true`;

/** One row: the revision, and those of the records that there are. $1: tenant, $2: object, $3: records. */
export const READ_RECORDS = `
  SELECT object.revision, page.heads, page.data
    FROM ${TENANT_OF_STATEMENT} ${REVISION} ${inTexts(`
      SELECT ${COLUMNS} FROM custom_record
       WHERE tenant_id = $1::uuid AND tenant.id IS NOT NULL AND object_id = $2 AND id = ANY ($3::uuid[])
         AND deleted_at IS NULL OFFSET 0`)}`;

export interface ListShape {
  readonly descending: boolean;
  /** What the records are ordered by before their ids; null when the id alone decides. */
  readonly by: Pick<SortExpression, 'sql' | 'sqlType' | 'isNullable'> | null;
  /**
   * What the list begins after: its first parameters after those of the conditions. `id`: a record, or one without a value
   * of the order; `value`: a value of the order and a record. Null for the beginning, with an offset after the limit.
   */
  readonly after: 'id' | 'value' | null;
  /** Whether all matches are counted too, up to a limit that is the last parameter; null counts all. */
  readonly counted: boolean;
}

/**
 * Records in an order in which those without a value come last: one row with the revision, the count, and the records.
 * $1: tenant, $2: object, from $3: the parameters of the conditions.
 */
export function listRecords(conditions: readonly RowCondition[], shape: ListShape): string {
  const first = 3 + conditions.reduce((sum, { parameters }) => sum + parameters.length, 0);
  const where = [
    'tenant_id = $1::uuid AND tenant.id IS NOT NULL AND object_id = $2 AND deleted_at IS NULL',
    ...conditions.map(({ sql }) => sql),
  ].join(' AND ');
  const { page, last } = pageOf(where, first, shape);
  const count = `
    LEFT JOIN LATERAL (SELECT count(*)::int AS count
                         FROM (SELECT 1 FROM custom_record WHERE ${where} LIMIT $${last + 1}) AS matching) AS counted ON true`;
  return `
  SELECT object.revision, ${shape.counted ? 'counted.count, ' : ''}page.heads, page.data
    FROM ${TENANT_OF_STATEMENT} ${REVISION} ${shape.counted ? count : ''} ${inTexts(page)}`;
}

/** The records of a page, in its order, and the number of its last parameter. */
function pageOf(where: string, first: number, { by, descending, after }: ListShape) {
  const direction = descending ? 'DESC' : 'ASC';
  const beyond = descending ? '<' : '>';
  const last = first + (after === 'value' ? 2 : 1);
  const select = (condition: string, order: string, limit: string) =>
    `SELECT ${COLUMNS} FROM custom_record WHERE ${where}${condition} ORDER BY ${order} ${limit}`;
  const limit = after ? `LIMIT $${last}` : `LIMIT $${first} OFFSET $${first + 1}`;
  if (!by) {
    const position = after ? ` AND id ${beyond} $${first}` : '';
    return { page: select(position, `id ${direction}`, limit), last };
  }

  const { sql, sqlType, isNullable } = by;
  const byValue = `${sql} ${direction}, id ${direction}`;
  const byId = `id ${direction}`;
  if (after === 'id') return { page: select(` AND ${sql} IS NULL AND id ${beyond} $${first}`, byId, limit), last };
  const position = after ? ` AND (${sql}, id) ${beyond} ($${first}::${sqlType}, $${first + 1}::uuid)` : '';
  if (!isNullable) return { page: select(position, byValue, limit), last };
  // Two parts, each in the order of an index; the second is read only as far as the first does not fill the page.
  const upTo = after ? `LIMIT $${last}` : `LIMIT $${first}::bigint + $${first + 1}::bigint`;
  const parts = `
      SELECT * FROM ((${select(` AND ${sql} IS NOT NULL${position}`, byValue, upTo)})
           UNION ALL (${select(` AND ${sql} IS NULL`, byId, upTo)})) AS parts ${limit}`;
  return { page: parts, last };
}

/** New records. $1: tenant, $2: object, $5: users; the others as in `written`. */
export function insertRecords(slots: readonly string[]): string {
  const columns = slots.map((name) => `, ${slotColumn(name)}`).join('');
  return `
  INSERT INTO custom_record (tenant_id, object_id, id, version, data, created_at, updated_at, created_by${columns})
  SELECT $1, $2, id, 1, ${DATA}, at, at, by${columns}
    FROM ${written('by', 'uuid', slots)}`;
}

/** Locked records. $1: tenant, $2: object, $5: versions; the others as in `written`. */
export function updateRecords(slots: readonly string[]): string {
  return `
  UPDATE custom_record AS stored SET version = written.version, data = ${DATA}, updated_at = written.at
         ${slots.map((name) => `, ${slotColumn(name)} = written.${name}`).join('')}
    FROM ${written('version', 'integer', slots)}
   WHERE stored.tenant_id = $1 AND stored.object_id = $2 AND stored.id = written.id`;
}
