import { GLOBAL_TABLES } from '@crm/contracts';
import { catalogueProblems } from '@crm/database';
import { type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrations } from '../src/migrations/index.js';

let database: TestDatabase;
let admin: pg.Client;

beforeAll(async () => {
  database = await testDatabase('custom-objects', migrations);
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

it('every table of records belongs to tenants, or is on the list of global ones', async () => {
  const query = async <Row>(sql: string, parameters: readonly unknown[] = []) =>
    (await admin.query(sql, [...parameters])).rows as Row[];
  expect(await catalogueProblems({ query }, GLOBAL_TABLES['custom-objects'])).toEqual([]);
});
