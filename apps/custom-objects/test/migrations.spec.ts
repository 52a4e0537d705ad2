import { randomUUID } from 'node:crypto';
import { CORE_OBJECTS } from '@crm/contracts';
import { runMigrations } from '@crm/database';
import { testDatabase } from '@crm/testing';
import { expect, it } from '@jest/globals';
import { OwnersAndPhones1795500001710 } from '../src/migrations/1795500001710-owners-and-phones.js';
import { migrations } from '../src/migrations/index.js';
import { withClient } from './nested-plans.js';

it('records of before have a slot for each indexed field without a value, and no others', async () => {
  const before = await testDatabase('custom-objects', migrations.slice(0, 1));
  const [tenant, object] = [randomUUID(), randomUUID()];
  await withClient(before.adminUrl, async (client) => {
    const definition = `INSERT INTO custom_object (tenant_id, id, installation_id, app_key, sandbox, declared_api_name, api_name, label, plural_label)
      VALUES ($1, $2, $2, 'a', false, 'a', 'a', 'a', 'a')`;
    await client.query(definition, [tenant, object]);
    const field = `INSERT INTO custom_field (tenant_id, id, object_id, api_name, key, position, slot, definition) VALUES ($1, $2, $3, $4, 1, 1, $4, '{}')`;
    for (const slot of ['s2', 'n1', 't4']) await client.query(field, [tenant, randomUUID(), object, slot]);
    const record = `INSERT INTO custom_record (tenant_id, object_id, id, version, data, created_at, updated_at, s2) VALUES ($1, $2, $3, 1, '{}', now(), now(), $4)`;
    await client.query(record, [tenant, object, randomUUID(), 'set']);
    await client.query(record, [tenant, object, randomUUID(), null]);
    await client.query(record, [tenant, CORE_OBJECTS.company.id, randomUUID(), null]);
    await runMigrations({ ownerUrl: before.ownerUrl, migrations });
    const { rows } = await client.query(
      'SELECT s1, s2, s3, n1, t4::text FROM custom_record WHERE tenant_id = $1 ORDER BY object_id = $2 DESC, s2',
      [tenant, object],
    );
    const unset = '\u{10ffff}';
    expect(rows).toEqual([
      { s1: null, s2: 'set', s3: null, n1: Infinity, t4: 'infinity' },
      { s1: null, s2: unset, s3: null, n1: Infinity, t4: 'infinity' },
      { s1: unset, s2: unset, s3: unset, n1: null, t4: null },
    ]);
  });
  await before.drop();
});

it('companies of before have no owner, industry or city in the order of these, and are found by the digits of their phone numbers', async () => {
  const before = await testDatabase(
    'custom-objects',
    migrations.slice(0, migrations.indexOf(OwnersAndPhones1795500001710)),
  );
  const [tenant, id] = [randomUUID(), randomUUID()];
  await withClient(before.adminUrl, async (client) => {
    await client.query(
      `INSERT INTO custom_record (tenant_id, object_id, id, version, data, created_at, updated_at, s1)
       VALUES ($1, $2, $3, 1, '{"1": "Engines", "3": "+44 20 (79) 46"}', now(), now(), 'Engines')`,
      [tenant, CORE_OBJECTS.company.id, id],
    );
    await client.query(
      `INSERT INTO record_search (tenant_id, object_id, id, audience, text) VALUES ($1, $2, $3, '', 'engines +44 20 (79) 46')`,
      [tenant, CORE_OBJECTS.company.id, id],
    );
    await runMigrations({ ownerUrl: before.ownerUrl, migrations });
    const records = await client.query('SELECT s3, s4, s5, s6 FROM custom_record WHERE tenant_id = $1', [tenant]);
    expect(records.rows).toEqual([{ s3: '\u{10ffff}', s4: '\u{10ffff}', s5: '\u{10ffff}', s6: null }]);
    const texts = await client.query('SELECT text FROM record_search WHERE tenant_id = $1', [tenant]);
    expect(texts.rows).toEqual([{ text: 'engines +44 20 (79) 46 44207946' }]);
  });
  await before.drop();
});
