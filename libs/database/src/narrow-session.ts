import pg from 'pg';
import type { DatabaseConfig } from './database-config.js';
import type { Queryable } from './transaction.js';

const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * One connection of the narrow role that belongs to its owner for as long as it lives, each statement a transaction of
 * its own. What holds a lock works through the session that holds it: when the connection is lost, so are lock and work.
 */
export class NarrowSession implements Queryable {
  private constructor(private readonly client: pg.Client) {}

  /** @throws the driver's error when the server cannot be reached */
  static async open(config: DatabaseConfig): Promise<NarrowSession> {
    const client = new pg.Client({
      connectionString: config.narrowUrl,
      application_name: config.applicationName,
      connectionTimeoutMillis: config.connectTimeoutMs ?? 5_000,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
      keepAlive: true,
    });
    // Without a listener the loss of an idle connection would end the process; the next statement tells of it.
    client.on('error', () => undefined);
    await client.connect();
    return new NarrowSession(client);
  }

  async query<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const result = await this.client.query(sql, parameters as unknown[]);
    return result.rows as Row[];
  }

  /**
   * Takes an advisory lock of this database for as long as the session lives.
   * @returns false when another session holds it
   */
  async tryLock(key: number): Promise<boolean> {
    const [row] = await this.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [key]);
    return row?.locked ?? false;
  }

  /** Ends the connection, lost or not. */
  async close(): Promise<void> {
    await this.client.end();
  }
}
