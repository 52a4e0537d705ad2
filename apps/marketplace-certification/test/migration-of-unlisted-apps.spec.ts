import { Database, newId, runMigrations } from '@crm/database';
import { type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { entities } from '../src/entities.js';
import { DecisionsInForce1795800000832 } from '../src/migrations/1795800000832-decisions-in-force.js';
import { migrations } from '../src/migrations/index.js';

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await testDatabase(
    'marketplace-certification',
    migrations.slice(0, migrations.indexOf(DecisionsInForce1795800000832)),
  );
  database = new Database(server.config, entities);
});
afterAll(async () => {
  await database?.close();
  await server?.drop();
});

it('apps that operators had unlisted are unlisted, also where a later version listed them again', async () => {
  await database.crossTenant(async (tx) => {
    const app =
      'INSERT INTO app (key, tenant_id, publisher_name, name, kind, visibility) VALUES ($1, $2, $3, $4, $5, $6)';
    for (const [key, visibility] of [
      ['listed-again', 'public'],
      ['closed-since', 'private'],
      ['suspended-once', 'public'],
    ]) {
      await tx.query(app, [key, newId(), 'Acme', 'An app', 'industry_app', visibility]);
    }
    const act = "INSERT INTO operator_audit (id, act, subject_kind, subject_id) VALUES ($1, $2, 'app', $3)";
    await tx.query(act, [newId(), 'app.unlist', 'listed-again']);
    await tx.query(act, [newId(), 'app.unlist', 'closed-since']);
    await tx.query(act, [newId(), 'app.suspend', 'suspended-once']);
  });
  await runMigrations({ ownerUrl: server.ownerUrl, migrations });
  const apps = await database.crossTenant((tx) =>
    tx.query('SELECT key, visibility, unlisted_by_operator AS unlisted FROM app ORDER BY key'),
  );
  expect(apps).toEqual([
    { key: 'closed-since', visibility: 'private', unlisted: true },
    { key: 'listed-again', visibility: 'unlisted', unlisted: true },
    { key: 'suspended-once', visibility: 'public', unlisted: false },
  ]);
});
