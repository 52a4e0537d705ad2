import { Database, newId, runMigrations } from '@crm/database';
import { type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OperatorRepository } from '../src/accounts/accounts.repository.js';
import { entities } from '../src/entities.js';
import { migrations } from '../src/migrations/index.js';
import { PLATFORM_TENANT } from '../src/platform-tenant.js';

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await testDatabase('identity', migrations.slice(0, 1));
  database = new Database(server.config, entities);
});
afterAll(async () => {
  await database?.close();
  await server?.drop();
});

it('operators from before are administrators of the platform, in its own tenant', async () => {
  const [active, disabled] = [newId(), newId()];
  await database.crossTenant(async (tx) => {
    const insert = 'INSERT INTO operator (id, email, name, password_hash, status) VALUES ($1, $2, $3, $4, $5)';
    await tx.query(insert, [active, 'ada@platform.test', 'Ada', 'hash of Ada', 'active']);
    await tx.query(insert, [disabled, 'bob@platform.test', 'Bob', 'hash of Bob', 'disabled']);
  });
  await runMigrations({ ownerUrl: server.ownerUrl, migrations });
  const operators = new OperatorRepository();
  const moved = await database.transaction(PLATFORM_TENANT, (tx) => operators.list(tx));
  expect(moved).toMatchObject([
    { id: active, email: 'ada@platform.test', passwordHash: 'hash of Ada', role: 'administrator', status: 'active' },
    {
      id: disabled,
      email: 'bob@platform.test',
      passwordHash: 'hash of Bob',
      role: 'administrator',
      status: 'disabled',
    },
  ]);
  expect(await database.transaction(newId(), (tx) => operators.list(tx))).toEqual([]);
});
