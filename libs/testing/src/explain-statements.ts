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
  /** True when the tables have rows that ANALYZE has seen, as many as tell an index from a scan: then nothing is switched off. */
  areFilled?: boolean;
}

/** What a partition adds to the name of its table: plans of another day differ in nothing else. */
const NAME_OF_PARTITION = /_(p\d{8}|default)(?![0-9a-z])/g;
/** The alias of one partition of a table. */
const ALIAS_OF_PARTITION = /(?<= on \w+_<part> )\w+_\d+$/gm;

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
      plans[name] = foldPartitions(rows.map((row) => row['QUERY PLAN'].replace(NAME_OF_PARTITION, '_<part>')));
    }
    return plans;
  } finally {
    await client.end();
  }
}

/** Parts of a plan that follow each other and differ in nothing but the partition become one, with how many there are. */
function foldPartitions(lines: readonly string[]): string {
  const parts: { text: string; ofAny: string; times: number }[] = [];
  const depthOf = (line = '') => line.search(/\S/);
  for (let index = 0; index < lines.length; ) {
    const inside = lines.slice(index + 1).findIndex((line) => depthOf(line) <= depthOf(lines[index]));
    const end = inside < 0 ? lines.length : index + 1 + inside;
    const text = [lines[index], foldPartitions(lines.slice(index + 1, end))].filter(Boolean).join('\n');
    let ofAny = text;
    for (const [alias] of text.matchAll(ALIAS_OF_PARTITION)) {
      ofAny = ofAny.replaceAll(new RegExp(`\\b${alias}\\b`, 'g'), alias.replace(/\d+$/, '<n>'));
    }
    const last = parts.at(-1);
    if (ofAny !== text && last?.ofAny === ofAny) last.times += 1;
    else parts.push({ text, ofAny, times: 1 });
    index = end;
  }
  return parts
    .map(({ text, ofAny, times }) => (times > 1 ? ofAny.replace(/$/m, ` (${times} times)`) : text))
    .join('\n');
}
