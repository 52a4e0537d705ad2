import { EventEmitter, once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Database } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CostlyQueries } from '../src/finding/costly-query.service.js';
import { RecordListRepository } from '../src/finding/record-list.repository.js';
import type { DeclaredObject } from '../src/object/object-definition.js';
import { RecordRepository } from '../src/reading/record.repository.js';
import { ReferenceAccessService } from '../src/writing/reference-access.service.js';
import { app, type Tenant, useCustomObjects } from './custom-objects-service.js';

const TICKET: DeclaredObject = {
  apiName: 'ticket',
  fields: [
    { apiName: 'title', type: 'text' },
    { apiName: 'rank', type: 'number' },
    { apiName: 'due', type: 'datetime' },
    { apiName: 'due_again', type: 'formula', expression: 'due' },
    ...Array.from({ length: 8 }, (_, n): DeclaredObject['fields'][number] => ({
      apiName: `text_${n}`,
      type: 'textarea',
    })),
  ],
};
const PATH = '/api/crm/custom/ticket/records';

useCustomObjects({ costlyTimeoutMs: 4_000 });

let tenant: Tenant;
beforeAll(async () => {
  tenant = await app.tenant('business', [TICKET]);
});
afterEach(() => {
  jest.restoreAllMocks();
});

const list = (query: string, of = tenant) => of.call('GET', `${PATH}?${query}`);
const create = (body: object) => app.create(PATH, tenant.admin, body);

describe('a page by cursor', () => {
  it('of a search has the exact count of all pages', async () => {
    for (const n of [1, 2, 3]) await create({ title: `Squeaking ${n}` });
    const first = await list('q=squeaking&size=1&count=exact');
    expect(first.body).toMatchObject({ total: 3, totalIsExact: true });
    const second = await list(`q=squeaking&size=1&count=exact&cursor=${first.body.nextCursor}`);
    expect(second.body).toMatchObject({ total: 3, totalIsExact: true, data: [{ title: 'Squeaking 2' }] });
    expect((await list(`q=squeaking&size=1&cursor=${first.body.nextCursor}`)).body.total).toBeNull();
  });

  it('and a filter take an instant with any offset that a date-time has, or refuse it', async () => {
    await create({ title: 'Late', due: '2024-01-01T10:00:00+18:00' });
    for (const field of ['due', 'due_again']) {
      const { status, body } = await list(`filterField=${field}&filterValue=2024-01-01T10:00:00%2B18:00`);
      expect([field, status, body.data?.map(({ title }) => title)]).toEqual([field, 200, ['Late']]);
    }
    for (const sort of ['due', '-updatedAt']) {
      const { body } = await list(`sort=${sort}&size=1`);
      const [mark, , id] = JSON.parse(Buffer.from(body.nextCursor as string, 'base64url').toString());
      const cursor = Buffer.from(JSON.stringify([mark, '2024-01-01T10:00:00+18:00', id])).toString('base64url');
      const answer = await list(`sort=${sort}&size=1&cursor=${cursor}`);
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_QUERY']);
    }
  });
});

// In UTC it proves nothing: `TZ=Europe/Berlin npm test -- apps/custom-objects` does, and the unit test of the filter in every zone.
it('a filter finds instants before zones had whole minutes', async () => {
  await create({ title: 'Old', due: '1880-06-01T10:00:00Z' });
  const { body } = await list('filterField=due&filterValue=1880-06-01T10:00:00Z');
  expect(body.data.map(({ title }) => title)).toEqual(['Old']);
});

it('an object has an index for each of twelve texts that ask for one, whether records have a value or not', async () => {
  const indexed = Array.from(
    { length: 12 },
    (_, n) => ({ apiName: `text_${n}`, type: 'text', indexed: true }) as const,
  );
  const wide = await app.tenant('business', [
    { apiName: 'ticket', fields: [...indexed, { apiName: 'rest', type: 'text' }] },
  ]);
  for (const text_11 of ['b', null, 'a']) await app.create(PATH, wide.admin, { text_11, rest: text_11 });
  const costly = jest.spyOn(CostlyQueries.prototype, 'run');
  for (const [query, found] of [
    ['sort=text_11', ['a', 'b', null]],
    ['sort=-text_11', ['b', 'a', null]],
    ['filterField=text_11&filterValue=b', ['b']],
    ['filterField=text_11&filterValue=b&sort=text_11', ['b']],
  ] as const) {
    const { body } = await list(query, wide);
    expect([query, body.data.map(({ text_11 }) => text_11)]).toEqual([query, found]);
  }
  expect(costly).not.toHaveBeenCalled();
  expect((await list('sort=rest', wide)).body.data.map(({ rest }) => rest)).toEqual(['a', 'b', null]);
  expect(costly).toHaveBeenCalledTimes(1);
});

describe('the order of creation', () => {
  it('is that of `createdAt`, also when a call waited before its record was written', async () => {
    const fresh = await app.tenant('business', [TICKET]);
    const access = app.service.get(ReferenceAccessService);
    const require = access.require.bind(access);
    const gate = new EventEmitter();
    const [begun, opened] = [once(gate, 'begun'), once(gate, 'opened')];
    jest.spyOn(access, 'require').mockImplementationOnce(async (...checked) => {
      gate.emit('begun');
      await opened;
      return require(...checked);
    });
    const waiting = app.create(PATH, fresh.admin, { title: 'Waited' });
    await begun;
    const { createdAt } = await app.create(PATH, fresh.admin, { title: 'Did not wait' });
    await waitUntil(async () => new Date().toISOString() > createdAt);
    gate.emit('opened');
    await waiting;
    const { body } = await list('sort=createdAt', fresh);
    expect(body.data.map(({ title }) => title)).toEqual(['Did not wait', 'Waited']);
    const times = body.data.map((record) => record.createdAt);
    expect(times).toEqual([...times].sort());
  });
});

describe('a page of two hundred records', () => {
  beforeAll(async () => {
    for (let n = 0; n < 120; n += 1) await create({ title: `Creaking ${n}`, rank: n });
  });

  it.each(['', 'sort=rank', 'q=creaking', 'q=creaking&sort=title'])('is one snapshot: %s', async (query) => {
    const { body } = await list(`size=200&count=none&${query}`);
    const pages = jest.spyOn(RecordListRepository.prototype as never as { page(...args: unknown[]): unknown }, 'page');
    const read = jest.spyOn(Database.prototype, 'read');
    const again = await list(`size=200&count=none&${query}`);
    expect(again.body.data).toEqual(body.data);
    expect(body.data.length).toBeGreaterThanOrEqual(120);
    expect(pages).toHaveBeenCalledTimes(1);
    // In another order the index is asked first which records may be among them.
    expect(read.mock.calls.length).toBeLessThanOrEqual(query === 'q=creaking&sort=title' ? 2 : 1);
  });
});

describe('what several tenants ask for at once', () => {
  const titles = ['One', 'Two', 'Three'];
  let tenants: Tenant[];
  let ids: string[];
  beforeAll(async () => {
    tenants = await Promise.all(titles.map(() => app.tenant('business', [TICKET])));
    const created = titles.map((title, index) => app.create(PATH, tenants[index]?.admin ?? '', { title }));
    ids = (await Promise.all(created)).map(({ id }) => id);
  });

  it('shares a transaction, where pages are short, and each has the records of its tenant alone', async () => {
    const all = () => Promise.all([...tenants, ...tenants].map((of) => list('sort=-createdAt', of)));
    // How long the records are is known from the first page.
    await all();
    const together = jest.spyOn(Database.prototype, 'sharedTransaction');
    const read = jest.spyOn(Database.prototype, 'read');
    const answers = await all();
    const found = answers.map(({ body }) => [body.total, body.data.map(({ title }) => title)]);
    expect(found).toEqual([...titles, ...titles].map((title) => [1, [title]]));
    expect(together.mock.calls.map(([{ kind }]) => kind)).toContain('lists');
    // What comes first need not wait for the others.
    expect(read.mock.calls.length).toBeLessThan(answers.length);
  });

  it('shares a transaction, where single records are read, and nobody gets the record of another', async () => {
    const together = jest.spyOn(Database.prototype, 'sharedTransaction');
    // So many that some arrive together on a busy machine, too.
    const times = [1, 2, 3, 4, 5, 6];
    const reads = times.flatMap(() => tenants.flatMap((of) => ids.map((id) => of.call('GET', `${PATH}/${id}`))));
    const answers = (await Promise.all(reads)).map(({ status, body }) => (status === 200 ? body.title : status));
    expect(answers).toEqual(times.flatMap(() => ['One', 404, 404, 404, 'Two', 404, 404, 404, 'Three']));
    expect(together.mock.calls.length).toBeLessThan(reads.length);
  });

  it('is refused to the one tenant whose read fails, and to no other', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const { id: objectId } = (
      await app.admin.query('SELECT object_id AS id FROM custom_record WHERE id = $1', [ids[0]])
    ).rows[0];
    const records = app.service.get(RecordRepository);
    const read = (tenantId = '') => records.read(tenantId, objectId, ids[0] ?? '');
    const answers = await Promise.allSettled([read(tenants[0]?.id), read('none'), read(tenants[1]?.id)]);
    expect(answers).toMatchObject([
      { value: { result: { id: ids[0] } } },
      { status: 'rejected' },
      { value: { result: null } },
    ]);
    await setImmediate();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('a page of long records', () => {
  it('has a connection of its own, and keeps it until it is written', async () => {
    const of = await app.tenant('business', [TICKET]);
    await app.create(PATH, of.admin, { title: 'Long', text_0: 'x'.repeat(10_000) });
    await list('', of);
    const together = jest.spyOn(Database.prototype, 'sharedTransaction');
    await Promise.all([list('', of), list('', of)]);
    expect(together).not.toHaveBeenCalled();
  });

  it('is read as far as 16 MB and refused, a single record never is, and others are whole', async () => {
    const text = 'x'.repeat(100_000);
    const texts = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`text_${n}`, text]));
    for (let n = 0; n < 22; n += 1) await create({ title: `Long ${n}`, ...texts });
    const records = jest.spyOn(RecordListRepository.prototype, 'list');
    expect((await list('size=22')).body).toMatchObject({ status: 400, code: 'INVALID_QUERY' });
    const [origin, request] = records.mock.calls[0] ?? [];
    const found = await app.service.get(RecordListRepository).list(origin as never, request as never, (page) => page);
    // 800 kB each: the twentieth passes the limit, and one more tells that there are more.
    expect(found).toMatchObject({ isWhole: false, records: { length: 21 } });
    expect((await list('size=1')).body.data).toMatchObject([{ title: 'Long 21', ...texts }]);
    expect((await list('size=3')).body.data).toHaveLength(3);
  });
});

describe('a sorted list of an object with very many records', () => {
  let large: Tenant;
  beforeAll(async () => {
    large = await app.tenant('business', [TICKET]);
    const { id } = (await large.call('POST', PATH, { title: 'First', rank: 1 })).body;
    await large.call('POST', PATH, { title: 'Rare' });
    // Those of odd numbers have no rank.
    await app.admin.query(
      `INSERT INTO custom_record (tenant_id, object_id, id, version, created_at, updated_at, data, s1, n1)
       SELECT tenant_id, object_id, overlay(id::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, 1, now(), now(), data, s1,
              CASE WHEN n % 2 = 0 THEN n1 ELSE 'infinity' END
         FROM custom_record, generate_series(1, 10001) AS n WHERE id = $1`,
      [id],
    );
  });

  it('with a filter by another field is refused when it takes more than two seconds', async () => {
    const query = 'filterField=title&filterValue=First&sort=rank';
    expect((await list(query, large)).status).toBe(200);
    const costly = jest.spyOn(CostlyQueries.prototype, 'run');
    await list(query, large);
    expect(costly).toHaveBeenCalled();
    costly.mockRestore();
    await app.whileHeld('LOCK TABLE custom_record IN ACCESS EXCLUSIVE MODE', [], async () => {
      const read = jest
        .spyOn(app.service.get(Database), 'read')
        .mockImplementation(async (_tenant, _sql, _parameters, use) => {
          const rows = [{ revision: 1, heads: null, data: null, isWhole: true, tooMany: true }] as never[];
          return use ? use(rows) : rows;
        });
      const { body } = await list(`${query}&count=none`, large);
      read.mockRestore();
      const cause = /no index covers this filter sorted by rank/;
      expect(body).toMatchObject({ status: 422, code: 'QUERY_TOO_EXPENSIVE', detail: expect.stringMatching(cause) });
    });
  });

  it.each([
    'sort=rank&size=10',
    'sort=-rank&page=3',
    'sort=rank&page=501&size=10',
    'sort=-rank&page=501&size=10',
    'filterField=rank&filterValue=1&sort=rank',
    'filterField=title&filterValue=Rare&sort=rank&size=1',
    'filterField=title&filterValue=Rare&sort=-rank&size=1',
  ])('is read at once where an index has it, also where records have no value: %s', async (query) => {
    const costly = jest.spyOn(CostlyQueries.prototype, 'run');
    const { status, body } = await list(query, large);
    expect([status, body.data.length]).toEqual([200, body.size]);
    expect(costly).not.toHaveBeenCalled();
  });
});
