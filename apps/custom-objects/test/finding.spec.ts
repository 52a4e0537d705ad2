import { setTimeout as delay } from 'node:timers/promises';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { isOnCluster, waitUntil } from '@crm/testing';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { COSTLY_AT_ONCE, CostlyQueries } from '../src/finding/costly-query.service.js';
import { ObjectSizes } from '../src/finding/object-size.service.js';
import { RecordListRepository } from '../src/finding/record-list.repository.js';
import { type DeclaredObject, STANDARD_OBJECTS } from '../src/object/object-definition.js';
import { app, call, type Json, RECORDS, type Tenant, useCustomObjects } from './custom-objects-service.js';

// A service has this many connections.
useCustomObjects({ poolSize: 10, ...(!isOnCluster && { costlyTimeoutMs: 2_000 }) });

const LEADS = '/api/crm/leads';
const DEALS = '/api/crm/opportunities';
/** A tenant that has standard objects only. */
const standard = () => app.tenant('business', []);

describe('a list', () => {
  const names = ['Dora', 'Adam', 'Cleo', 'Berta', 'Adam'];
  let filled: Tenant;
  beforeAll(async () => {
    filled = await standard();
    for (const [index, lastName] of names.entries()) {
      // A lead's status has an index, its first name none.
      const [status, firstName] = index % 2 ? ['contacted', 'Al'] : [null, null];
      await filled.call('POST', LEADS, { lastName, status, firstName });
    }
  });

  const list = async (query: string) => (await filled.call('GET', `${LEADS}?${query}`)).body;
  const namesOf = async (query: string) => (await list(query)).data.map((lead) => lead.lastName);

  it('has the newest first, counts all and comes in pages', async () => {
    const { data, ...rest } = await list('');
    expect(data.map((lead) => lead.lastName)).toEqual([...names].reverse());
    expect(rest).toEqual({ page: 1, size: 25, total: 5, totalIsExact: true, hasMore: false, nextCursor: null });
    const second = await list('page=2&size=2&sort=lastName');
    expect(second).toMatchObject({ page: 2, size: 2, total: 5, hasMore: true });
    expect(second.data.map((lead) => lead.lastName)).toEqual(['Berta', 'Cleo']);
    expect(await list('page=3&size=2&sort=lastName')).toMatchObject({ hasMore: false, nextCursor: null });
  });

  it.each(['lastName', 'status', 'firstName', 'createdAt', 'id'].flatMap((name) => [name, `-${name}`]))(
    'read by cursor in the order %s has every record once, in the order of the pages',
    async (sort) => {
      const whole = (await list(`sort=${sort}`)).data.map(({ id }) => id);
      const seen = (await app.pages(`${LEADS}?sort=${sort}&size=2`, filled.member)).map(({ id }) => id);
      expect(seen).toEqual(whole);
      expect(new Set(seen).size).toBe(5);
      const last = (await list(`sort=${sort}`)).data.map(({ status }) => status).slice(2);
      if (/status|firstName/.test(sort)) expect(last).toEqual([null, null, null]);
    },
  );

  it('is filtered by a field, whose type the value has', async () => {
    expect(await namesOf('filterField=lastName&filterValue=Adam')).toEqual(['Adam', 'Adam']);
    expect(await namesOf('filterField=status&filterValue=contacted&sort=lastName')).toEqual(['Adam', 'Berta']);
    expect((await list('filterField=status&filterValue=contacted')).total).toBe(2);
    const { call } = await standard();
    const { body: company } = await call('POST', '/api/crm/companies', { name: 'A' });
    const values = { amount: 12.5, status: 'won', closeDate: '2026-02-28', companyId: company.id };
    const { body: deal } = await call('POST', DEALS, { name: 'A', ...values });
    await call('POST', DEALS, { name: 'B', amount: 12 });
    for (const [field, value] of Object.entries(values)) {
      const { body } = await call('GET', `${DEALS}?filterField=${field}&filterValue=${value}`);
      expect([field, body.data.map(({ id }) => id)]).toEqual([field, [deal.id]]);
    }
  });

  it('counts to 10,000 unless an exact count is asked for', async () => {
    const { id: tenantId, call } = await standard();
    await app.admin.query(
      `WITH added AS (
         INSERT INTO custom_record (tenant_id, object_id, id, version, data, created_at, updated_at, created_by)
         SELECT $1, $2, gen_random_uuid(), 1, jsonb_build_object('1', 'Company ' || n), now(), now(), $1
           FROM generate_series(1, 10001) AS n RETURNING id, data)
       INSERT INTO record_search (tenant_id, object_id, id, audience, text)
       SELECT $1, $2, id, '', lower(data->>'1') FROM added`,
      [tenantId, STANDARD_OBJECTS.company.id],
    );
    const list = async (query: string) => (await call('GET', `/api/crm/companies?${query}`)).body;
    expect(await list('size=1')).toMatchObject({ total: 10_000, totalIsExact: false, hasMore: true });
    expect(await list('size=1&count=exact')).toMatchObject({ total: 10_001, totalIsExact: true });
    expect(await list('size=1&q=company%2010001')).toMatchObject({ total: 1, totalIsExact: true, hasMore: false });
    expect(await list('size=1&q=company')).toMatchObject({ total: 10_000, totalIsExact: false, hasMore: true });
  });

  describe('of more records than are counted with each page', () => {
    let many: Tenant;
    const create = () => app.create(LEADS, many.admin, { lastName: 'Common', status: 'new' });
    beforeAll(async () => {
      many = await standard();
      await Promise.all(Array.from({ length: 600 }, create));
    });

    it.each([
      '',
      'page=3',
      'sort=lastName',
      'filterField=status&filterValue=new',
      'q=common',
      'q=mm',
      'q=mm&sort=lastName',
    ])('counts them once for all who ask at the same time, and anew after a change: %s', async (query) => {
      const list = async () => (await many.call('GET', `${LEADS}?size=2&${query}`)).body;
      const { id } = await create();
      const statements = jest.spyOn(RecordListRepository.prototype as never as { page(): unknown }, 'page');
      // A total is kept for a second, which a busy machine may need for all of them.
      const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
      const answers = await Promise.all(Array.from({ length: 8 }, list));
      clock.mockRestore();
      // A page for each, and a statement that counts.
      const { length } = statements.mock.calls;
      statements.mockRestore();
      expect(length).toBe(9);
      const { total } = answers[0] as Json;
      expect(total).toBeGreaterThan(600);
      for (const answer of answers) expect(answer).toMatchObject({ total, totalIsExact: true, hasMore: true });
      const beyond = (await many.call('GET', `${LEADS}?size=25&${query.replace(/page=3/, '')}&page=99`)).body;
      expect(beyond).toMatchObject({ data: [], total, totalIsExact: true });
      await create();
      expect((await list()).total).toBe(total + 1);
      await many.call('DELETE', `${LEADS}/${id}`);
      expect(await list()).toMatchObject({ total, totalIsExact: true });
    });

    it('is as long as what its pages show, whatever others write meanwhile', async () => {
      const before = (await many.call('GET', LEADS)).body.total;
      let isOver = false;
      const writing = Promise.all(Array.from({ length: 100 }, create)).finally(() => {
        isOver = true;
      });
      let last = before;
      while (!isOver) {
        const { total } = (await many.call('GET', `${LEADS}?size=1`)).body;
        expect(total).toBeGreaterThanOrEqual(last);
        last = total;
      }
      await writing;
      expect((await many.call('GET', LEADS)).body.total).toBe(before + 100);
    });
  });

  it('takes its cursor in the same tenant, object, order, filter and search alone', async () => {
    const [own, other] = [await standard(), await standard()];
    for (const lastName of ['Ada', 'Alan']) await own.call('POST', LEADS, { lastName, status: 'new' });
    const path = `${LEADS}?size=1&sort=lastName&filterField=status&filterValue=new&q=a`;
    const { nextCursor } = (await own.call('GET', path)).body;
    const continued = ({ call }: Tenant, at: string) => call('GET', `${at}&cursor=${nextCursor}`);
    expect((await continued(own, path)).body.data).toMatchObject([{ lastName: 'Alan' }]);
    const lists: [Tenant, string][] = [
      [own, path.replace('sort=', 'sort=-')],
      [own, path.replace('filterValue=new', 'filterValue=old')],
      [own, path.replace('q=a', 'q=b')],
      [own, `${LEADS}?size=1&sort=lastName`],
      [own, path.replace('leads', 'contacts').replace('status', 'lastName')],
      [other, path],
    ];
    for (const [tenant, at] of lists) {
      expect(await continued(tenant, at)).toMatchObject({ status: 400, body: { code: 'INVALID_QUERY' } });
    }
  });
});

describe('a filter of custom objects', () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await app.tenant();
    for (let index = 0; index < 7; index += 1) {
      await app.create(RECORDS, tenant.admin, {
        title: `Väter ${index}%`,
        hours: index,
        stage: index < 3 ? 'done' : 'planned',
        tags: index % 2 ? ['b', 'a'] : [],
        visited_on: '2026-02-28',
      });
    }
  });

  it('by a formula that is too large for a query is refused, although the formula is computed', async () => {
    const doubling = Array.from({ length: 11 }, (_, step) => ({
      apiName: `f${step}`,
      type: 'formula' as const,
      expression: step === 0 ? 'n' : `f${step - 1} + f${step - 1}`,
    }));
    const { call } = await app.tenant('business', [
      { apiName: 'site_visit', label: 'Visit', fields: [{ apiName: 'n', type: 'number' }, ...doubling] },
    ]);
    expect((await call('POST', RECORDS, { n: 1 })).body).toMatchObject({ f10: 1024 });
    expect((await call('GET', `${RECORDS}?filterField=f8&filterValue=256`)).body.total).toBe(1);
    const refused = await call('GET', `${RECORDS}?filterField=f10&filterValue=1024`);
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_QUERY']);
    expect(refused.body.detail).toContain('more than 4000 nodes');
  });

  it.each([
    ['filterField=stage&filterValue=done', 3],
    ['filterField=hours&filterValue=4', 1],
    ['filterField=hours&filterValue=4.0', 1],
    ['filterField=tags&filterValue=a', 3],
    ['filterField=visited_on&filterValue=2026-02-28', 7],
    ['filterField=doubled&filterValue=8', 1],
    ['filterField=doubled&filterValue=8.0', 1],
    ['filterField=doubled&filterValue=7', 0],
    ['filterField=summary&filterValue=V%C3%A4ter%203%25%20(a,%20b)', 1],
    ['filterField=is_late&filterValue=true', 7],
    ['filterField=doubled&filterValue=1e-400', 1],
    ['filterField=visit_day&filterValue=2026-02-28', 7],
    ['q=vater', 7],
    ['q=%C3%A4ter%203', 1],
    ['q=3%25', 1],
    ['q=_', 0],
    ['q=vater&filterField=stage&filterValue=done', 3],
  ])('%s finds %d records', async (query, total) => {
    expect((await tenant.call('GET', `${RECORDS}?${query}`)).body.total).toBe(total);
  });
});

const DOSSIERS = '/api/crm/custom/dossier/records';
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

  const create = async (body: object) => (await app.create(DOSSIERS, tenant.admin, body)).id;
  const find = async (q: string, token: string, more = '') => {
    const { status, body } = await call('GET', `${DOSSIERS}?q=${encodeURIComponent(q)}${more}`, token);
    expect(status).toBe(200);
    return body;
  };
  const titles = async (q: string, token: string, more = '') =>
    (await find(q, token, more)).data.map(({ title }) => title);

  it('finds each value for those who can read it, and for nobody else', async () => {
    await create({ title: 'Müller', diagnosis: 'Scarlatina', therapy: 'Penicillin' });
    const paid = await create({ title: 'Maier' });
    expect((await call('PATCH', `${DOSSIERS}/${paid}`, payroll, { salary: 'Munificent' })).status).toBe(200);
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
    await call('PATCH', `${DOSSIERS}/${id}`, doctor, { title: 'Afterwards', diagnosis: null });
    expect(await titles('before', tenant.admin)).toEqual([]);
    expect(await titles('measles', tenant.admin)).toEqual([]);
    expect(await titles('afterw', tenant.member)).toEqual(['Afterwards']);
    await tenant.call('PATCH', `${DOSSIERS}/${id}`, { rank: 2 });
    expect(await titles('afterw', tenant.member)).toEqual(['Afterwards']);
    expect((await call('DELETE', `${DOSSIERS}/${id}`, tenant.admin)).status).toBe(204);
    expect(await titles('afterw', tenant.member)).toEqual([]);
  });

  it('is one more condition beside a filter and an order', async () => {
    await create({ title: 'Ledger one', stage: 'open', rank: 2 });
    await create({ title: 'Ledger two', stage: 'shut', rank: 1 });
    await create({ title: 'Ledger three', stage: 'open', rank: 1 });
    const open = '&filterField=stage&filterValue=open';
    for (const [q, more, ...found] of [
      ['ledger', '', 'three', 'two', 'one'],
      ['ledger', open, 'three', 'one'],
      ['ledger', `&sort=rank${open}`, 'three', 'one'],
      ['er', '&sort=-title&filterField=stage&filterValue=shut', 'two'],
      ['ledger', '&sort=createdAt', 'one', 'two', 'three'],
    ] as [string, string, ...string[]][]) {
      expect(await titles(q, tenant.member, more)).toEqual(found.map((name) => `Ledger ${name}`));
    }
  });

  it('comes in pages, by number and by cursor, and is counted when that is asked for', async () => {
    for (let index = 0; index < 7; index += 1) await create({ title: `Paged ${index}` });
    const first = await find('paged', tenant.member, '&size=3');
    expect(first).toMatchObject({ total: 7, totalIsExact: true, hasMore: true });
    expect(first.data.map(({ title }) => title)).toEqual(['Paged 6', 'Paged 5', 'Paged 4']);
    const second = await find('paged', tenant.member, `&size=3&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ total: null, totalIsExact: false, hasMore: true });
    expect(second.data).toEqual((await find('paged', tenant.member, '&size=3&page=2')).data);
    const third = await find('paged', tenant.member, '&size=3&page=3&count=exact');
    expect(third).toMatchObject({ total: 7, hasMore: false });
    expect(await find('paged', tenant.member, '&count=none')).toMatchObject({ total: null, totalIsExact: false });
    expect(await find('paged 9', tenant.member)).toMatchObject({ total: 0, totalIsExact: true, data: [] });
  });

  it('takes what is special to patterns as it stands, and has no smallest length', async () => {
    await create({ title: '100% of C:\\dir_x' });
    for (const q of ['100%', '% of', 'c:\\dir', 'r_x', '0%', '%', '\\']) {
      expect(await titles(q, tenant.member)).toEqual(['100% of C:\\dir_x']);
    }
    expect(await titles('r%x', tenant.member)).toEqual([]);
    expect((await tenant.call('GET', `${DOSSIERS}?q=%00`)).status).toBe(400);
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
  let busy: Tenant;
  let other: Tenant;
  let costly: CostlyQueries;
  beforeAll(async () => {
    costly = app.service.get(CostlyQueries);
    [busy, other] = [await app.tenant(), await app.tenant()];
    for (const { admin: token } of [busy, other]) {
      await app.create(RECORDS, token, { title: 'Visit', hours: 2, tags: ['a'] });
    }
  });

  const get = (path: string, { call }: Tenant) => call('GET', path);
  /** Does something while nobody else reads or writes a table, as if every comparison took for ever. */
  const whileLocked = <T>(table: string, work: () => Promise<T>): Promise<T> =>
    app.whileHeld(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`, [], work);
  /** Connections of the service that wait for a lock. */
  const waiting = async () => {
    // Within a transaction Postgres would show the activity at its first look.
    await app.admin.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await app.admin.query(
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
    expect([status, body]).toMatchObject([200, { total: 1, totalIsExact: true }]);
  });

  // Who locks a table of a cluster locks its shards, where nobody sees who waits.
  if (isOnCluster) return;

  const LARGE = 'of many records';
  it.each([
    ['q=zzzz', LARGE, 5],
    ['q=zz', LARGE, COSTLY_AT_ONCE],
    ['q=zz', 'of few', 5],
    ['q=zzzz&filterField=tags&filterValue=a', LARGE, COSTLY_AT_ONCE],
    ['q=zzzz&filterField=tags&filterValue=a', 'of few', 5],
  ])('of one tenant in an object, %s %s, have at once of the ten connections: %d', async (query, size, most) => {
    const sizes = jest.spyOn(ObjectSizes.prototype, 'isSmall').mockResolvedValue(size !== LARGE);
    const calls = await whileLocked('record_search', async () => {
      const sent = Array.from({ length: 32 }, () => get(`${RECORDS}?${query}`, busy));
      await waitUntil(async () => (await waiting()) >= most);
      // Others are answered although those wait.
      expect((await get(RECORDS, other)).status).toBe(200);
      expect(await waiting()).toBe(most);
      return sent;
    });
    await Promise.all(calls);
    sizes.mockRestore();
  });

  it('have at most two connections for one tenant, are refused after two seconds, and leave the others to other tenants', async () => {
    const [record] = (await get(RECORDS, other)).body.data;
    const sizes = jest.spyOn(ObjectSizes.prototype, 'isSmall').mockResolvedValue(false);
    await whileLocked('record_search', async () => {
      const started = Date.now();
      const searches = Array.from({ length: 8 }, () => get(`${RECORDS}?q=zz`, busy));
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
        expect(body.detail).toMatch(/^q: .*; search for at least 3 letters or digits, .*[^.]$/);
      }
      // Two rounds of two seconds at most.
      expect(Date.now() - started).toBeLessThan(10_000);
    });
    sizes.mockRestore();
    expect((await get(`${RECORDS}?q=zzzz`, busy)).status).toBe(200);
  });

  it('name the field and those that have an index, as far as the caller can read them', async () => {
    const sizes = jest.spyOn(ObjectSizes.prototype, 'isSmall').mockResolvedValue(false);
    await whileLocked('custom_record', async () => {
      const [filtered, sorted] = await Promise.all(
        ['filterField=tags&filterValue=a', 'sort=-updatedAt'].map((query) => get(`${RECORDS}?${query}`, busy)),
      );
      for (const answer of [filtered, sorted]) expect(answer?.status).toBe(422);
      expect(filtered?.body.detail).toMatch(
        /^filterField: tags has no index, .*; filter by a field with an index \(.*title.*\)$/,
      );
      expect(filtered?.body.detail).not.toMatch(/rate|remark/);
      expect(sorted?.body.detail).toMatch(/^sort: updatedAt has no index, /);
    });
    sizes.mockRestore();
  });

  it('end each statement after two seconds, and no other', async () => {
    const slow = costly.run(busy.id, COST, (of) => of.read(busy.id, 'SELECT pg_sleep(20), $1::uuid', []));
    await expect(slow).rejects.toMatchObject({ code: 'QUERY_TOO_EXPENSIVE', status: 422 });
    const read = () => app.service.get(Database).transaction(busy.id, (tx) => tx.query('SHOW statement_timeout'));
    for (const [row] of await Promise.all([read(), read(), read()])) expect(row).toEqual({ statement_timeout: '30s' });
  });

  it('have half of the connections over all tenants, and the others wait for one of theirs', async () => {
    const connections = app.service.get(Database).config.poolSize ?? 0;
    const half = Math.floor(connections / 2);
    const begun: string[] = [];
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const tenants = await Promise.all(Array.from({ length: half + 1 }, () => app.tenant()));
    const queries = tenants.map(({ id }) =>
      costly.run(id, COST, (of) =>
        of.read(id, 'SELECT $1::uuid', [], async () => {
          begun.push(id);
          await opened;
        }),
      ),
    );
    while (begun.length < half) await get(RECORDS, other);
    await get(RECORDS, other);
    expect(begun).toHaveLength(half);
    open();
    await Promise.all(queries);
    expect(begun).toHaveLength(half + 1);
  });

  it('of one tenant run at the same time where an index bounds them, and another gets in before the rest', async () => {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const query = ({ id }: Tenant, name: string) =>
      costly.run(id, { ...COST, isBounded: true }, (of) =>
        of.read(id, 'SELECT $1::uuid', [], async () => {
          begun.push(name);
          await new Promise<void>((resolve) => ends.push(resolve));
        }),
      );
    const queries = Array.from({ length: 32 }, (_, n) => query(busy, `busy ${n}`));
    await waitUntil(async () => begun.length === 5);
    queries.push(query(other, 'other'));
    for (let ended = 0; ended < 33; ended += 1) {
      ends[ended]?.();
      await waitUntil(async () => begun.length > Math.min(ended + 5, 32));
    }
    await Promise.all(queries);
    expect(begun.indexOf('other')).toBe(5);
  });

  it('pass on an error that is none of theirs', async () => {
    const refused = costly.run(busy.id, COST, () => Promise.reject(new PlatformError('NOT_FOUND')));
    await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(costly.run(busy.id, COST, (of) => of.read(busy.id, 'SELECT $1::uuid AS id', []))).resolves.toEqual([
      { id: busy.id },
    ]);
  });
});
