import pg from 'pg';
import { builtFile } from '../root.mjs';

/**
 * @param {import('../platform/addresses.mjs').Addresses} addresses
 * @param {readonly string[]} ids of leads that were accepted
 * @returns {Promise<number>} how many of them PostgreSQL does not have
 */
export async function countLost({ databaseUrl }, ids) {
  /** @type {typeof import('../../libs/contracts/src/databases.js')} */
  const { DATABASES } = await import(builtFile('libs/contracts', 'databases.js'));
  const url = new URL(databaseUrl);
  url.pathname = DATABASES['custom-objects'].database;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    const { rows } = await client.query(
      'SELECT count(DISTINCT id)::int AS present FROM custom_record WHERE id = ANY($1)',
      [ids],
    );
    return new Set(ids).size - rows[0].present;
  } finally {
    await client.end();
  }
}
