import { randomUUID } from 'node:crypto';
import { GLOBAL_TABLES } from '@crm/contracts';
import { catalogueProblems, shardProblems } from '@crm/database';
import { isOnCluster, type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { searchedText } from '../src/finding/search-text.js';
import { migrations } from '../src/migrations/index.js';
import { nestedPlans, withClient } from './nested-plans.js';

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
  expect(await shardProblems({ query })).toEqual([]);
});

/** Texts of four objects and a record of each: all along, of old ones alone, of few that are new, and in which all is restricted. */
const FILL_OBJECTS = `
  WITH texts AS (
    SELECT ($2::uuid[])[k] AS object, ('0199aa00-0000-7000-8000-' || lpad(to_hex(i * 4 + k), 12, '0'))::uuid AS id, audience, i,
           CASE WHEN audience = '' OR k = 4 THEN concat_ws(' ', 'every', CASE WHEN i % 3 = 0 THEN 'third' END, CASE WHEN i % 70 = 0 THEN 'seldom' END,
             CASE WHEN i % 900 = 0 THEN 'rare' END, CASE WHEN i < 700 THEN 'ancient' END, 'in_' || k, i::text) ELSE 'hidden third' END AS text
      FROM generate_series(1, 2500) AS i CROSS JOIN generate_series(1, 4) AS k CROSS JOIN unnest(ARRAY['', $3]) AS audience
     WHERE (k <> 2 OR i < 700) AND (k <> 3 OR i > 2440) AND (k <> 4 OR audience <> '') AND (audience = '' OR k = 4 OR i % 3 = 0)),
  records AS (
    INSERT INTO custom_record (tenant_id, object_id, id, version, data, created_at, updated_at, deleted_at)
    SELECT DISTINCT $1::uuid, object, id, 1, '{}'::jsonb, now(), now(), CASE WHEN i % 50 = 0 THEN now() END FROM texts)
  INSERT INTO record_search (tenant_id, object_id, id, audience, text) SELECT $1::uuid, object, id, audience, text FROM texts`;

describe('the search of several objects', () => {
  const tenant = randomUUID();
  const objects: string[] = Array.from({ length: 5 }, () => randomUUID());
  /** Newest first. */
  let texts: { id: string; object: string; audience: string; text: string; isLive: boolean }[];
  beforeAll(async () => {
    await admin.query(FILL_OBJECTS, [tenant, objects, RESTRICTED]);
    const { rows } = await admin.query(
      `SELECT s.id, s.object_id AS object, s.audience, s.text, r.deleted_at IS NULL AS "isLive"
         FROM record_search s JOIN custom_record r USING (tenant_id, object_id, id) WHERE tenant_id = $1 ORDER BY id DESC`,
      [tenant],
    );
    texts = rows;
  });

  it('finds the newest records of all, as a look at all texts does, whatever has them and wherever a page begins', async () => {
    const words = fc.constantFrom(
      'every',
      'third',
      'seldom',
      'rare',
      'ancient',
      'hidden',
      'in_2',
      'in_3',
      'in_4',
      '249',
      'nobody',
    );
    const search = fc.record({
      asked: fc.subarray(objects, { minLength: 1 }),
      needles: fc.uniqueArray(words, { minLength: 1, maxLength: 2 }),
      audiences: fc.constantFrom<string[]>([''], [RESTRICTED], ['', RESTRICTED]),
      wanted: fc.constantFrom(1, 2, 21, 101, 700),
      after: fc.option(fc.nat(), { nil: null }),
    });
    await withClient(database.config.url, async (runtime) => {
      if (!isOnCluster) await runtime.query('SET plan_cache_mode = force_generic_plan');
      const find = async (
        asked: string[],
        needles: string[],
        audiences: string[],
        after: string | null,
        wanted: number,
      ) => {
        const searches = asked.flatMap((object) => needles.map((needle) => ({ object, audiences, needle })));
        const { rows } = await runtime.query('SELECT objects, heads FROM search_objects($1, $2, $3, $4)', [
          ...[tenant, JSON.stringify(searches), after, wanted],
        ]);
        const owners = rows[0].objects?.split(',') ?? [];
        return (rows[0].heads?.split(',') ?? []).map((head: string, index: number) => [
          head.split(' ')[0],
          owners[index],
        ]);
      };
      await fc.assert(
        fc.asyncProperty(search, async ({ asked, needles, audiences, wanted, after: n }) => {
          const after = n === null ? null : (texts[n % texts.length]?.id ?? null);
          const hits = texts.filter(
            ({ id, object, audience, text }) =>
              asked.includes(object) &&
              audiences.includes(audience) &&
              (after === null || id < after) &&
              needles.some((needle) => text.includes(needle)),
          );
          const newest = [...new Map(hits.map((hit) => [hit.id, hit])).values()].slice(0, wanted);
          expect(await find(asked, needles, audiences, after, wanted)).toEqual(
            newest.filter(({ isLive }) => isLive).map(({ id, object }) => [id, object]),
          );
        }),
        { numRuns: 60 },
      );
    });
  });

  // The nodes of a cluster plan for the values of each call.
  if (isOnCluster) return;

  it('reads texts from the newest one on, in the order of the primary key, however many the planner expects', async () => {
    await admin.query('ANALYZE record_search');
    const searches = objects.map((object) => ({ object, audiences: [''], needle: 'every' }));
    const sql = 'SELECT * FROM search_objects($1, $2, $3, $4)';
    const plans = await nestedPlans(database, tenant, sql, [tenant, JSON.stringify(searches), null, 21]);
    const looks = plans.filter((plan) => plan.includes(' on record_search'));
    expect(looks).toHaveLength(objects.length);
    for (const plan of looks) {
      expect(plan).toContain('Index Scan Backward using record_search_pkey');
      expect(plan).not.toMatch(/Sort|Seq Scan|Bitmap/);
    }
  });
});

/** Which find_record_ids and search_page call. */
const SEARCH_RECORDS = 'SELECT ids, counted FROM search_records($1, $2, $3, $4, $5, $6, $7, $8)';

describe('the search in the database', () => {
  let runtime: pg.Client;

  beforeAll(async () => {
    runtime = new pg.Client({
      connectionString: database.config.url,
      ...(!isOnCluster && { options: '-c plan_cache_mode=force_generic_plan' }),
    });
    await runtime.connect();
    await admin.query(FILL, [TENANT, OBJECT, RECORDS, RESTRICTED]);
    for (let other = 0; other < 20; other += 1) await admin.query(FILL, [randomUUID(), OBJECT, 50, RESTRICTED]);
    await admin.query('VACUUM ANALYZE record_search');
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
  ) => [TENANT, OBJECT, audiences, text, isIndexed, after, wanted, most];
  /** In the context of the tenant, which `SET LOCAL` also tells the nodes of a cluster. */
  const inContext = async (client: pg.Client, parameters: readonly unknown[], tenant: string = TENANT) => {
    await client.query('BEGIN');
    await client.query(`SET LOCAL app.tenant_id = '${tenant}'`);
    return client.query(SEARCH_RECORDS, [...parameters]).finally(() => client.query('ROLLBACK'));
  };
  const find = async (text: string, options: Options = {}, client = runtime, tenant: string = TENANT) => {
    const { rows } = await inContext(client, parametersOf(text, options), tenant);
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

  const TEXTS = ['common', 'seventh', 'scarce', 'unique', 'ancient', 'number 19', 'number 1'];
  it.each([...TEXTS, '100%', 'a_b', 'a%b', 'zzzz', 'hidden'])(
    'finds by %j what a look at all texts finds, in pages and counted',
    async (text) => {
      for (const audiences of [[''], [RESTRICTED], ['', RESTRICTED]]) {
        for (const most of [10_001, 1_001, null]) {
          const options = { audiences, most };
          expect(await find(text, options)).toEqual(await lookAtAll(text, options));
        }
        const first = await find(text, { audiences, most: 0 });
        const after = first.ids.at(-2) ?? null;
        const later = { audiences, after, most: 0 };
        expect(await find(text, later)).toEqual(await lookAtAll(text, later));
        expect(await find(text, { ...later, wanted: 1_500 })).toEqual(
          await lookAtAll(text, { ...later, wanted: 1_500 }),
        );
      }
    },
  );

  it.each(['q', 'qz', '%', '1', ' a', '_'])(
    'finds by %j, which has no trigram, what a look at all texts finds',
    async (text) => {
      const options = { isIndexed: false, audiences: ['', RESTRICTED] };
      expect(await find(text, options)).toEqual(await lookAtAll(text, options));
      // Who believes that the index has it waits longer, and finds the same.
      expect(await find(text, { audiences: ['', RESTRICTED] })).toEqual(await lookAtAll(text, options));
    },
  );

  it('finds what a look at all texts finds, whatever the text, the page and what is counted', async () => {
    const letters = fc.string({ unit: fc.constantFrom(...'aehnqrsuz019 %_'), minLength: 1, maxLength: 3 });
    const after = fc.option(fc.integer({ min: 1, max: RECORDS }));
    const position = (n: number) => `0199aa00-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
    const search = fc.record({
      text: fc.oneof(letters, fc.constantFrom('seventh', 'scarce', 'ancient', 'number 7', 'hidden')),
      audiences: fc.constantFrom([''], [RESTRICTED], ['', RESTRICTED]),
      wanted: fc.constantFrom(0, 1, 26, 300),
      most: fc.constantFrom(0, 1, 501, 10_001, null),
      after,
    });
    await fc.assert(
      fc.asyncProperty(search, async ({ text, after: n, most, ...more }) => {
        const isIndexed = searchedText(text)?.isIndexed ?? false;
        const options = { ...more, isIndexed, after: n === null ? null : position(n), most: n === null ? most : 0 };
        expect(await find(text, options)).toEqual(await lookAtAll(text, options));
      }),
      { numRuns: 60 },
    );
  });

  it('finds nothing of other tenants, and nothing of a tenant that is not the one in context', async () => {
    await withClient(database.config.url, async (client) => {
      const [, ...others] = parametersOf('number', {});
      const stranger = randomUUID();
      const { rows } = await inContext(client, [stranger, ...others], stranger);
      expect(rows).toEqual([{ ids: [], counted: 0 }]);
      for (const context of ['', stranger]) {
        expect(await find('number', {}, client, context)).toEqual({ ids: [], counted: 0 });
      }
    });
  });

  it('is called by the runtime role only, and cannot be diverted to another table', async () => {
    await withClient(database.config.narrowUrl, (narrow) =>
      expect(find('number', {}, narrow)).rejects.toThrow(/permission denied for function/),
    );
    // A table of the same name would have to be in a schema where the role may create one.
    await expect(runtime.query('CREATE TEMP TABLE record_search (id uuid)')).rejects.toThrow(/permission denied/);
  });

  // The nodes of a cluster plan for the values of each call.
  if (isOnCluster) return;

  const plansOf = async (text: string, options: Options) => {
    const plans = await nestedPlans(database, TENANT, SEARCH_RECORDS, parametersOf(text, options));
    return plans.filter((plan) => plan.includes(' on record_search'));
  };

  it('walks through the newest texts in the order of the primary key, without sorting', async () => {
    const [walk, ...others] = await plansOf('common', { most: 0 });
    expect(walk).toContain('Index Scan Backward using record_search_pkey');
    expect(walk).not.toMatch(/Sort|Seq Scan/);
    expect(others).toEqual([]);
  });

  it.each(['unique', 'zzzz'])('asks the index of the texts for %j, which the newest ones do not have', async (text) => {
    const plans = await plansOf(text, {});
    // What the newest texts have, and what the index has.
    expect(plans).toHaveLength(2);
    expect(plans[1]).toMatch(/Bitmap Index Scan on record_search_text\w*\s+Index Cond: .*text ~~ /);
    for (const plan of plans) expect(plan).not.toContain('Seq Scan');
  });

  it('reads no list of new entries to which another workspace adds', async () => {
    // Their hashes have different ends.
    const [tenant, other] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
    const [, ...search] = parametersOf('zzzz', {});
    for (const each of [tenant, other]) await admin.query(FILL, [each, OBJECT, 200, RESTRICTED]);
    const plans = await nestedPlans(database, tenant, SEARCH_RECORDS, [tenant, ...search]);
    const [, index] = /Bitmap Index Scan on (\w+)/.exec(plans.join('\n')) ?? [];
    /** Empties the list. @returns its pages */
    const pages = async () =>
      (await admin.query('SELECT gin_clean_pending_list($1::regclass)::int AS n', [index])).rows[0].n;
    expect(await pages()).toBeGreaterThan(0);
    await admin.query(FILL, [other, randomUUID(), 200, RESTRICTED]);
    expect(await pages()).toBe(0);
    await admin.query(FILL, [tenant, randomUUID(), 200, RESTRICTED]);
    expect(await pages()).toBeGreaterThan(0);
  });
});
