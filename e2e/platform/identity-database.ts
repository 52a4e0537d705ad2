import pg from 'pg';
import { addresses } from './addresses.js';

/** Runs statements in identity's database as the superuser, for what no call can bring about. */
export async function inIdentity<Row extends pg.QueryResultRow>(sql: string, values: unknown[]): Promise<Row[]> {
  const url = new URL(addresses.databaseUrl);
  url.pathname = '/identity';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}
