import pg from 'pg';

/** A plan that does not depend on how many processors there are. */
const SETTINGS = ['SET max_parallel_workers_per_gather = 0', 'SET jit = off'];

/** Shows which indexes a statement can use: without rows the server would read every table from beginning to end. */
const EMPTY_TABLES = ['SET enable_seqscan = off', 'SET enable_bitmapscan = off'];

export interface ExplainOptions {
  /** Connection URL of the role that runs the statements: its row-level security is a part of their plans. */
  url: string;
  /** The tenant in context; none when left out. */
  tenantId?: string;
  /** Whether the tables have rows that ANALYZE has seen, as many as tell an index from a scan: then nothing is switched off. */
  areFilled?: boolean;
}

/** The day in the name of a partition: plans of another day differ in nothing else. */
const DAY_OF_PARTITION = /_p\d{8}/g;

/**
 * For a committed snapshot, so that a change of a statement or an index shows in review as what the server does.
 * @returns plans by name, without costs @throws the driver's error when a statement is wrong or not permitted
 */
export async function explainStatements(
  { url, tenantId = '', areFilled = false }: ExplainOptions,
  statements: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const setting of areFilled ? SETTINGS : [...SETTINGS, ...EMPTY_TABLES]) await client.query(setting);
    await client.query("SELECT set_config('app.tenant_id', $1, false)", [tenantId]);
    const plans: Record<string, string> = {};
    for (const [name, statement] of Object.entries(statements)) {
      const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN, COSTS OFF) ${statement}`);
      plans[name] = rows
        .map((row) => row['QUERY PLAN'])
        .join('\n')
        .replace(DAY_OF_PARTITION, '_p<day>');
    }
    return plans;
  } finally {
    await client.end();
  }
}
