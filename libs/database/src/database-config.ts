/** How a service reaches its database; read from the environment in the service's `config.ts`. */
export interface DatabaseConfig {
  /** Connection URL of the runtime role, which sees only the rows of the tenant in context. */
  url: string;
  /** Connection URL of the narrow role, for the outbox relay and the global tables. */
  narrowUrl: string;
  /** Connections of the runtime role in this process; default 10. The narrow role uses at most 4. */
  poolSize?: number;
  /**
   * Plans without the values of parameters, for a service whose statements are served by an index whatever the values:
   * Postgres then plans a prepared statement once for a connection. For a table with many indexes it would
   * otherwise plan at every execution, which takes ten times as long as to read a row. A transaction with statements that
   * depend on values begins with `PLAN_FOR_VALUES`. Default false.
   */
  genericPlans?: boolean;
  /**
   * Days for which tables that are partitioned by day keep their rows, by table; `defaultRetention` says for which the others
   * do. A row is kept for as many whole days after the day of its id.
   */
  retentionDays?: Readonly<Record<string, number>>;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  /** Milliseconds to wait for a free connection before a request is rejected with SERVICE_UNAVAILABLE; default 5,000. */
  connectTimeoutMs?: number;
  /** Milliseconds after which the server cancels a statement; default 30,000. */
  statementTimeoutMs?: number;
}
