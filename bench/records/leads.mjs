// Leads of the measured tenant, and beside them a plain table with the same bytes for the bare server.

/** The object's id and the keys and slots of its fields, as they stand in stored records (`lead.object.ts`). */
const LEAD = '00000000-0000-7000-8000-000000000001';
const FIELDS = [
  { key: 1, apiName: 'firstName', sql: `'Ada'` },
  { key: 2, apiName: 'lastName', slot: 's1', sql: `'Lovelace ' || i` },
  { key: 3, apiName: 'email', slot: 's2', sql: `'lead' || i || '@example.com'` },
  { key: 4, apiName: 'phone', slot: 's3', sql: `'+49 30 ' || (1000000 + i)` },
  { key: 5, apiName: 'companyName', slot: 's4', sql: `'Company number ' || (i / 10)` },
  { key: 6, apiName: 'status', slot: 's5', sql: `CASE WHEN i % 3 = 0 THEN 'contacted' ELSE 'new' END` },
  { key: 7, apiName: 'source', slot: 's6', sql: `'S' || (i / 40)` },
];

/**
 * @param {import('pg').Client} admin
 * @param {string} tenantId
 * @param {number} leads
 * @returns {Promise<{ ids: string[], sources: string[] }>} some of them
 */
export async function fillLeads(admin, tenantId, leads) {
  const slotted = FIELDS.filter(({ slot }) => slot !== undefined);
  await admin.query(
    `WITH inserted AS (
     INSERT INTO custom_record (tenant_id, object_id, id, version, data, created_at, updated_at, ${slotted.map(({ slot }) => slot).join(', ')})
     SELECT $1, '${LEAD}', ('0199aa00-' || lpad(to_hex(i / 65536), 4, '0') || '-7' || lpad(to_hex(i % 4096), 3, '0') || '-8000-' || substr(md5('lead' || i), 1, 12))::uuid,
            1, jsonb_build_object(${FIELDS.map(({ key, sql }) => `'${key}', ${sql}`).join(', ')}), now(), now(),
            ${slotted.map(({ sql }) => sql).join(', ')}
       FROM generate_series(1, ${leads}) i
     RETURNING tenant_id, object_id, id, data)
     INSERT INTO record_search (tenant_id, object_id, id, audience, text)
     SELECT tenant_id, object_id, id, '', lower(concat_ws(' ', ${FIELDS.map(({ key }) => `data->>'${key}'`).join(', ')})) FROM inserted`,
    [tenantId],
  );
  await admin.query('CREATE TABLE bare_lead (id uuid PRIMARY KEY, stage text NOT NULL, body jsonb NOT NULL)');
  const members = FIELDS.map(({ key, apiName }) => `'${apiName}', data->'${key}'`).join(', ');
  await admin.query(
    `INSERT INTO bare_lead
     SELECT id, s6, jsonb_build_object('id', id, 'version', version, 'createdAt', created_at, 'updatedAt', updated_at, ${members}, 'ownerId', NULL)
       FROM custom_record WHERE tenant_id = $1 AND object_id = '${LEAD}'`,
    [tenantId],
  );
  await admin.query('CREATE INDEX ON bare_lead (stage, id)');
  const { rows } = await admin.query('SELECT id, stage FROM bare_lead ORDER BY random() LIMIT 5000');
  return { ids: rows.map(({ id }) => id), sources: rows.map(({ stage }) => stage) };
}

/** A lead as the body of a request that creates it. */
export const newLead = (/** @type {number} */ turn) => ({
  firstName: 'Ada',
  lastName: `Lovelace ${turn}`,
  email: `lead${turn}@example.com`,
  phone: `+49 30 ${1_000_000 + turn}`,
  companyName: `Company number ${turn}`,
  status: 'new',
  source: `N${turn}`,
});
