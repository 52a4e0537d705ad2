/** How a service reaches its database; read from the environment in the service's `config.ts`. */
export interface DatabaseConfig {
  /** Connection URL of the runtime role: the one that sees the rows of the tenant in context and no others. */
  url: string;
  /** Connection URL of the narrow role, for the outbox relay and the global tables. */
  narrowUrl: string;
  /** Connections of the runtime role in this process; 10 when left out. The narrow role uses at most 4. */
  poolSize?: number;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  /** Milliseconds to wait for a free connection before a request is refused with SERVICE_UNAVAILABLE; 5,000 when left out. */
  connectTimeoutMs?: number;
  /** Milliseconds after which the server cancels a statement; 30,000 when left out. */
  statementTimeoutMs?: number;
}
