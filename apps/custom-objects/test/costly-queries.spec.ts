import { setTimeout as delay } from 'node:timers/promises';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { COSTLY_AT_ONCE, CostlyQueries } from '../src/finding/costly-query.service.js';
import { type CustomObjectsService, startCustomObjects, type Tenant } from './custom-objects-service.js';

const PATH = '/api/crm/custom/site_visit/records';
const COST = { cause: 'sort: rank has no index', help: 'sort by another field' };

describe('queries that no index bounds', () => {
  let app: CustomObjectsService;
  let admin: pg.Client;
  let busy: Tenant;
  let other: Tenant;
  beforeAll(async () => {
    app = await startCustomObjects();
    admin = new pg.Client({ connectionString: app.adminUrl });
    await admin.connect();
    [busy, other] = [await app.tenant(), await app.tenant()];
    for (const { admin: token } of [busy, other]) {
      await app.service.request('POST', PATH, { token, body: { title: 'Visit', hours: 2, tags: ['a'] } });
    }
  });
  afterAll(async () => {
    await admin?.end();
    await app?.close();
  });

  const get = (path: string, { member }: Tenant) =>
    app.service.request<Record<string, unknown> & { data: { id: string }[] }>('GET', path, { token: member });
  /** Connections of the service that wait for a lock. */
  const waiting = async () => {
    // Within a transaction Postgres would show the activity at its first look.
    await admin.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await admin.query(
      `SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`,
    );
    return rows[0].count as number;
  };

  it.each([
    'filterField=tags&filterValue=a',
    'filterField=doubled&filterValue=4',
    'sort=-updatedAt',
    'count=exact',
    'q=vi',
    'q=visit&count=exact&filterField=tags&filterValue=a',
  ])('are answered while there are few records: %s', async (query) => {
    const { status, body } = await get(`${PATH}?${query}`, other);
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 1, totalIsExact: true });
  });

  it('have at most two connections for one tenant, are refused after two seconds, and leave the others to other tenants', async () => {
    const [record] = (await get(PATH, other)).body.data;
    await admin.query('BEGIN');
    try {
      // As if every comparison of a text took for ever.
      await admin.query('LOCK TABLE record_search IN ACCESS EXCLUSIVE MODE');
      const started = Date.now();
      const searches = Array.from({ length: 8 }, () => get(`${PATH}?q=zzzz`, busy));
      let isOver = false;
      const answers = Promise.all(searches).finally(() => {
        isOver = true;
      });
      let most = 0;
      let reads = 0;
      while (!isOver) {
        most = Math.max(most, await waiting());
        const read = await get(`${PATH}/${record?.id}`, other);
        expect(read.status).toBe(200);
        if (most === COSTLY_AT_ONCE && !isOver) reads += 1;
        await delay(50);
      }
      expect(most).toBe(COSTLY_AT_ONCE);
      expect(reads).toBeGreaterThan(5);
      for (const { status, body } of await answers) {
        expect([status, body.code]).toEqual([422, 'QUERY_TOO_EXPENSIVE']);
        expect(body.detail).toMatch(/^q: .*; search for a longer text, .*[^.]$/);
      }
      // Two rounds of two seconds at most.
      expect(Date.now() - started).toBeLessThan(10_000);
    } finally {
      await admin.query('ROLLBACK');
    }
    expect((await get(`${PATH}?q=zzzz`, busy)).status).toBe(200);
  });

  it('name the field and those that have an index, as far as the caller can read them', async () => {
    await admin.query('BEGIN');
    try {
      await admin.query('LOCK TABLE custom_record IN ACCESS EXCLUSIVE MODE');
      const [filtered, sorted] = await Promise.all(
        ['filterField=tags&filterValue=a', 'sort=-updatedAt'].map((query) => get(`${PATH}?${query}`, busy)),
      );
      for (const answer of [filtered, sorted]) expect(answer?.status).toBe(422);
      expect(filtered?.body.detail).toMatch(
        /^filterField: tags has no index, .*; filter by a field with an index \(.*title.*\)$/,
      );
      expect(filtered?.body.detail).not.toMatch(/rate|remark/);
      expect(sorted?.body.detail).toMatch(/^sort: updatedAt has no index, /);
    } finally {
      await admin.query('ROLLBACK');
    }
  });

  it('end each statement after two seconds, and return the connection as it was', async () => {
    const costly = app.service.get(CostlyQueries);
    const slow = costly.run(busy.id, COST, (tx) => tx.query('SELECT pg_sleep(20)'));
    await expect(slow).rejects.toMatchObject({ code: 'QUERY_TOO_EXPENSIVE', status: 422 });
    const read = () => app.service.get(Database).transaction(busy.id, (tx) => tx.query('SHOW statement_timeout'));
    for (const [row] of await Promise.all([read(), read(), read()])) expect(row).toEqual({ statement_timeout: '30s' });
  });

  it('leave their places empty for a moment', async () => {
    const costly = app.service.get(CostlyQueries);
    const begun = performance.now();
    const starts: number[] = [];
    const query = () =>
      costly.run(busy.id, COST, (tx) => {
        starts.push(performance.now() - begun);
        return tx.query('SELECT pg_sleep(0.05)');
      });
    await Promise.all(Array.from({ length: 6 }, query));
    // Two at once: the third waits for 50 ms of one and 20 ms of rest, the fifth twice as long.
    expect(starts[2]).toBeGreaterThanOrEqual(69);
    expect(starts[4]).toBeGreaterThanOrEqual(138);
  });

  it('pass on an error that is none of theirs', async () => {
    const costly = app.service.get(CostlyQueries);
    const refused = costly.run(busy.id, COST, () => Promise.reject(new PlatformError('NOT_FOUND')));
    await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(costly.run(busy.id, COST, (tx) => tx.query('SELECT 1 AS one'))).resolves.toEqual([{ one: 1 }]);
  });
});
