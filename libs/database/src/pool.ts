import { gauge } from '@crm/telemetry';
import { Logger } from '@nestjs/common';
import pg from 'pg';

/** How a service reaches its database; read from the environment in the service's `config.ts`. */
export interface DatabaseConfig {
  /** Connection URL of the runtime role, which sees only the rows of the tenant in context. */
  url: string;
  /** Connection URL of the narrow role, for the outbox relay and the global tables. */
  narrowUrl: string;
  /** Connections of the runtime role in this process; default 10. The narrow role uses at most 4. */
  poolSize?: number;
  /** What the metrics call the runtime role's connections; default `runtime`. */
  poolName?: PoolName;
  /** Connections of the runtime role for one tenant while another is there too; default: all. */
  tenantShare?: number;
  /** Milliseconds that a statement may take of a query that no index bounds; default 2,000. */
  costlyTimeoutMs?: number;
  /** Planning a table with many indexes takes ten times as long as reading a row. `PLAN_FOR_VALUES` is the way out. */
  genericPlans?: boolean;
  /** Whole days after the day of its id that a row is kept, by table; for others see `defaultRetention`. */
  retentionDays?: Readonly<Record<string, number>>;
  /** How many days ahead partitions are made; default 14. */
  partitionDaysAhead?: number;
  applicationName: string;
  /** Milliseconds to wait for a free connection before a request is rejected with SERVICE_UNAVAILABLE; default 5,000. */
  connectTimeoutMs?: number;
  /** Milliseconds after which the server cancels a statement; default 30,000. */
  statementTimeoutMs?: number;
}

export const DEFAULT_CONNECT_TIMEOUT_MS = 5_000;
const DEFAULT_STATEMENT_TIMEOUT_MS = 30_000;
/** A transaction whose owner hangs is ended, and its locks released, after this time. */
const IDLE_IN_TRANSACTION_MS = 60_000;
/** The server cancels a statement first; the client abandons a connection that does not report even that. */
const CLIENT_GRACE_MS = 5_000;

/** Unless the tables are distributed: a plan that knows no tenant does not know where its rows are. */
const FORCE_GENERIC_PLANS = `
  SELECT set_config('plan_cache_mode', 'force_generic_plan', false)
   WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')`;

/** In pipeline mode: statements leave as they are issued, so several that do not depend on each other cost one round trip. */
export function createPool(
  config: DatabaseConfig,
  { url, size, genericPlans }: { url: string; size: number; genericPlans: boolean },
): pg.Pool {
  const statementTimeoutMs = config.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS;
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    application_name: config.applicationName,
    connectionTimeoutMillis: config.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + CLIENT_GRACE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    pipeline: true,
    ...(genericPlans && { onConnect: (client: pg.PoolClient) => client.query(FORCE_GENERIC_PLANS) }),
  } as pg.PoolConfig);
  // The pool has already removed the connection; the next transaction opens another.
  pool.on('error', (error) =>
    new Logger('Database').warn(`An idle connection was lost and will be replaced: ${error.message}`),
  );
  return pool;
}

export type PoolName = 'runtime' | 'narrow' | 'costly';

interface MeasuredPool {
  readonly name: PoolName;
  readonly pool: pg.Pool;
  readonly size: number;
  /** Those who wait before they ask the pool. */
  readonly queue?: { readonly waiting: number } | undefined;
}

const measured = new Set<MeasuredPool>();

/** The sum over the pools of that name: tests have several databases in a process. */
function sums(numberOf: (of: MeasuredPool) => number): Map<PoolName, number> {
  const byName = new Map<PoolName, number>();
  for (const one of measured) byName.set(one.name, (byName.get(one.name) ?? 0) + numberOf(one));
  return byName;
}

// Asked for at each scrape: the pools count by themselves, so that nothing is added to a statement.
gauge(
  'database_pool_connections',
  'Open connections to the database, in use or idle',
  ['pool', 'state'],
  (connections) => {
    connections.reset();
    for (const [pool, idle] of sums((one) => one.pool.idleCount)) connections.set({ pool, state: 'idle' }, idle);
    for (const [pool, used] of sums((one) => one.pool.totalCount - one.pool.idleCount)) {
      connections.set({ pool, state: 'in_use' }, used);
    }
  },
);
gauge(
  'database_pool_waiting',
  'Transactions and statements that wait for a connection of the pool',
  ['pool'],
  (waiting) => {
    waiting.reset();
    for (const [pool, count] of sums((one) => one.pool.waitingCount + (one.queue?.waiting ?? 0)))
      waiting.set({ pool }, count);
  },
);
gauge('database_pool_size', 'Connections that the pool may open', ['pool'], (sizes) => {
  sizes.reset();
  for (const [pool, size] of sums((one) => one.size)) sizes.set({ pool }, size);
});

/** @returns removes the pool from the metrics, when it is closed */
export function measurePool(entry: MeasuredPool): () => void {
  measured.add(entry);
  return () => {
    measured.delete(entry);
  };
}
