import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { DatabaseConfig } from './database-config.js';

const DEFAULT_CONNECT_TIMEOUT_MS = 5_000;
const DEFAULT_STATEMENT_TIMEOUT_MS = 30_000;
/** A transaction whose owner hangs is ended, and its locks released, after this time. */
const IDLE_IN_TRANSACTION_MS = 60_000;
/** The server cancels a statement first; the client abandons a connection that does not report even that. */
const CLIENT_GRACE_MS = 5_000;

/**
 * A pool in pipeline mode: statements are sent as they are issued and answered in order, so several that do
 * not depend on each other cost one round trip. A connection that breaks while idle is dropped and replaced.
 */
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
    ...(genericPlans && { options: '-c plan_cache_mode=force_generic_plan' }),
  } as pg.PoolConfig);
  // The pool has already removed the connection; the next transaction opens another.
  pool.on('error', (error) =>
    new Logger('Database').warn(`An idle connection was lost and will be replaced: ${error.message}`),
  );
  return pool;
}
