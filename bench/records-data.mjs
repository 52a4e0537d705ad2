// The data of measurements of records: in the measured workspace an object with 20 fields, one of the same bytes without
// formulas, and leads; the same object in 32 workspaces; a few records in each of a thousand other tenants; and beside them
// plain tables with the same bytes for the bare server.
import { CORE_OBJECTS } from '@crm/contracts';
import { newId } from '@crm/database';
import { setting } from './lab.mjs';

/** @typedef {{ apiName: string, label: string, type: string, expression?: string }} Field */
/** @typedef {Field & { key: number, slot: string | null }} StoredField */

/** Of the measured workspace. */
export const RECORDS = setting('RECORDS', 100_000, 2000);
const OTHER_TENANTS = setting('OTHER_TENANTS', 1000, 10);
const RECORDS_OF_OTHERS = 20;
const WORKSPACES = 32;
const RECORDS_OF_WORKSPACE = 1000;
/** Records with the same value of the filtered field. */
const MATCHES = 40;
export const API_NAME = 'site_visit';
/** An object whose records have the same bytes but no formulas, which are stored texts and numbers there. */
export const PLAIN_API_NAME = 'plain_visit';
const PLAIN_RECORDS = 1000;
const SIX = [1, 2, 3, 4, 5, 6];

/** 18 stored fields, one of them hidden from whom measures, and 2 formulas. @type {Field[]} */
export const FIELDS = [
  { apiName: 'code', type: 'text', indexed: true },
  ...SIX.map((index) => ({ apiName: `text_${index}`, type: 'text' })),
  { apiName: 'secret', type: 'text', readRoles: ['auditor'] },
  ...SIX.map((index) => ({ apiName: `number_${index}`, type: 'number' })),
  { apiName: 'visited_on', type: 'date' },
  { apiName: 'done', type: 'checkbox' },
  { apiName: 'stage', type: 'picklist', options: ['planned', 'done'] },
  { apiName: 'mail', type: 'email' },
  { apiName: 'total', type: 'formula', expression: 'number_1 * number_2' },
  { apiName: 'summary', type: 'formula', expression: 'CONCAT(text_1, " (", stage, ")")' },
].map((field) => ({ label: field.apiName, ...field }));

/** Value of a field, in SQL, by its type; `i` is the number of the record. @type {Record<string, string>} */
const VALUES = {
  text: `'Text number ' || i || ' of this record'`,
  number: `(i % 1000) + 0.25`,
  date: `to_char(date '2026-01-01' + (i % 365), 'YYYY-MM-DD')`,
  checkbox: `i % 2 = 0`,
  picklist: `CASE WHEN i % 3 = 0 THEN 'done' ELSE 'planned' END`,
  email: `'visitor' || i || '@example.com'`,
};
const TEXTS = ['text', 'picklist', 'email'];

/** @param {{ apiName: string, type: string }} field that is stored */
export const sqlOf = ({ apiName, type }) => (apiName === 'code' ? `'C' || (i / ${MATCHES})` : String(VALUES[type]));

/** A record as the body of a request that creates it. @param {number} turn */
export const newRecord = (turn) => ({
  code: `N${turn}`,
  ...Object.fromEntries(SIX.map((index) => [`text_${index}`, `Text number ${turn} of this record`])),
  ...Object.fromEntries(SIX.map((index) => [`number_${index}`, turn % 1000])),
  visited_on: '2026-05-04',
  done: true,
  stage: 'planned',
  mail: `visitor${turn}@example.com`,
});

const LEAD = CORE_OBJECTS.lead;
/** Fields of a lead, as they stand in stored records, with their values. */
const LEAD_FIELDS = Object.entries({
  firstName: `'Ada'`,
  lastName: `'Lovelace ' || i`,
  email: `'lead' || i || '@example.com'`,
  phone: `'+49 30 ' || (1000000 + i)`,
  companyName: `'Company number ' || (i / 10)`,
  status: `CASE WHEN i % 3 = 0 THEN 'contacted' ELSE 'new' END`,
  source: `'S' || (i / ${MATCHES})`,
}).map(([apiName, sql]) => {
  const { key, slot } = LEAD.fields[/** @type {keyof typeof LEAD.fields} */ (apiName)];
  return { key, apiName, slot, sql };
});

/** A lead as the body of a request that creates it. @param {number} turn */
export const newLead = (turn) => ({
  firstName: 'Ada',
  lastName: `Lovelace ${turn}`,
  email: `lead${turn}@example.com`,
  phone: `+49 30 ${1_000_000 + turn}`,
  companyName: `Company number ${turn}`,
  status: 'new',
  source: `N${turn}`,
});

/** A lead as events hold it, with every field. @param {number} turn */
export function storedLead(turn) {
  const now = new Date().toISOString();
  return { id: newId(), version: 1, createdAt: now, updatedAt: now, ...newLead(turn), ownerId: newId() };
}

/** @param {import('pg').Pool} admin @param {string} tenantId the measured workspace */
export async function fill(admin, tenantId) {
  const { objectId, fields } = await defineObject(admin, tenantId, API_NAME, FIELDS);
  const plain = await defineObject(admin, tenantId, PLAIN_API_NAME, FIELDS.map(withoutFormula));
  await insert(admin, plain.fields, series(tenantId, plain.objectId, PLAIN_RECORDS));
  await insert(admin, fields, series(tenantId, objectId, RECORDS));
  const workspaces = Array.from({ length: WORKSPACES }, newId);
  for (const workspace of workspaces) {
    const own = await defineObject(admin, workspace, API_NAME, FIELDS);
    await insert(admin, own.fields, series(workspace, own.objectId, RECORDS_OF_WORKSPACE));
  }
  await insert(
    admin,
    fields,
    `SELECT md5('tenant' || t)::uuid AS tenant, md5('object' || t)::uuid AS object, i
       FROM generate_series(1, ${OTHER_TENANTS}) t, generate_series(1, ${RECORDS_OF_OTHERS}) i`,
  );
  await insert(admin, LEAD_FIELDS, series(tenantId, LEAD.id, RECORDS));
  // What a read of the record answers, so that both send the same bytes.
  const visible = fields.filter(({ apiName }) => apiName !== 'secret');
  const members = visible.map(({ key, apiName, type }) =>
    type === 'formula' ? `'${apiName}', 'Text number 1234 (planned)'` : `'${apiName}', data->'${key}'`,
  );
  const leadMembers = LEAD_FIELDS.map(({ key, apiName }) => `'${apiName}', data->'${key}'`);
  await copyForBare(admin, 'bare_record', 's1', members, tenantId, objectId);
  await copyForBare(admin, 'bare_lead', 's6', [...leadMembers, `'ownerId', NULL`], tenantId, LEAD.id);
  await admin.query('VACUUM ANALYZE');
  const sample = async (/** @type {string} */ table) => {
    const { rows } = await admin.query(`SELECT id, stage FROM ${table} ORDER BY random() LIMIT 5000`);
    return { ids: rows.map(({ id }) => String(id)), filters: rows.map(({ stage }) => String(stage)) };
  };
  const { rows } = await admin.query(
    'SELECT tenant_id AS tenant, array_agg(id) AS ids FROM custom_record WHERE tenant_id = ANY($1) GROUP BY 1',
    [workspaces],
  );
  return {
    records: await sample('bare_record'),
    leads: await sample('bare_lead'),
    workspaces: /** @type {{ tenant: string, ids: string[] }[]} */ (rows),
  };
}

/** @param {string} tenant @param {string} object @param {number} count */
const series = (tenant, object, count) =>
  `SELECT '${tenant}'::uuid AS tenant, '${object}'::uuid AS object, i FROM generate_series(1, ${count}) i`;

/** A field that stores what the formula gives. @param {Field} field */
const withoutFormula = ({ expression, ...field }) =>
  expression === undefined ? field : { ...field, type: field.apiName === 'total' ? 'number' : 'text' };

/** The column that carries the value of a field for filters. @param {Field} field */
const slotOf = ({ apiName }) => (apiName === 'code' ? 's1' : null);

/** @param {import('pg').Pool} admin @param {string} tenantId @param {string} apiName @param {readonly Field[]} declared */
async function defineObject(admin, tenantId, apiName, declared) {
  const objectId = newId();
  await admin.query(
    `INSERT INTO custom_object (tenant_id, id, installation_id, app_key, sandbox, declared_api_name, api_name, label, plural_label)
     VALUES ($1, $2, $3, 'bench', false, $4, $4, 'Visit', 'Visits')`,
    [tenantId, objectId, newId(), apiName],
  );
  const fields = declared.map((field, index) => ({ ...field, key: index + 1, slot: slotOf(field) }));
  await admin.query(
    `INSERT INTO custom_field (tenant_id, id, object_id, api_name, position, key, slot, definition)
     SELECT $1, gen_random_uuid(), $2, field->>'apiName', (field->>'key')::int - 1, (field->>'key')::int, field->>'slot', field - '{key,slot}'::text[]
       FROM jsonb_array_elements($3) field`,
    [tenantId, objectId, JSON.stringify(fields)],
  );
  return { objectId, fields };
}

/** Records with what is searched in them.
 * @param {import('pg').Pool} admin @param {readonly { key: number, apiName: string, slot: string | null, type?: string, sql?: string }[]} fields
 * @param {string} rows a query that gives tenant, object and i, the number of the record
 */
async function insert(admin, fields, rows) {
  const stored = fields.flatMap(({ type = 'text', sql, ...field }) =>
    type === 'formula' ? [] : [{ ...field, type, sql: sql ?? sqlOf({ ...field, type }) }],
  );
  const slotted = stored.filter(({ slot }) => slot !== null);
  const searched = stored.filter(({ apiName, type }) => apiName !== 'secret' && TEXTS.includes(type));
  await admin.query(
    `WITH inserted AS (
     INSERT INTO custom_record (tenant_id, object_id, id, version, data, created_at, updated_at, ${slotted.map(({ slot }) => slot).join(', ')})
     SELECT tenant, object, ('0199aa00-' || lpad(to_hex(i / 65536), 4, '0') || '-7' || lpad(to_hex(i % 4096), 3, '0') || '-8000-' || substr(md5(tenant::text || object || i), 1, 12))::uuid,
            1, jsonb_build_object(${stored.map(({ key, sql }) => `'${key}', ${sql}`).join(', ')}), now(), now(),
            ${slotted.map(({ sql }) => sql).join(', ')}
       FROM (${rows}) AS series
     RETURNING tenant_id, object_id, id, data)
     INSERT INTO record_search (tenant_id, object_id, id, audience, text)
     SELECT tenant_id, object_id, id, '', lower(concat_ws(' ', ${searched.map(({ key }) => `data->>'${key}'`).join(', ')})) FROM inserted`,
  );
}

/** @param {import('pg').Pool} admin @param {string} table @param {string} slot of the field by which lists are filtered
 * @param {readonly string[]} members of a body, in SQL @param {string} tenantId @param {string} objectId */
async function copyForBare(admin, table, slot, members, tenantId, objectId) {
  await admin.query(`CREATE TABLE ${table} (id uuid PRIMARY KEY, stage text NOT NULL, body jsonb NOT NULL)`);
  await admin.query(
    `INSERT INTO ${table}
     SELECT id, ${slot}, jsonb_build_object('id', id, 'version', version, 'createdAt', created_at, 'updatedAt', updated_at, ${members.join(', ')})
       FROM custom_record WHERE tenant_id = $1 AND object_id = $2`,
    [tenantId, objectId],
  );
  await admin.query(`CREATE INDEX ON ${table} (stage, id)`);
}
