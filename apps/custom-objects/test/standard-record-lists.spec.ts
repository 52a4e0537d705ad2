import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { STANDARD_OBJECTS } from '../src/object/standard-objects.js';
import { type List, type Problem, type StandardRecords, startStandardRecords } from './standard-records.js';

let app: StandardRecords;
beforeAll(async () => {
  app = await startStandardRecords();
});
afterAll(() => app.close());

describe('a list', () => {
  const names = ['Dora', 'Adam', 'Cleo', 'Berta', 'Adam'];
  const filled = async () => {
    const tenant = await app.tenant();
    for (const [index, lastName] of names.entries()) {
      await tenant.call('POST', '/api/crm/leads', { lastName, status: index % 2 ? 'odd' : null });
    }
    const list = async (query: string) => (await tenant.call<List>('GET', `/api/crm/leads?${query}`)).body;
    return { ...tenant, list, namesOf: async (query: string) => (await list(query)).data.map((lead) => lead.lastName) };
  };

  it('has the newest first and counts all', async () => {
    const { list } = await filled();
    const { data, ...rest } = await list('');
    expect(data.map((lead) => lead.lastName)).toEqual([...names].reverse());
    expect(rest).toEqual({ page: 1, size: 25, total: 5, totalIsExact: true, hasMore: false, nextCursor: null });
  });

  it('comes in pages', async () => {
    const { list } = await filled();
    const second = await list('page=2&size=2&sort=lastName');
    expect(second).toMatchObject({ page: 2, size: 2, total: 5, hasMore: true });
    expect(second.data.map((lead) => lead.lastName)).toEqual(['Berta', 'Cleo']);
    expect(await list('page=3&size=2&sort=lastName')).toMatchObject({ hasMore: false, nextCursor: null });
  });

  it.each(['lastName', '-lastName', 'status', '-status', 'createdAt', '-createdAt', 'id', '-id'])(
    'read by cursor in the order %s has every record once, in the order of the pages',
    async (sort) => {
      const { list } = await filled();
      const whole = (await list(`sort=${sort}`)).data.map(({ id }) => id);
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: List = await list(`sort=${sort}&size=2${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.data.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      expect(seen).toEqual(whole);
      expect(new Set(seen).size).toBe(5);
    },
  );

  it('is filtered by a field', async () => {
    const { namesOf, list } = await filled();
    expect(await namesOf('filterField=lastName&filterValue=Adam')).toEqual(['Adam', 'Adam']);
    expect(await namesOf('filterField=status&filterValue=odd&sort=lastName')).toEqual(['Adam', 'Berta']);
    expect((await list('filterField=status&filterValue=odd')).total).toBe(2);
  });

  it('is searched without regard to case and accents, wildcards being characters', async () => {
    const { call, namesOf } = await filled();
    await call('POST', '/api/crm/leads', { firstName: 'Zoë', lastName: 'Ünal_100%', email: 'zoe@example.org' });
    expect(await namesOf('q=zoe%20unal')).toEqual(['Ünal_100%']);
    expect(await namesOf('q=EXAMPLE.org')).toEqual(['Ünal_100%']);
    expect(await namesOf('q=100%25')).toEqual(['Ünal_100%']);
    expect(await namesOf('q=%25')).toEqual(['Ünal_100%']);
    expect(await namesOf('q=nobody')).toEqual([]);
  });

  it.each([
    'page=0',
    'size=0',
    'size=201',
    'size=x',
    'sort=nothing',
    'filterField=lastName',
    'unknown=1',
    'count=all',
    'cursor=x',
  ])('refuses ?%s', async (query) => {
    const { call } = await app.tenant();
    expect(await call<Problem>('GET', `/api/crm/leads?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_QUERY' },
    });
  });

  it.each([
    'filterField=amount&filterValue=much',
    'filterField=amount&filterValue=',
    'filterField=amount&filterValue=0x10',
    'filterField=closeDate&filterValue=2026-02-30',
    'filterField=companyId&filterValue=17',
    'filterField=nothing&filterValue=x',
    'filterField=tenant_id&filterValue=x',
    'filterField=status',
    'filterValue=won',
    'sort=-',
    'sort=search_text',
    'sort=toString',
    'page=10000&size=200',
    'cursor=abc',
    'cursor=W10',
  ])('of opportunities refuses ?%s', async (query) => {
    const { call } = await app.tenant();
    expect(await call<Problem>('GET', `/api/crm/opportunities?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_QUERY' },
    });
  });

  it('gives a filter value the type of its field', async () => {
    const { call } = await app.tenant();
    const { body: company } = await call('POST', '/api/crm/companies', { name: 'A' });
    const values = { amount: 12.5, status: 'won', closeDate: '2026-02-28', companyId: company.id };
    const { body: deal } = await call('POST', '/api/crm/opportunities', { name: 'A', ...values });
    await call('POST', '/api/crm/opportunities', { name: 'B', amount: 12 });
    for (const [field, value] of Object.entries(values)) {
      const query = `filterField=${field}&filterValue=${value}`;
      const { body } = await call<List>('GET', `/api/crm/opportunities?${query}`);
      expect([field, body.data.map(({ id }) => id)]).toEqual([field, [deal.id]]);
    }
  });

  it('folds what is searched for like the text it is searched in', async () => {
    const { call } = await app.tenant();
    await call('POST', '/api/crm/companies', { name: 'Ação Über GmbH' });
    const { body } = await call<List>('GET', `/api/crm/companies?q=${encodeURIComponent('  AÇÃO über ')}`);
    expect(body.total).toBe(1);
  });

  it('counts to 10,000 unless an exact count is asked for', async () => {
    const { tenantId, call } = await app.tenant();
    await addCompanies(tenantId, 10_001);
    const list = async (query: string) => (await call<List>('GET', `/api/crm/companies?${query}`)).body;
    expect(await list('size=1')).toMatchObject({ total: 10_000, totalIsExact: false, hasMore: true });
    expect(await list('size=1&count=exact')).toMatchObject({ total: 10_001, totalIsExact: true });
    expect(await list('size=1&q=company%2010001')).toMatchObject({ total: 1, totalIsExact: true, hasMore: false });
  });
});

describe('a cursor', () => {
  const list = '/api/crm/leads?size=1&sort=lastName&filterField=status&filterValue=new&q=a';

  it.each([
    ['another order', list.replace('sort=', 'sort=-')],
    ['another filter', list.replace('filterValue=new', 'filterValue=old')],
    ['another search', list.replace('q=a', 'q=b')],
    ['a list without a filter', '/api/crm/leads?size=1&sort=lastName'],
    ['a list of another object', list.replace('leads', 'contacts').replace('status', 'lastName')],
  ])('is refused in %s', async (_name, other) => {
    const { call } = await app.tenant();
    for (const lastName of ['Ada', 'Alan']) await call('POST', '/api/crm/leads', { lastName, status: 'new' });
    const { nextCursor } = (await call<List>('GET', list)).body;
    expect((await call<List>('GET', `${list}&cursor=${nextCursor}`)).body.data).toMatchObject([{ lastName: 'Alan' }]);
    expect(await call<Problem>('GET', `${other}&cursor=${nextCursor}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_QUERY' },
    });
  });

  it('is refused in another tenant', async () => {
    const [own, other] = [await app.tenant(), await app.tenant()];
    for (const lastName of ['Ada', 'Alan']) await own.call('POST', '/api/crm/leads', { lastName });
    const { nextCursor } = (await own.call<List>('GET', '/api/crm/leads?size=1')).body;
    expect((await own.call('GET', `/api/crm/leads?size=1&cursor=${nextCursor}`)).status).toBe(200);
    expect((await other.call('GET', `/api/crm/leads?size=1&cursor=${nextCursor}`)).status).toBe(400);
  });
});

/** Adds companies with the names `Company 1`, `Company 2`, and so on. */
async function addCompanies(tenantId: string, count: number): Promise<void> {
  await app.database.transaction(tenantId, (tx) =>
    tx.query(
      `WITH added AS (
         INSERT INTO custom_record (tenant_id, object_id, id, version, data, created_at, updated_at, created_by)
         SELECT $1, $2, gen_random_uuid(), 1, jsonb_build_object('1', 'Company ' || n), now(), now(), $1
           FROM generate_series(1, $3::int) AS n RETURNING id, data)
       INSERT INTO record_search (tenant_id, object_id, id, audience, text)
       SELECT $1, $2, id, '', lower(data->>'1') FROM added`,
      [tenantId, STANDARD_OBJECTS.company.id, count],
    ),
  );
}
