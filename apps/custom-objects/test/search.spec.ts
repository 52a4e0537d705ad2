import { setTimeout as delay } from 'node:timers/promises';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { COSTLY_AT_ONCE, CostlyQueries } from '../src/finding/costly-query.service.js';
import type { DeclaredObject } from '../src/object/object-definition.js';
import { type CustomObjectsService, RECORDS, startCustomObjects, type Tenant } from './custom-objects-service.js';

let app: CustomObjectsService;
beforeAll(async () => {
  app = await startCustomObjects();
});
afterAll(() => app?.close());

const PATH = '/api/crm/custom/dossier/records';
const DOSSIER: DeclaredObject = {
  apiName: 'dossier',
  fields: [
    { apiName: 'title', type: 'text' },
    { apiName: 'notes', type: 'textarea' },
    { apiName: 'stage', type: 'picklist', options: ['open', 'shut'] },
    { apiName: 'rank', type: 'number' },
    { apiName: 'diagnosis', type: 'text', readRoles: ['doctor', 'admin'] },
    { apiName: 'therapy', type: 'text', readRoles: ['admin', 'doctor'] },
    { apiName: 'salary', type: 'text', readRoles: ['payroll'] },
  ],
};

describe('a search of records', () => {
  let tenant: Tenant;
  let doctor: string;
  let payroll: string;
  beforeAll(async () => {
    tenant = await app.tenant('business', [DOSSIER]);
    doctor = await tenant.sign({ roles: ['member', 'doctor'] });
    payroll = await tenant.sign({ roles: ['member', 'payroll'] });
  });

  const call: CustomObjectsService['call'] = (...request) => app.call(...request);
  const create = async (body: object) => (await app.create(PATH, tenant.admin, body)).id;
  const find = async (q: string, token: string, more = '') => {
    const { status, body } = await call('GET', `${PATH}?q=${encodeURIComponent(q)}${more}`, token);
    expect(status).toBe(200);
    return body;
  };
  const titles = async (q: string, token: string, more = '') =>
    (await find(q, token, more)).data.map(({ title }) => title);

  it('finds each value for those who can read it, and for nobody else', async () => {
    await create({ title: 'Müller', diagnosis: 'Scarlatina', therapy: 'Penicillin' });
    const paid = await create({ title: 'Maier' });
    expect((await call('PATCH', `${PATH}/${paid}`, payroll, { salary: 'Munificent' })).status).toBe(200);
    for (const token of [tenant.admin, doctor]) {
      expect(await titles('scarlatina', token)).toEqual(['Müller']);
      expect(await titles('PENICILL', token)).toEqual(['Müller']);
    }
    expect(await titles('munificent', payroll)).toEqual(['Maier']);
    for (const token of [tenant.member, payroll]) expect(await titles('scarlatina', token)).toEqual([]);
    for (const token of [tenant.member, tenant.admin, doctor]) expect(await titles('munificent', token)).toEqual([]);
    expect(await titles('muller', tenant.member)).toEqual(['Müller']);
    // One record, although two of its texts match.
    await create({ title: 'Twofold', diagnosis: 'Twofold' });
    expect(await find('twofold', doctor)).toMatchObject({ total: 1, data: [{ title: 'Twofold' }] });
  });

  it('follows changes and deletion', async () => {
    const id = await create({ title: 'Before', diagnosis: 'Measles', rank: 1 });
    await call('PATCH', `${PATH}/${id}`, doctor, { title: 'Afterwards', diagnosis: null });
    expect(await titles('before', tenant.admin)).toEqual([]);
    expect(await titles('measles', tenant.admin)).toEqual([]);
    expect(await titles('afterw', tenant.member)).toEqual(['Afterwards']);
    await call('PATCH', `${PATH}/${id}`, tenant.member, { rank: 2 });
    expect(await titles('afterw', tenant.member)).toEqual(['Afterwards']);
    expect((await call('DELETE', `${PATH}/${id}`, tenant.admin)).status).toBe(204);
    expect(await titles('afterw', tenant.member)).toEqual([]);
  });

  it('is one more condition beside a filter and an order', async () => {
    await create({ title: 'Ledger one', stage: 'open', rank: 2 });
    await create({ title: 'Ledger two', stage: 'shut', rank: 1 });
    await create({ title: 'Ledger three', stage: 'open', rank: 1 });
    expect(await titles('ledger', tenant.member)).toEqual(['Ledger three', 'Ledger two', 'Ledger one']);
    expect(await titles('ledger', tenant.member, '&filterField=stage&filterValue=open')).toEqual([
      'Ledger three',
      'Ledger one',
    ]);
    expect(await titles('ledger', tenant.member, '&sort=rank&filterField=stage&filterValue=open')).toEqual([
      'Ledger three',
      'Ledger one',
    ]);
    expect(await titles('er', tenant.member, '&sort=-title&filterField=stage&filterValue=shut')).toEqual([
      'Ledger two',
    ]);
    expect(await titles('ledger', tenant.member, '&sort=createdAt')).toEqual([
      'Ledger one',
      'Ledger two',
      'Ledger three',
    ]);
  });

  it('comes in pages, by number and by cursor, and is counted when that is asked for', async () => {
    for (let index = 0; index < 7; index += 1) await create({ title: `Paged ${index}` });
    const first = await find('paged', tenant.member, '&size=3');
    expect(first).toMatchObject({ total: 7, totalIsExact: true, hasMore: true });
    expect(first.data.map(({ title }) => title)).toEqual(['Paged 6', 'Paged 5', 'Paged 4']);
    const second = await find('paged', tenant.member, `&size=3&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ total: null, totalIsExact: false, hasMore: true });
    expect(second.data).toEqual((await find('paged', tenant.member, '&size=3&page=2')).data);
    expect(await find('paged', tenant.member, '&size=3&page=3&count=exact')).toMatchObject({
      total: 7,
      hasMore: false,
    });
    expect(await find('paged', tenant.member, '&count=none')).toMatchObject({ total: null, totalIsExact: false });
    expect(await find('paged 9', tenant.member)).toMatchObject({ total: 0, totalIsExact: true, data: [] });
  });

  it('takes what is special to patterns as it stands, and has no smallest length', async () => {
    await create({ title: '100% of C:\\dir_x' });
    for (const q of ['100%', '% of', 'c:\\dir', 'r_x', '0%', '%', '\\']) {
      expect(await titles(q, tenant.member)).toEqual(['100% of C:\\dir_x']);
    }
    expect(await titles('r%x', tenant.member)).toEqual([]);
    expect((await call('GET', `${PATH}?q=%00`, tenant.member)).status).toBe(400);
  });

  it('looks at the first 8,000 characters of the texts together, without those that folding removes', async () => {
    const start = `${' '.repeat(20_000)}a\u0301${' '.repeat(20_000)}`;
    await create({ title: 'Long', notes: `${start}word ${'x'.repeat(7_990)} needle` });
    await create({ title: 'Longer', notes: `word ${'x'.repeat(8_100)} needle` });
    expect(await titles('needle', tenant.member)).toEqual([]);
    expect(await titles('a word xxx', tenant.member)).toEqual(['Long']);
    await create({ title: 'Short enough', notes: `${start}word ${'x'.repeat(7_000)} needle` });
    expect(await titles('needle', tenant.member)).toEqual(['Short enough']);
  });
});

const COST = { cause: 'sort: rank has no index', help: 'sort by another field' };

describe('queries that no index bounds', () => {
  let admin: pg.Client;
  let busy: Tenant;
  let other: Tenant;
  beforeAll(async () => {
    admin = new pg.Client({ connectionString: app.adminUrl });
    await admin.connect();
    [busy, other] = [await app.tenant(), await app.tenant()];
    for (const { admin: token } of [busy, other]) {
      await app.create(RECORDS, token, { title: 'Visit', hours: 2, tags: ['a'] });
    }
  });
  afterAll(async () => {
    await admin?.end();
  });

  const get = (path: string, { call }: Tenant) => call('GET', path);
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
    const { status, body } = await get(`${RECORDS}?${query}`, other);
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 1, totalIsExact: true });
  });

  it('have at most two connections for one tenant, are refused after two seconds, and leave the others to other tenants', async () => {
    const [record] = (await get(RECORDS, other)).body.data;
    await admin.query('BEGIN');
    try {
      // As if every comparison of a text took for ever.
      await admin.query('LOCK TABLE record_search IN ACCESS EXCLUSIVE MODE');
      const started = Date.now();
      const searches = Array.from({ length: 8 }, () => get(`${RECORDS}?q=zzzz`, busy));
      let isOver = false;
      const answers = Promise.all(searches).finally(() => {
        isOver = true;
      });
      let most = 0;
      let reads = 0;
      while (!isOver) {
        most = Math.max(most, await waiting());
        const read = await get(`${RECORDS}/${record?.id}`, other);
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
    expect((await get(`${RECORDS}?q=zzzz`, busy)).status).toBe(200);
  });

  it('name the field and those that have an index, as far as the caller can read them', async () => {
    await admin.query('BEGIN');
    try {
      await admin.query('LOCK TABLE custom_record IN ACCESS EXCLUSIVE MODE');
      const [filtered, sorted] = await Promise.all(
        ['filterField=tags&filterValue=a', 'sort=-updatedAt'].map((query) => get(`${RECORDS}?${query}`, busy)),
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
