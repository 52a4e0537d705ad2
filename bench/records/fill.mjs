// The data of the measurement: one object with 20 fields, many of its records in the measured tenant and a few in each
// of a thousand other tenants, and beside them a plain table with the same bytes for the bare server.
import pg from 'pg';
import { builtFile, inRoot } from '../../scripts/root.mjs';
import { PASSWORD } from '../processes.mjs';
import { fillLeads } from './leads.mjs';

const OTHER_TENANTS = 1000;
const RECORDS_OF_OTHERS = 20;
/** Records with the same value of the filtered field. */
export const MATCHES = 40;
export const API_NAME = 'site_visit';
/** An object whose records have the same bytes but no formulas, which are stored texts and numbers there. */
export const PLAIN_API_NAME = 'plain_visit';
const PLAIN_RECORDS = 1000;

const text = (/** @type {number} */ index) => ({ apiName: `text_${index}`, type: 'text' });
const number = (/** @type {number} */ index) => ({ apiName: `number_${index}`, type: 'number' });
/** 18 stored fields, one of them hidden from whom measures, and 2 formulas. */
export const FIELDS = [
  { apiName: 'code', type: 'text', indexed: true },
  ...[1, 2, 3, 4, 5, 6].map(text),
  { apiName: 'secret', type: 'text', readRoles: ['auditor'] },
  ...[1, 2, 3, 4, 5, 6].map(number),
  { apiName: 'visited_on', type: 'date' },
  { apiName: 'done', type: 'checkbox' },
  { apiName: 'stage', type: 'picklist', options: ['planned', 'done'] },
  { apiName: 'mail', type: 'email' },
  { apiName: 'total', type: 'formula', expression: 'number_1 * number_2' },
  { apiName: 'summary', type: 'formula', expression: 'CONCAT(text_1, " (", stage, ")")' },
].map((field) => ({ label: field.apiName, ...field }));

/**
 * @param {string} adminUrl of the server
 * @param {string} tenantId
 * @param {number} records of the measured tenant
 * @returns {Promise<{ runtimeUrl: string, narrowUrl: string, bareUrl: string, ids: string[], codes: string[], leads: { ids: string[], sources: string[] } }>}
 */
export async function fill(adminUrl, tenantId, records) {
  /** @type {typeof import('../../libs/database/src/index.js')} */
  const { newId, provisionDatabase, runMigrations } = await import(builtFile('libs/database'));
  /** @type {typeof import('../../libs/contracts/src/index.js')} */
  const { DATABASES } = await import(builtFile('libs/contracts'));
  /** @type {typeof import('../../apps/custom-objects/src/migrations/index.js')} */
  const { migrations } = await import(inRoot('apps/custom-objects/dist/migrations/index.js'));
  const passwords = { owner: PASSWORD, runtime: PASSWORD, narrow: PASSWORD };
  const urls = await provisionDatabase({ adminUrl, definition: DATABASES['custom-objects'], passwords });
  await runMigrations({ ownerUrl: urls.ownerUrl, migrations });
  const inDatabase = new URL(adminUrl);
  inDatabase.pathname = new URL(urls.runtimeUrl).pathname;
  const admin = new pg.Client({ connectionString: inDatabase.href });
  await admin.connect();
  try {
    const define = (/** @type {string} */ apiName, /** @type {readonly Field[]} */ fields) =>
      defineObject(admin, newId, tenantId, apiName, fields);
    const { objectId, fields } = await define(API_NAME, FIELDS);
    const plain = await define(PLAIN_API_NAME, FIELDS.map(withoutFormula));
    await insertRecords(
      admin,
      plain.fields,
      `SELECT $1::uuid AS tenant, $2::uuid AS object, i FROM generate_series(1, ${PLAIN_RECORDS}) i`,
      [tenantId, plain.objectId],
    );
    await insertRecords(
      admin,
      fields,
      `SELECT $1::uuid AS tenant, $2::uuid AS object, i FROM generate_series(1, ${records}) i`,
      [tenantId, objectId],
    );
    await insertRecords(
      admin,
      fields,
      `SELECT md5('tenant' || t)::uuid AS tenant, md5('object' || t)::uuid AS object, i
         FROM generate_series(1, ${OTHER_TENANTS}) t, generate_series(1, ${RECORDS_OF_OTHERS}) i`,
      [],
    );
    await admin.query('CREATE TABLE bare_record (id uuid PRIMARY KEY, stage text NOT NULL, body jsonb NOT NULL)');
    // What a read of the record answers, so that both send the same bytes.
    await admin.query(
      `INSERT INTO bare_record SELECT id, s1, ${bareBody(fields)} FROM custom_record WHERE tenant_id = $1 AND object_id = $2`,
      [tenantId, objectId],
    );
    await admin.query('CREATE INDEX ON bare_record (stage, id)');
    const leads = await fillLeads(admin, tenantId, records);
    await admin.query('VACUUM ANALYZE');
    const { rows } = await admin.query(
      `SELECT id, s1 FROM custom_record WHERE tenant_id = $1 AND object_id = $2 ORDER BY random() LIMIT 5000`,
      [tenantId, objectId],
    );
    return {
      runtimeUrl: urls.runtimeUrl,
      narrowUrl: urls.narrowUrl,
      bareUrl: inDatabase.href,
      ids: rows.map(({ id }) => id),
      codes: rows.map(({ s1 }) => s1),
      leads,
    };
  } finally {
    await admin.end();
  }
}

/** @typedef {{ apiName: string, label: string, type: string, expression?: string }} Field */

/** A field that stores what the formula gives. */
const withoutFormula = (/** @type {Field} */ { expression, ...field }) =>
  expression === undefined ? field : { ...field, type: field.apiName === 'total' ? 'number' : 'text' };

/**
 * @param {pg.Client} admin
 * @param {() => string} newId
 * @param {string} tenantId
 * @param {string} apiName
 * @param {readonly Field[]} declared
 */
async function defineObject(admin, newId, tenantId, apiName, declared) {
  const objectId = newId();
  const fields = declared.map((field, position) => ({
    ...field,
    id: newId(),
    position,
    key: position + 1,
    slot: field.apiName === 'code' ? 's1' : null,
  }));
  await admin.query(
    `INSERT INTO custom_object (tenant_id, id, installation_id, app_key, sandbox, declared_api_name, api_name, label, plural_label)
     VALUES ($1, $2, $3, 'bench', false, $4, $4, 'Visit', 'Visits')`,
    [tenantId, objectId, newId(), apiName],
  );
  for (const { id, position, key, slot, ...definition } of fields) {
    await admin.query(
      `INSERT INTO custom_field (tenant_id, id, object_id, api_name, position, key, slot, definition)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [tenantId, id, objectId, definition.apiName, position, key, slot, JSON.stringify(definition)],
    );
  }
  return { objectId, fields };
}

/** @type {Record<string, string>} value of a field, in SQL, by its type; `i` is the number of the record */
const VALUES = {
  text: `'Text number ' || i || ' of this record'`,
  number: `(i % 1000) + 0.25`,
  date: `to_char(date '2026-01-01' + (i % 365), 'YYYY-MM-DD')`,
  checkbox: `i % 2 = 0`,
  picklist: `CASE WHEN i % 3 = 0 THEN 'done' ELSE 'planned' END`,
  email: `'visitor' || i || '@example.com'`,
};
const TEXTS = new Set(['text', 'picklist', 'email']);
const CODE = `'C' || (i / ${MATCHES})`;

/** The value of a stored field, in SQL; `i` is the number of the record. */
export const sqlOf = (/** @type {{ apiName: string, type: string }} */ field) =>
  field.apiName === 'code' ? CODE : /** @type {string} */ (VALUES[field.type]);

/**
 * @param {pg.Client} admin
 * @param {readonly { key: number, apiName: string, type: string, slot: string | null }[]} fields
 * @param {string} series rows with tenant, object and i
 * @param {readonly unknown[]} parameters
 */
async function insertRecords(admin, fields, series, parameters) {
  const stored = fields.filter(({ type }) => type !== 'formula');
  const slotted = stored.filter(({ slot }) => slot !== null);
  const searched = stored.filter(({ apiName, type }) => apiName !== 'secret' && TEXTS.has(type));
  const cast = (/** @type {string} */ slot) =>
    slot.startsWith('n') ? '::float8' : slot.startsWith('t') ? '::timestamptz' : '';
  await admin.query(
    `WITH inserted AS (
     INSERT INTO custom_record (tenant_id, object_id, id, version, data, created_at, updated_at, ${slotted.map(({ slot }) => slot).join(', ')})
     SELECT tenant, object, ('0199aa00-' || lpad(to_hex(i / 65536), 4, '0') || '-7' || lpad(to_hex(i % 4096), 3, '0') || '-8000-' || substr(md5(tenant::text || i), 1, 12))::uuid,
            1, jsonb_build_object(${stored.map((field) => `'${field.key}', ${sqlOf(field)}`).join(', ')}),
            now(), now(),
            ${slotted.map((field) => `(${field.type === 'checkbox' ? `CASE WHEN ${sqlOf(field)} THEN 'true' ELSE 'false' END` : sqlOf(field)})${cast(/** @type {string} */ (field.slot))}`).join(', ')}
       FROM (${series}) AS series
     RETURNING tenant_id, object_id, id, data)
     INSERT INTO record_search (tenant_id, object_id, id, audience, text)
     SELECT tenant_id, object_id, id, '', lower(concat_ws(' ', ${searched.map(({ key }) => `data->>'${key}'`).join(', ')})) FROM inserted`,
    /** @type {unknown[]} */ (parameters),
  );
}

const bareBody = (/** @type {readonly { key: number, apiName: string, type: string }[]} */ fields) =>
  `jsonb_build_object('id', id, 'version', version, 'createdAt', created_at, 'updatedAt', updated_at, ${fields
    .filter(({ apiName }) => apiName !== 'secret')
    .map(({ key, apiName, type }) =>
      type === 'formula' ? `'${apiName}', 'Text number 1234 (planned)'` : `'${apiName}', data->'${key}'`,
    )
    .join(', ')})`;

/** A record as the body of a request that creates it. */
export const newRecord = (/** @type {number} */ turn) => ({
  code: `N${turn}`,
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((index) => [`text_${index}`, `Text number ${turn} of this record`])),
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((index) => [`number_${index}`, turn % 1000])),
  visited_on: '2026-05-04',
  done: true,
  stage: 'planned',
  mail: `visitor${turn}@example.com`,
});
