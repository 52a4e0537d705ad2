import { EVENT_STREAM } from '@crm/contracts';
import { NatsConnection } from '@crm/messaging';
import pg from 'pg';
import { testNats } from './test-nats.js';

const LIST_TABLES = `
  SELECT quote_ident(nspname) || '.' || quote_ident(relname) AS name
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
   WHERE relkind = 'r' AND nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`;

/** Rows as text, what is binary too. @returns each table of the database that has the text, with how many rows do */
export async function findInTables(adminUrl: string, text: string): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(LIST_TABLES);
    const found: Record<string, number> = {};
    const binary = Buffer.from(text).toString('hex');
    for (const { name } of rows) {
      const sql = `SELECT count(*)::int AS count FROM ${name} AS t WHERE strpos(t::text, $1) > 0 OR strpos(t::text, $2) > 0`;
      const [row] = (await client.query<{ count: number }>(sql, [text, binary])).rows;
      if (row && row.count > 0) found[name] = row.count;
    }
    return found;
  } finally {
    await client.end();
  }
}

/** @returns the subjects of the messages of the event stream that have the text */
export async function findInStream(
  text: string,
  { url, passwords }: { url: string; passwords: { readonly provisioner: string } } = testNats(),
): Promise<string[]> {
  // The only one who may read whatever is there.
  const user = 'provisioner' as never;
  const nats = await NatsConnection.open({ url, user, password: passwords.provisioner, service: user });
  try {
    const manager = await nats.jetstream.jetstreamManager(false);
    const { state } = await manager.streams.info(EVENT_STREAM.name);
    const found: string[] = [];
    for (let seq = state.first_seq; seq > 0 && seq <= state.last_seq; seq += 1) {
      const message = await manager.direct.getMessage(EVENT_STREAM.name, { seq });
      if (message?.string().includes(text)) found.push(message.subject);
    }
    return found;
  } finally {
    await nats.close();
  }
}
