import { randomUUID } from 'node:crypto';
import { GLOBAL_TABLES } from '@crm/contracts';
import { catalogueProblems } from '@crm/database';
import { type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { SEARCH_RECORDS } from '../src/finding/search.repository.js';
import { migrations } from '../src/migrations/index.js';

const RECORDS = 20_000;
const TENANT = randomUUID();
const OBJECT = randomUUID();
const RESTRICTED = 'a'.repeat(32);

/** A record in each 2, 7, 400 and 9,000 has a word of its own; the restricted texts of each third have another. */
const FILL = `
  INSERT INTO record_search (tenant_id, object_id, id, audience, text)
  SELECT $1::uuid, $2::uuid, ('0199aa00-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, audience,
         CASE audience WHEN '' THEN concat_ws(E'\\n', 'number ' || i, CASE WHEN i % 2 = 0 THEN 'common' END,
           CASE WHEN i % 7 = 0 THEN 'seventh 100% a_b' END, CASE WHEN i % 400 = 0 THEN 'scarce qz' END,
           CASE WHEN i % 9000 = 0 THEN 'unique' END, CASE WHEN i < 3000 THEN 'ancient' END)
         ELSE 'number ' || i || ' hidden' END
    FROM generate_series(1, $3::int) AS i CROSS JOIN unnest(ARRAY['', $4::text]) AS audience
   WHERE audience = '' OR i % 3 = 0`;

let database: TestDatabase;
let admin: pg.Client;
beforeAll(async () => {
  database = await testDatabase('custom-objects', migrations);
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin?.end();
  await database?.drop();
});

it('every table of records belongs to tenants, or is on the list of global ones', async () => {
  const query = async <Row>(sql: string, parameters: readonly unknown[] = []) =>
    (await admin.query(sql, [...parameters])).rows as Row[];
  expect(await catalogueProblems({ query }, GLOBAL_TABLES['custom-objects'])).toEqual([]);
});

describe('the search in the database', () => {
  let runtime: pg.Client;

  beforeAll(async () => {
    runtime = new pg.Client({
      connectionString: database.config.url,
      options: '-c plan_cache_mode=force_generic_plan',
    });
    await runtime.connect();
    await admin.query(FILL, [TENANT, OBJECT, RECORDS, RESTRICTED]);
    for (let other = 0; other < 20; other += 1) await admin.query(FILL, [randomUUID(), OBJECT, 50, RESTRICTED]);
    await admin.query('VACUUM ANALYZE record_search');
    await runtime.query("SELECT set_config('app.tenant_id', $1, false)", [TENANT]);
  });
  afterAll(() => runtime?.end());

  interface Options {
    readonly audiences?: readonly string[];
    readonly isIndexed?: boolean;
    readonly after?: string | null;
    readonly wanted?: number;
    readonly most?: number | null;
  }
  const parametersOf = (
    text: string,
    { audiences = [''], isIndexed = true, after = null, wanted = 26, most = 10_001 }: Options,
  ) => [OBJECT, audiences, text, isIndexed, after, wanted, most];
  const search = async (text: string, options: Options = {}, client = runtime) => {
    const { rows } = await client.query(SEARCH_RECORDS, parametersOf(text, options));
    return rows[0] as { ids: string[]; counted: number };
  };
  /** The same by looking at every text. */
  const lookAtAll = async (text: string, { audiences = [''], after = null, wanted = 26, most = 10_001 }: Options) => {
    const { rows } = await admin.query(
      `SELECT DISTINCT id FROM record_search WHERE tenant_id = $1 AND object_id = $2 AND audience = ANY ($3::text[])
          AND strpos(text, $4) > 0 ORDER BY id DESC`,
      [TENANT, OBJECT, audiences, text],
    );
    const ids = rows.map(({ id }) => id as string);
    const counted = Math.min(ids.length, most ?? ids.length);
    return { ids: ids.filter((id) => after === null || id < after).slice(0, wanted), counted };
  };

  it.each([
    'common',
    'seventh',
    'scarce',
    'unique',
    'ancient',
    'number 19',
    'number 1',
    '100%',
    'a_b',
    'a%b',
    'zzzz',
    'hidden',
  ])('finds by %j what a look at all texts finds, in pages and counted', async (text) => {
    for (const audiences of [[''], [RESTRICTED], ['', RESTRICTED]]) {
      for (const most of [10_001, 1_001, null]) {
        const options = { audiences, most };
        expect(await search(text, options)).toEqual(await lookAtAll(text, options));
      }
      const first = await search(text, { audiences, most: 0 });
      const after = first.ids.at(-2) ?? null;
      const later = { audiences, after, most: 0 };
      expect(await search(text, later)).toEqual(await lookAtAll(text, later));
      expect(await search(text, { ...later, wanted: 1_500 })).toEqual(
        await lookAtAll(text, { ...later, wanted: 1_500 }),
      );
    }
  });

  it.each(['q', 'qz', '%', '1', ' a', '_'])(
    'finds by %j, which has no trigram, what a look at all texts finds',
    async (text) => {
      const options = { isIndexed: false, audiences: ['', RESTRICTED] };
      expect(await search(text, options)).toEqual(await lookAtAll(text, options));
      // Who believes that the index has it waits longer, and finds the same.
      expect(await search(text, { audiences: ['', RESTRICTED] })).toEqual(await lookAtAll(text, options));
    },
  );

  it('finds nothing of other tenants, and nothing without a tenant', async () => {
    const client = new pg.Client({ connectionString: database.config.url });
    await client.connect();
    try {
      expect(await search('number', {}, client)).toEqual({ ids: [], counted: 0 });
      await client.query("SELECT set_config('app.tenant_id', $1, false)", [randomUUID()]);
      expect(await search('number', {}, client)).toEqual({ ids: [], counted: 0 });
      expect(await search('unique', {}, client)).toEqual({ ids: [], counted: 0 });
    } finally {
      await client.end();
    }
  });

  it('is called by the runtime role only, and cannot be diverted to another table', async () => {
    const narrow = new pg.Client({ connectionString: database.config.narrowUrl });
    await narrow.connect();
    try {
      await expect(search('number', {}, narrow)).rejects.toThrow(/permission denied for function/);
    } finally {
      await narrow.end();
    }
    // A table of the same name would have to be in a schema where the role may create one.
    await expect(runtime.query('CREATE TEMP TABLE record_search (id uuid)')).rejects.toThrow(/permission denied/);
  });

  /** The plans of the statements inside the function, by the role and the settings of the service. */
  const plansOf = async (text: string, options: Options) => {
    const client = new pg.Client({ connectionString: database.adminUrl });
    await client.connect();
    try {
      const plans: string[] = [];
      client.on('notice', ({ message }) => plans.push(message ?? ''));
      await client.query("LOAD 'auto_explain'");
      await client.query("SELECT set_config('app.tenant_id', $1, false)", [TENANT]);
      const { rows } = await runtime.query('SELECT current_user AS name');
      await client.query('SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on');
      await client.query('SET client_min_messages = log');
      await client.query(`SET ROLE ${rows[0].name as string}`);
      plans.length = 0;
      await client.query(SEARCH_RECORDS, parametersOf(text, options));
      return plans
        .filter((plan) => plan.includes(' on record_search'))
        .map((plan) => plan.replace(/ \(cost=.*\)/g, ''));
    } finally {
      await client.end();
    }
  };

  it('walks through the newest texts in the order of the primary key, without sorting', async () => {
    const [walk, ...others] = await plansOf('common', { most: 0 });
    expect(walk).toContain('Index Scan Backward using record_search_pkey');
    expect(walk).not.toMatch(/Sort|Seq Scan/);
    expect(others).toEqual([]);
  });

  it.each(['unique', 'zzzz'])('asks the index of the texts for %j, which the newest ones do not have', async (text) => {
    const plans = await plansOf(text, {});
    expect(plans).toHaveLength(2);
    expect(plans[1]).toMatch(/Bitmap Index Scan on record_search_text\s+Index Cond: .*text ~~ /);
    expect(plans[1]).not.toContain('Seq Scan');
  });
});
