import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import {
  createTenantTable,
  Database,
  newId,
  provisionDatabase,
  runMigrations,
  ServiceMigration,
} from '../src/index.js';

// Failures in these tests are intentional.
Logger.overrideLogger(false);

const PAGE = path.resolve(import.meta.dirname, '../../../docs/operations/database-passwords.md');
/** A role of this file alone: everyone shares the server's roles. */
const name = `rotated_${randomBytes(6).toString('hex')}`;
const definition = {
  database: name,
  ownerRole: `${name}_owner`,
  runtimeRole: `${name}_runtime`,
  narrowRole: `${name}_narrow`,
};
const [createRoles = '', dropRoles = ''] = [...readFileSync(PAGE, 'utf8').matchAll(/```sql\n([\s\S]*?)```/g)].map(
  ([, block = '']) => block.replaceAll('identity_', `${name}_`),
);

class CreateNote1700000000000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, definition, {
      name: 'note',
      columns: 'id uuid NOT NULL',
      narrow: ['select'],
    });
  }
}

const adminUrl = process.env.TEST_DATABASE_URL as string;
const admin = new pg.Client({ connectionString: adminUrl });
const opened: Database[] = [];
const open = ({ runtimeUrl, narrowUrl }: { runtimeUrl: string; narrowUrl: string }) => {
  const database = new Database({ url: runtimeUrl, narrowUrl, applicationName: name });
  opened.push(database);
  return database;
};
const setPasswords = (passwords: { owner: string; runtime: string; narrow: string }) =>
  provisionDatabase({ adminUrl, definition, passwords });
const OLD = { owner: 'owner', runtime: 'old', narrow: 'old' };
const NEW = { owner: 'owner', runtime: 'new', narrow: 'new' };

const a = newId();
const b = newId();
/** What it writes and reads in the context of a tenant, and how much it reads across all. */
const work = async (database: Database) => {
  await database.transaction(a, (tx) => tx.query('INSERT INTO note (tenant_id, id) VALUES ($1, $2)', [a, newId()]));
  const count = 'SELECT count(*)::int AS count FROM note';
  const ofTenant = (tenant: string) => database.transaction(tenant, (tx) => tx.query<{ count: number }>(count));
  const all = await database.crossTenant((tx) => tx.query<{ count: number }>(count));
  return [await ofTenant(a), await ofTenant(b), all].map(([row]) => row?.count);
};

beforeAll(async () => {
  await admin.connect();
  const { ownerUrl } = await setPasswords(OLD);
  await runMigrations({ ownerUrl, migrations: [CreateNote1700000000000] });
});
afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()));
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.query(`DROP ROLE ${definition.ownerRole}, ${definition.runtimeRole}, ${definition.narrowRole}`);
  await admin.end();
});

it('a changed password is unavailability for anyone who has the old one, and with the second roles of the page nobody notices', async () => {
  const old = await setPasswords(OLD);
  expect(await work(open(old))).toEqual([1, 0, 1]);

  await admin.query(createRoles);
  const next = open({
    runtimeUrl: old.runtimeUrl.replace('_runtime:old', '_runtime_next:next-runtime-password'),
    narrowUrl: old.narrowUrl.replace('_narrow:old', '_narrow_next:next-narrow-password'),
  });
  expect(await work(next)).toEqual([2, 0, 2]);
  const renewed = await setPasswords(NEW);
  expect(await work(next)).toEqual([3, 0, 3]);

  const late = open(old);
  const unavailable = {
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
    extra: { retryAfterSeconds: 1 },
    cause: { code: '28P01' },
  };
  for (const call of [
    () => late.transaction(a, async () => 1),
    () => late.crossTenant(async () => 1),
    () => late.read(a, 'SELECT $1::text', []),
    () => late.ping(),
  ]) {
    await expect(call()).rejects.toMatchObject(unavailable);
  }

  expect(await work(open(renewed))).toEqual([4, 0, 4]);
  await next.close();
  await admin.query(dropRoles);
});
