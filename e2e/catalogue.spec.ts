import { DATABASES, GLOBAL_TABLES, type StatefulService } from '@crm/contracts';
import { catalogueProblems, shardProblems } from '@crm/database';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { addresses } from './platform/addresses.js';
import { TABLES } from './platform/tables.js';

describe('the catalogue', () => {
  it.each(Object.keys(DATABASES) as StatefulService[])(
    'the database of %s isolates tenants in every table',
    async (service) => {
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
        expect(await shardProblems(queryable)).toEqual([]);
        const isolated = await queryable.query<{ name: string }>(
          'SELECT relname AS name FROM pg_class WHERE relrowsecurity AND relforcerowsecurity AND NOT relispartition',
        );
        expect(isolated.map(({ name }) => name).sort()).toEqual(TABLES[service].split(' '));
      } finally {
        await client.end();
      }
    },
  );
});
