import { DATABASES, GLOBAL_TABLES, type StatefulService } from '@crm/contracts';
import { catalogueProblems } from '@crm/database';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { addresses } from './platform/addresses.js';

describe('the catalogue of every database', () => {
  it.each(Object.keys(DATABASES) as StatefulService[])('%s isolates tenants in every table', async (service) => {
    const url = new URL(addresses.databaseUrl);
    url.pathname = `/${DATABASES[service].database}`;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    try {
      const queryable = {
        query: async <Row>(sql: string, parameters: readonly unknown[] = []) =>
          (await client.query(sql, [...parameters])).rows as Row[],
      };
      expect(await catalogueProblems(queryable, GLOBAL_TABLES[service])).toEqual([]);
      const [{ tables } = { tables: 0 }] = await queryable.query<{ tables: number }>(
        `SELECT count(*)::int AS tables FROM pg_class WHERE relrowsecurity AND relforcerowsecurity`,
      );
      expect(tables).toBeGreaterThan(3);
    } finally {
      await client.end();
    }
  });
});
