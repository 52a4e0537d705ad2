import pg from 'pg';
import { client, eventually } from '../demo/client.mjs';
import { startDemoReceiver } from '../demo/receiver.mjs';
import { builtFile } from '../root.mjs';

/** A failed attempt comes again after five seconds, then after five minutes; a claim of a dead process after 30 s. */
const ARRIVE_MS = 420_000;

/** @typedef {import('../platform/addresses.mjs').Addresses} Addresses */

/** Subscribes a receiver to the leads of tenants. @param {Addresses} addresses @param {readonly string[]} tokens of administrators */
export async function receiveLeads({ baseUrl, demoReceiver }, tokens) {
  const receiver = await startDemoReceiver(demoReceiver);
  for (const token of tokens) {
    const body = { events: ['lead.created'], url: `${demoReceiver.url}/leads` };
    await client(baseUrl)('POST', '/api/webhooks/subscriptions', { token, body, expect: 201 });
  }
  return receiver;
}

/** Resolves when each of these leads has arrived: with how many have, and how many requests there were.
 * @param {Awaited<ReturnType<typeof receiveLeads>>} receiver @param {readonly string[]} leads */
export async function untilArrived({ received }, leads) {
  let looked = 0;
  const waiting = new Set(leads);
  const haveArrived = async () => {
    for (const { body } of received.slice(looked)) waiting.delete(JSON.parse(body).data.id);
    looked = received.length;
    return waiting.size === 0;
  };
  await eventually(haveArrived, 'the arrival of every lead that was accepted', ARRIVE_MS);
  return { events: new Set(received.map(({ id }) => id)).size, requests: received.length };
}

/** How many of these leads PostgreSQL does not have. @param {Addresses} addresses @param {readonly string[]} ids */
export async function countLost({ databaseUrl }, ids) {
  /** @type {typeof import('../../libs/contracts/src/databases.js')} */
  const { DATABASES } = await import(builtFile('libs/contracts', 'databases.js'));
  const url = new URL(databaseUrl);
  url.pathname = DATABASES['custom-objects'].database;
  const database = new pg.Client({ connectionString: url.href });
  await database.connect();
  try {
    const sql = 'SELECT count(DISTINCT id)::int AS present FROM custom_record WHERE id = ANY($1)';
    const { rows } = await database.query(sql, [ids]);
    return new Set(ids).size - rows[0].present;
  } finally {
    await database.end();
  }
}
