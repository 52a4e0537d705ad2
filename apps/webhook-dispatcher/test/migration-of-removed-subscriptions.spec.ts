import { Database, newId, runMigrations } from '@crm/database';
import { type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { RemovedSubscriptions1795800001501 } from '../src/migrations/1795800001501-removed-subscriptions.js';
import { migrations } from '../src/migrations/index.js';

const TENANT = newId();
const [REMOVED, PRESENT, INSTALLATION] = [newId(), newId(), newId()];

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  const before = migrations.slice(0, migrations.indexOf(RemovedSubscriptions1795800001501));
  server = await testDatabase('webhook-dispatcher', before);
  database = new Database(server.config);
  const installed = [TENANT, INSTALLATION, 'acme', 'https://a.test/'];
  await database.transaction(TENANT, async (tx) => {
    await tx.query(
      `INSERT INTO removed_subscription (tenant_id, installation_id, app_key, url, id, removed_at)
       VALUES ($1, $2, $3, $4, $5, '2026-01-02T03:04:05Z')`,
      [...installed, REMOVED],
    );
    await tx.query(
      `INSERT INTO webhook_subscription (tenant_id, installation_id, app_key, url, id, events, created_by)
       VALUES ($1, $2, $3, $4, $5, '{lead.created}', $1)`,
      [...installed, PRESENT],
    );
  });
  await runMigrations({ ownerUrl: server.ownerUrl, migrations });
});
afterAll(async () => {
  await database?.close();
  await server?.drop();
});

const subscriptions = () =>
  database.transaction(TENANT, (tx) =>
    tx.query(
      `SELECT id, installation_id, app_key, url, enabled, removed_at FROM webhook_subscription ORDER BY app_key, id`,
    ),
  );

it('removed subscriptions move to the others, and sweeping all tenants reaches no other', async () => {
  const common = { installation_id: INSTALLATION, app_key: 'acme', url: 'https://a.test/', enabled: true };
  const removed = { ...common, id: REMOVED, removed_at: new Date('2026-01-02T03:04:05Z') };
  const present = { ...common, id: PRESENT, removed_at: null };
  expect(await subscriptions()).toEqual([removed, present]);
  expect(await database.transaction(newId(), (tx) => tx.query('SELECT id FROM webhook_subscription'))).toEqual([]);
  await database.crossTenant((tx) => tx.query('DELETE FROM webhook_subscription'));
  expect(await subscriptions()).toEqual([present]);
});
