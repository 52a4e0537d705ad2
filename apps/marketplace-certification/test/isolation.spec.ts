import { GLOBAL_TABLES } from '@crm/contracts';
import { catalogueProblems } from '@crm/database';
import { testDatabase } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrations } from '../src/migrations/index.js';

describe('the tables of the marketplace', () => {
  it('are isolated by tenant or listed as global', async () => {
    const database = await testDatabase('marketplace-certification', migrations);
    const client = new pg.Client(database.ownerUrl);
    await client.connect();
    try {
      const queryable = {
        query: async <Row>(sql: string, parameters: readonly unknown[] = []) =>
          (await client.query(sql, [...parameters])).rows as Row[],
      };
      expect(await catalogueProblems(queryable, GLOBAL_TABLES['marketplace-certification'])).toEqual([]);
    } finally {
      await client.end();
      await database.drop();
    }
  });
});
