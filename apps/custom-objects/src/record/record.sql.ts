import type { RowCondition } from './row-condition.js';

// Every statement names the tenant, although row-level security would do: then one partition is read.

/** A time as the API writes it: cut to milliseconds, as a Date would be. */
const isoText = (column: string): string =>
  `to_char(date_trunc('milliseconds', ${column}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const COLUMNS = `id, version, data, ${isoText('created_at')} AS "createdAt", ${isoText('updated_at')} AS "updatedAt"`;

/** One statement and one round trip, by a function that sets the tenant. $1: tenant, $2: object, $3: record. */
export const READ_RECORD = {
  name: 'read_record',
  text: `SELECT revision, version, data, created_at AS "createdAt", updated_at AS "updatedAt" FROM read_record($1, $2, $3)`,
};

const SLOT_NAME = /^[snt][1-8]$/;

/** Slot names come from our own rows; nothing else gets into the text of a statement all the same. */
function slotColumn(name: string): string {
  if (!SLOT_NAME.test(name)) throw new Error(`${name} is not a slot`);
  return name;
}

const matching = (conditions: readonly RowCondition[]): string =>
  ['tenant_id = $1 AND object_id = $2 AND deleted_at IS NULL', ...conditions.map(({ sql }) => sql)].join(' AND ');

/** $1: tenant, $2: object, $3: record. */
export const FIND_RECORD = `
  SELECT ${COLUMNS} FROM custom_record WHERE tenant_id = $1 AND object_id = $2 AND id = $3 AND deleted_at IS NULL`;

/** $1: tenant, $2: object, $3: record. */
export const LOCK_RECORD = `${FIND_RECORD} FOR UPDATE`;

/** $1: tenant, $2: object, $3: ids. */
export const LIST_EXISTING_IDS = `
  SELECT id FROM custom_record
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[]) AND deleted_at IS NULL`;

/** $1: tenant, $2: object, $3: record, $4: time. */
export const MARK_RECORD_DELETED = `
  UPDATE custom_record SET deleted_at = $4, updated_at = $4, version = version + 1
   WHERE tenant_id = $1 AND object_id = $2 AND id = $3`;

/**
 * Newest first: ids are UUIDv7, so their order is the order of creation. $1: tenant, $2: object, from $3: the parameters of
 * the conditions, then limit and offset.
 * @param parameterCount of all parameters
 */
export const listRecords = (conditions: readonly RowCondition[], parameterCount: number): string => `
  SELECT ${COLUMNS} FROM custom_record WHERE ${matching(conditions)}
   ORDER BY id DESC LIMIT $${parameterCount - 1} OFFSET $${parameterCount}`;

/** Like `listRecords`, after a record: its id stands before the limit, and there is no offset. */
export const listRecordsAfter = (conditions: readonly RowCondition[], parameterCount: number): string => `
  SELECT ${COLUMNS} FROM custom_record WHERE ${matching(conditions)} AND id < $${parameterCount - 1}
   ORDER BY id DESC LIMIT $${parameterCount}`;

/**
 * A page and the number of all records that match, from one snapshot: at least one row, whose id is null when the page has
 * no record. The last parameter limits how far is counted; null counts all.
 * @param page the statement of the page, with all parameters but the last
 * @param parameterCount of all parameters
 */
export const withCount = (page: string, conditions: readonly RowCondition[], parameterCount: number): string => `
  SELECT counted.count, page.*
    FROM (SELECT count(*)::int AS count
            FROM (SELECT 1 FROM custom_record WHERE ${matching(conditions)} LIMIT $${parameterCount}) AS matching) AS counted
    LEFT JOIN (${page}) AS page ON true
   ORDER BY page.id DESC`;

/** $1: tenant, $2: object, $3: record, $4: version, $5: data, $6: search text, $7: time, $8: user, from $9: the slots. */
export const insertRecord = (slots: readonly string[]): string => `
  INSERT INTO custom_record (tenant_id, object_id, id, version, data, search_text, created_at, updated_at, created_by
                             ${slots.map((name) => `, ${slotColumn(name)}`).join('')})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8${slots.map((_, index) => `, $${index + 9}`).join('')})`;

/** $1: tenant, $2: object, $3: record, $4: version, $5: data, $6: search text, $7: time, from $8: the slots. */
export const updateRecord = (slots: readonly string[]): string => `
  UPDATE custom_record SET version = $4, data = $5, search_text = $6, updated_at = $7
         ${slots.map((name, index) => `, ${slotColumn(name)} = $${index + 8}`).join('')}
   WHERE tenant_id = $1 AND object_id = $2 AND id = $3`;
