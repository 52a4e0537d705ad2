import pg from 'pg';
import type { DatabaseConfig } from './pool.js';
import { StatementNames } from './segment.js';
import type { PreparedQueryable, Queryable } from './transaction.js';

/** With the silence below, the server ends the session of a vanished host within half a minute, idle or busy. */
const STATEMENT_TIMEOUT_MS = 10_000;
const CLIENT_GRACE_MS = 5_000;
const SILENCE_SECONDS = 20;
/** A connection that does not close by itself within this time is cut. */
const CLOSE_TIMEOUT_MS = 1_000;

export interface NarrowSessionOptions {
  /** Seconds without a statement after which the server ends the session, and with it its locks; default 20, at least 1. */
  silenceSeconds?: number;
}

/** How the server notices that the client has vanished; `idle_session_timeout` holds through every proxy. */
function silenceSettings(seconds: number): string {
  const settings = {
    idle_session_timeout: seconds * 1_000,
    tcp_user_timeout: seconds * 1_000,
    tcp_keepalives_idle: Math.ceil(seconds / 2),
    tcp_keepalives_interval: Math.ceil(seconds / 4),
    tcp_keepalives_count: 2,
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/** Who holds an advisory lock works through its session, so that a lost connection ends both (decision record 0133). */
export class NarrowSession implements Queryable, PreparedQueryable {
  private readonly names = new StatementNames();

  private constructor(private readonly client: pg.Client) {}

  /** @throws the driver's error when the server cannot be reached */
  static async open(
    config: DatabaseConfig,
    { silenceSeconds = SILENCE_SECONDS }: NarrowSessionOptions = {},
  ): Promise<NarrowSession> {
    const client = new pg.Client({
      connectionString: config.narrowUrl,
      application_name: config.applicationName,
      connectionTimeoutMillis: config.connectTimeoutMs ?? 5_000,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS + CLIENT_GRACE_MS,
      options: silenceSettings(silenceSeconds),
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

  /** Takes an advisory lock until the session ends. @returns false when another session holds it */
  async tryLock(key: number): Promise<boolean> {
    const [row] = await this.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [key]);
    return row?.locked ?? false;
  }

  /** Ends the connection, whether it was lost or not. */
  async close(): Promise<void> {
    // The driver waits for the other end to close, which a host that has vanished never does.
    const timer = setTimeout(() => this.client.connection.stream.destroy(), CLOSE_TIMEOUT_MS);
    try {
      await this.client.end();
    } finally {
      clearTimeout(timer);
    }
  }
}
