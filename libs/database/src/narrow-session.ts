import pg from 'pg';
import type { DatabaseConfig } from './database-config.js';
import { StatementNames } from './statement-names.js';
import type { PreparedQueryable, Queryable } from './transaction.js';

const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * A dedicated connection of the narrow role; each statement is a separate transaction. A holder of an advisory lock works
 * through the session that holds it, so that a lost connection ends both the lock and the work.
 */
export class NarrowSession implements Queryable, PreparedQueryable {
  private readonly names = new StatementNames();

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
    // Without a listener the loss of an idle connection would end the process; the next statement fails with it instead.
    client.on('error', () => undefined);
    await client.connect();
    return new NarrowSession(client);
  }

  async query<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const result = await this.client.query(sql, parameters as unknown[]);
    return result.rows as Row[];
  }

  async queryPrepared<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    const values = parameters as unknown[];
    const result = await this.client.query({ name: this.names.nameOf(sql), text: sql, values });
    return result.rows as Row[];
  }

  /**
   * Takes an advisory lock in this database until the session ends.
   * @returns false when another session holds it
   */
  async tryLock(key: number): Promise<boolean> {
    const [row] = await this.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [key]);
    return row?.locked ?? false;
  }

  /** Ends the connection, whether it was lost or not. */
  async close(): Promise<void> {
    await this.client.end();
  }
}
