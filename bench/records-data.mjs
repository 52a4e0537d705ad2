// The data of measurements of records: in the measured workspace an object with 20 fields, one of the same bytes without
// formulas, and leads; the same object in 32 workspaces; a few records in each of a thousand other tenants; and beside them
// plain tables with the same bytes for the bare server.
import { CORE_OBJECTS } from '@crm/contracts';
import { newId } from '@crm/database';
import { UNSET_SLOTS } from '@crm/fields';
import { setting } from './measure.mjs';

/** sql: the value, where `i` is the number of the record; slot: the column that carries the value for filters, or `inSlot`.
 * @typedef {{ apiName: string, type: string, sql: string, slot?: string | null, inSlot?: string, expression?: string }} Field */

/** The records of the measured workspace. */
export const RECORDS = setting('RECORDS', 100_000, 2000);
const OTHER_TENANTS = setting('OTHER_TENANTS', 1000, 10);
const RECORDS_OF_OTHERS = 20;
/** Further workspaces, with an object each. */
export const WORKSPACES = setting('WORKSPACES', 32);
/** A thousand workspaces have a hundred each: loading takes as long as that of 100,000 records. */
const RECORDS_OF_WORKSPACE = Math.max(100, Math.min(1000, Math.floor(32_000 / WORKSPACES)));
/** Records with the same value of the filtered field. */
const MATCHES = 40;
export const API_NAME = 'site_visit';
/** An object whose records have the same bytes but no formulas. */
export const PLAIN_API_NAME = 'plain_visit';
const PLAIN_RECORDS = 1000;
/** An object whose records have a text of 20 kB more. */
export const LONG_API_NAME = 'long_visit';
const LONG_RECORDS = 60;
const SIX = [1, 2, 3, 4, 5, 6];

const TEXT = { type: 'text', sql: `'Text number ' || i || ' of this record'` };
const NUMBER = { type: 'number', sql: '(i % 1000) + 0.25' };
const STAGE = `CASE WHEN i % 3 = 0 THEN 'done' ELSE 'planned' END`;

/** 20 stored fields, one of them hidden from whom measures. @type {Field[]} */
export const PLAIN_FIELDS = Object.entries({
  code: { type: 'text', indexed: true, slot: 's1', sql: `'C' || (i / ${MATCHES})` },
  ...Object.fromEntries(SIX.map((index) => [`text_${index}`, TEXT])),
  secret: { ...TEXT, readRoles: ['auditor'] },
  ...Object.fromEntries(SIX.map((index) => [`number_${index}`, NUMBER])),
  visited_on: { type: 'date', sql: `to_char(date '2026-01-01' + (i % 365), 'YYYY-MM-DD')` },
  done: { type: 'checkbox', sql: 'i % 2 = 0' },
  stage: { type: 'picklist', options: ['planned', 'done'], sql: STAGE },
  mail: { type: 'email', sql: `'visitor' || i || '@example.com'` },
  total: { type: 'number', sql: `(${NUMBER.sql}) * (${NUMBER.sql})` },
  summary: { type: 'text', sql: `${TEXT.sql} || ' (' || ${STAGE} || ')'` },
}).map(([apiName, field]) => ({ apiName, label: apiName, ...field }));

const LONG_TEXT = `(SELECT string_agg(md5(i || '/' || part), '') FROM generate_series(1, 625) part)`;
const LONG_FIELD = { apiName: 'notes', label: 'notes', type: 'textarea', sql: LONG_TEXT };

/** @type {Readonly<Record<string, string>>} */
const FORMULAS = { total: 'number_1 * number_2', summary: 'CONCAT(text_1, " (", stage, ")")' };

/** The same, with two formulas in place of what the last two store. @type {Field[]} */
const FIELDS = PLAIN_FIELDS.map((field) => {
  const expression = FORMULAS[field.apiName];
  return expression === undefined ? field : { ...field, type: 'formula', expression };
});

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
const LEAD_VALUES = {
  firstName: `'Ada'`,
  lastName: `'Lovelace ' || i`,
  email: `'lead' || i || '@example.com'`,
  phone: `'+49 30 ' || (1000000 + i)`,
  companyName: `'Company number ' || (i / ${MATCHES})`,
  status: `CASE WHEN i % 3 = 0 THEN 'contacted' ELSE 'new' END`,
  source: `'web'`,
};

/** The fields of a standard object that have values or a column, which no record leaves empty.
 * @param {import('@crm/contracts').StandardObject} object @param {Readonly<Record<string, string>>} values */
const fieldsOf = (object, values) =>
  Object.entries(object.fields).flatMap(([apiName, { key, slot, type }]) => {
    const sql = values[apiName] ?? 'NULL';
    const inSlot = type === 'date' ? `(${sql} || 'T00:00:00Z')::timestamptz` : sql;
    const isText = !['number', 'date', 'datetime', 'reference'].includes(type);
    return slot || values[apiName] ? [{ key, apiName, slot, sql, inSlot, type: isText ? 'text' : type }] : [];
  });
const LEAD_FIELDS = fieldsOf(LEAD, LEAD_VALUES);

/** A lead as the body of a request that creates it. @param {number} turn */
export const newLead = (turn) => ({
  firstName: 'Ada',
  lastName: `Lovelace ${turn}`,
  email: `lead${turn}@example.com`,
  phone: `+49 30 ${1_000_000 + turn}`,
  companyName: `Company number ${turn}`,
  status: 'new',
  source: 'web',
});

/** A lead as events hold it, with every field. @param {number} turn */
export function storedLead(turn) {
  const now = new Date().toISOString();
  const address = { street: null, postalCode: null, city: null, region: null, country: null };
  const unconverted = { convertedContactId: null, convertedCompanyId: null, convertedOpportunityId: null };
  const unset = { jobTitle: null, website: null, ...address, description: null, ...unconverted };
  return { id: newId(), version: 1, createdAt: now, updatedAt: now, ...newLead(turn), ownerId: newId(), ...unset };
}

/** @param {import('pg').Pool} admin @param {string} tenantId the measured workspace */
export async function fill(admin, tenantId) {
  const { objectId, fields } = await makeObject(admin, tenantId, API_NAME, FIELDS, RECORDS);
  await makeObject(admin, tenantId, PLAIN_API_NAME, PLAIN_FIELDS, PLAIN_RECORDS);
  const long = await makeObject(admin, tenantId, LONG_API_NAME, [...PLAIN_FIELDS, LONG_FIELD], LONG_RECORDS);
  const hot = await admin.query('SELECT id FROM custom_record WHERE object_id = $1 LIMIT 1', [long.objectId]);
  const workspaces = Array.from({ length: WORKSPACES }, newId);
  for (const workspace of workspaces) await makeObject(admin, workspace, API_NAME, FIELDS, RECORDS_OF_WORKSPACE);
  await insert(
    admin,
    fields,
    `SELECT md5('tenant' || t)::uuid AS tenant, md5('object' || t)::uuid AS object, i
       FROM generate_series(1, ${OTHER_TENANTS}) t, generate_series(1, ${RECORDS_OF_OTHERS}) i`,
  );
  await insert(admin, LEAD_FIELDS, series(tenantId, LEAD.id, RECORDS));
  // What a read of the record answers, so that both send the same bytes.
  const visible = fields.filter(({ apiName }) => apiName !== 'secret');
  await copyForBare(admin, 'bare_record', 's1', visible, tenantId, objectId);
  await copyForBare(admin, 'bare_lead', 's4', LEAD_FIELDS, tenantId, LEAD.id);
  await admin.query(`
    CREATE TABLE bare_search AS
    SELECT s.tenant_id, s.object_id, s.id, s.text, b.body FROM record_search s LEFT JOIN bare_lead b USING (id);
    CREATE INDEX ON bare_search (tenant_id, object_id, id);
    CREATE INDEX ON bare_search USING gin (text gin_trgm_ops)`);
  await admin.query('VACUUM ANALYZE');
  const sample = async (/** @type {string} */ table) => {
    const { rows } = await admin.query(`SELECT id, stage FROM ${table} ORDER BY random() LIMIT 5000`);
    return { ids: rows.map(({ id }) => String(id)), filters: rows.map(({ stage }) => String(stage)) };
  };
  const { rows } = await admin.query(
    `SELECT tenant_id AS tenant, array_agg(id) AS ids, array_agg(DISTINCT s1) AS filters
       FROM custom_record WHERE tenant_id = ANY($1) GROUP BY 1`,
    [workspaces],
  );
  return {
    records: await sample('bare_record'),
    leads: await sample('bare_lead'),
    hot: String(hot.rows[0].id),
    workspaces: /** @type {{ tenant: string, ids: string[], filters: string[] }[]} */ (rows),
  };
}

/** @param {string} tenant @param {string} object @param {number} count */
const series = (tenant, object, count) =>
  `SELECT '${tenant}'::uuid AS tenant, '${object}'::uuid AS object, i FROM generate_series(1, ${count}) i`;

/** @param {import('pg').Pool} admin @param {string} tenantId @param {string} apiName @param {readonly Field[]} declared @param {number} count of its records */
async function makeObject(admin, tenantId, apiName, declared, count) {
  const objectId = newId();
  await admin.query(
    `INSERT INTO custom_object (tenant_id, id, installation_id, app_key, sandbox, declared_api_name, api_name, label, plural_label)
     VALUES ($1, $2, $3, 'bench', false, $4, $4, 'Visit', 'Visits')`,
    [tenantId, objectId, newId(), apiName],
  );
  const fields = declared.map((field, index) => ({ ...field, key: index + 1 }));
  await admin.query(
    `INSERT INTO custom_field (tenant_id, id, object_id, api_name, position, key, slot, definition)
     SELECT $1, gen_random_uuid(), $2, field->>'apiName', (field->>'key')::int - 1, (field->>'key')::int, field->>'slot', field - '{key,slot,sql}'::text[]
       FROM jsonb_array_elements($3) field`,
    [tenantId, objectId, JSON.stringify(fields)],
  );
  await insert(admin, fields, series(tenantId, objectId, count));
  return { objectId, fields };
}

/** Leads of the measured workspace and of a hundred others, and beside them a table with the same bytes. No texts: nothing is searched.
 * @param {import('pg').Pool} admin @param {string} tenantId */
export async function fillFound(admin, tenantId) {
  const fields = fieldsOf(LEAD, { ...LEAD_VALUES, phone: `CASE WHEN i % 3 > 0 THEN ${LEAD_VALUES.phone} END` });
  const others = `SELECT md5('tenant' || t)::uuid, '${LEAD.id}'::uuid, i FROM generate_series(1, 100) t, generate_series(1, ${RECORDS / 1000}) i`;
  await insert(admin, fields, `${series(tenantId, LEAD.id, RECORDS)} UNION ALL ${others}`, false);
  await copyForBare(admin, 'bare_found', 's4', fields, tenantId, LEAD.id);
  const columns = { last_name: 'lastName', company: 'companyName', status: 'status', phone: 'phone' };
  await addColumns(admin, 'bare_found', columns);
  await admin.query('VACUUM ANALYZE');
}

/** With an index each. @param {import('pg').Pool} admin @param {string} table @param {Readonly<Record<string, string>>} columns members of a body */
async function addColumns(admin, table, columns) {
  const named = Object.entries(columns);
  await admin.query(
    `ALTER TABLE ${table} ${named.map(([name, field]) => `ADD COLUMN ${name} text COLLATE "C" GENERATED ALWAYS AS (body->>'${field}') STORED`).join(', ')}`,
  );
  for (const [name] of named) await admin.query(`CREATE INDEX ON ${table} (${name}, id)`);
}

/** The id of a record, by its number. @param {string} object @param {string} i */
const idOf = (object, i) =>
  `('0199aa00-' || lpad(to_hex(${i} / 65536), 4, '0') || '-7' || lpad(to_hex(${i} % 4096), 3, '0') || '-8000-' || substr(md5(tenant::text || ${object} || ${i}), 1, 12))::uuid`;

/** What is searched of a field: of a phone number its digits too. @param {Field & { key: number }} field */
const textOf = ({ apiName, key }) =>
  `data->>'${key}'${apiName === 'phone' ? `, regexp_replace(data->>'${key}', '[^0-9]', '', 'g')` : ''}`;

/** Deals of the measured workspace, 300 an owner and 40 a company, their companies and as many leads, all with their texts.
 * @param {import('pg').Pool} admin @param {string} tenantId @returns {Promise<import('./found-forms.mjs').Sample[]>} */
export async function fillDeals(admin, tenantId) {
  const { company, opportunity } = CORE_OBJECTS;
  const companies = Math.ceil(RECORDS / MATCHES);
  const ofCompany = fieldsOf(company, { name: `'Company number ' || i`, industry: `'Engineering'`, city: `'London'` });
  const ofDeal = fieldsOf(opportunity, {
    name: `'Deal number ' || i`,
    amount: '(i % 1000) + 0.25',
    currency: `(ARRAY['EUR', 'USD', 'GBP'])[i % 3 + 1]`,
    stage: `(ARRAY['qualification', 'discovery', 'proposal', 'negotiation', 'won', 'lost'])[i % 7 % 6 + 1]`,
    status: `CASE WHEN i % 7 % 6 < 4 THEN 'open' WHEN i % 7 = 4 THEN 'won' ELSE 'lost' END`,
    closeDate: `(current_date + i % 731 - 365)::text`,
    companyId: `${idOf(`'${company.id}'`, `(i % ${companies} + 1)`)}::text`,
    ownerId: `md5('owner' || i % ${Math.ceil(RECORDS / 300)})::uuid::text`,
  });
  await insert(admin, LEAD_FIELDS, series(tenantId, LEAD.id, RECORDS));
  await insert(admin, ofCompany, series(tenantId, company.id, companies));
  await insert(admin, ofDeal, series(tenantId, opportunity.id, RECORDS));
  await copyForBare(admin, 'bare_company', 's1', ofCompany, tenantId, company.id);
  await copyForBare(admin, 'bare_deal', 's3', ofDeal, tenantId, opportunity.id);
  const columns = { owner: 'ownerId', company: 'companyId', currency: 'currency', close_date: 'closeDate' };
  await addColumns(admin, 'bare_deal', columns);
  await admin.query(`
    ALTER TABLE bare_deal ADD COLUMN amount numeric GENERATED ALWAYS AS ((body->>'amount')::numeric) STORED;
    CREATE INDEX ON bare_deal (stage, currency) INCLUDE (amount);
    CREATE TABLE bare_hit AS SELECT id, text, object_id::text AS object, left(text, 20) AS title, left(text, 30) AS matched FROM record_search;
    ALTER TABLE bare_hit ADD PRIMARY KEY (id);
    CREATE INDEX ON bare_hit USING gin (text gin_trgm_ops)`);
  await admin.query('VACUUM ANALYZE');
  const some = `SELECT id, owner, ${RECORDS / 2} + (random() * ${RECORDS / 2 - 1})::int AS lead FROM bare_deal ORDER BY random() LIMIT 1000`;
  return (await admin.query(some)).rows;
}

/** Records with what is searched in them.
 * @param {import('pg').Pool} admin @param {readonly (Field & { key: number })[]} fields
 * @param {string} rows a query that gives tenant, object and i, the number of the record @param {boolean} [isSearched] */
async function insert(admin, fields, rows, isSearched = true) {
  const stored = fields.filter(({ type }) => type !== 'formula');
  const slotted = stored.filter(({ slot }) => slot);
  const searched = stored.filter(
    ({ apiName, type }) => apiName !== 'secret' && ['text', 'picklist', 'email'].includes(type),
  );
  const records = `
     INSERT INTO custom_record (tenant_id, object_id, id, version, data, created_at, updated_at, ${slotted.map(({ slot }) => slot).join(', ')})
     SELECT tenant, object, ${idOf('object', 'i')},
            1, jsonb_strip_nulls(jsonb_build_object(${stored.map(({ key, sql }) => `'${key}', ${sql}`).join(', ')})), now(), now(),
            ${slotted.map(({ sql, slot, inSlot = sql }) => `coalesce(${inSlot}, '${UNSET_SLOTS[slot?.startsWith('s') ? 'text' : 'number']}')`).join(', ')}
       FROM (${rows}) AS series`;
  if (!isSearched) return void (await admin.query(records));
  await admin.query(
    `WITH inserted AS (${records}
     RETURNING tenant_id, object_id, id, data)
     INSERT INTO record_search (tenant_id, object_id, id, audience, text)
     SELECT tenant_id, object_id, id, '', lower(concat_ws(' ', ${searched.map(textOf).join(', ')})) FROM inserted`,
  );
}

/** @param {import('pg').Pool} admin @param {string} table @param {string} slot of the field by which lists are filtered
 * @param {readonly (Field & { key: number })[]} fields of a body @param {string} tenantId @param {string} objectId */
async function copyForBare(admin, table, slot, fields, tenantId, objectId) {
  const members = fields.map(({ key, apiName, type }) =>
    type === 'formula' ? `'${apiName}', 'Text number 1234 (planned)'` : `'${apiName}', data->'${key}'`,
  );
  await admin.query(`
    CREATE TABLE ${table}_key (key text PRIMARY KEY, id uuid NOT NULL);
    CREATE TABLE ${table} (id uuid PRIMARY KEY, stage text NOT NULL, body jsonb NOT NULL);
    INSERT INTO ${table}
    SELECT id, ${slot}, jsonb_build_object('id', id, 'version', version, 'createdAt', created_at, 'updatedAt', updated_at, ${members.join(', ')})
      FROM custom_record WHERE tenant_id = '${tenantId}' AND object_id = '${objectId}';
    CREATE INDEX ON ${table} (stage, id)`);
}
