import pg from 'pg';

/** Does something on one connection.
 * @template T @param {string} connectionString @param {(client: pg.Client) => Promise<T>} work @returns {Promise<T>} */
export async function withClient(connectionString, work) {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1000 });
  // A server that is killed ends its connections; the work under way says so too.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
