import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { CostlyQueries } from '../src/finding/costly-query.service.js';
import { ObjectSizes } from '../src/finding/object-size.service.js';
import { app, call, type Json, useCustomObjects } from './custom-objects-service.js';
import { and, createVisits, day, encoded, is, LONG, or, VISIT, VISITS, type Visits } from './visits.js';

useCustomObjects();
afterEach(() => {
  jest.restoreAllMocks();
});

let { tenant, companies } = {} as Visits;
beforeAll(async () => {
  ({ tenant, companies } = await createVisits());
});

const AGGREGATE = `${VISITS}/aggregate`;
type Group = Record<string, unknown> & { group: Record<string, unknown>; count: number };
const groupsOf = (body: Json) => body.data as unknown as Group[];
const aggregate = async (query: string, token = tenant.member) =>
  groupsOf((await call('GET', `${AGGREGATE}?${query}`, token)).body);

/** The same on a field with an index, on one without, and on a formula that reads the first. */
const forms = <Rows>(table: Record<string, Rows>) =>
  Object.entries(table).flatMap(([term, rows]) => {
    const [name, unit] = term.split(':');
    return ['', '_bare', '_f'].map((form) => [`${name}${form}${unit ? `:${unit}` : ''}`, rows] as const);
  });

/** The values of groups, by how many records each has. */
type Counts = Readonly<Record<number, readonly unknown[]>>;

describe('records are counted by', () => {
  it.each([
    ...forms<Counts>({
      title: { 1: ['Alpha', 'alphabet', `${LONG}x`, `${LONG}y`, null] },
      amount: { 2: [2.5], 1: [-3, 1, null] },
      done: { 2: [true, null], 1: [false] },
      day: { 1: [day(0), day(-1), day(7), day(-40), null] },
      'day:day': { 1: [day(0), day(-1), day(7), day(-40), null] },
      'at:day': { 2: ['2026-03-03'], 1: ['2026-03-01', '2026-03-02', null] },
      'at:week': { 3: ['2026-03-02'], 1: ['2026-02-23', null] },
      'at:month': { 4: ['2026-03-01'], 1: [null] },
    }),
    ...['level', 'level_bare'].map((name): [string, Counts] => [name, { 2: ['low'], 1: ['high', 'mid', null] }]),
  ])('%s', async (term, counts) => {
    const groups = Object.entries(counts).flatMap(([count, values]) => values.map((value) => [value, Number(count)]));
    const name = term.split(':')[0] as string;
    const found = await aggregate(`groupBy=${term}`);
    const pair = ({ group, count }: Group) => [group[name], count];
    expect(found.map(pair)).toEqual(expect.arrayContaining(groups));
    expect(found).toHaveLength(groups.length);
    // The largest first, and those without a value last among equal ones.
    expect(found.map(({ count }) => count)).toEqual(groups.map(([, count]) => Number(count)).sort((a, b) => b - a));
  });

  it('references by their ids, and by two fields at once', async () => {
    expect(await aggregate('groupBy=place')).toEqual([
      { group: { place: companies[0] }, count: 2 },
      { group: { place: null }, count: 2 },
      { group: { place: companies[1] }, count: 1 },
    ]);
    const ofLevel = (level: string, count: number, amount: number, at: string) => {
      return { group: { level, at: '2026-03-01' }, count, sum: { amount }, max: { at } };
    };
    expect(await aggregate('groupBy=level,at:month&metrics=count,sum:amount,max:at')).toEqual([
      ofLevel('low', 2, 3.5, '2026-03-03T10:00:00Z'),
      ofLevel('high', 1, -3, '2026-03-03T10:00:00Z'),
      ofLevel('mid', 1, 2.5, '2026-03-02T10:00:00Z'),
      { group: { level: null, at: null }, count: 1, sum: { amount: null }, max: { at: null } },
    ]);
  });

  it('days and months of the zone of the workspace', async () => {
    const other = await app.tenant('business', [VISIT]);
    // Berlin is an hour ahead of UTC, and two from 29 March on.
    for (const at of ['2026-02-28T22:59:59.999', '2026-02-28T23:00:00', '2026-03-28T23:00:00', '2026-03-29T22:00:00'])
      await app.create(VISITS, other.admin, { name: 'a', at: `${at}Z` });
    const by = async (unit: string) =>
      (await aggregate(`groupBy=at:${unit}`, other.member)).map(({ group, count }) => `${group.at} ${count}`);
    expect(await by('month')).toEqual(['2026-03-01 3', '2026-02-01 1']);
    expect(await by('day')).toEqual(['2026-02-28 1', '2026-03-01 1', '2026-03-29 1', '2026-03-30 1']);
    const [group] = await aggregate('groupBy=createdAt:day&metrics=count,max:createdAt', other.member);
    expect(group).toMatchObject({ group: { createdAt: day(0) }, count: 4 });
  });
});

describe('metrics', () => {
  it.each([
    ...forms({
      amount: { sum: 3, avg: 0.75, min: -3, max: 2.5 },
      day: { min: day(-40), max: day(7) },
      at: { min: '2026-03-01T10:00:00Z', max: '2026-03-03T10:00:00Z' },
    }),
  ])('of %s', async (name, values) => {
    const metrics = Object.keys(values);
    const [group, ...others] = await aggregate(`metrics=${metrics.map((metric) => `${metric}:${name}`).join()}`);
    expect(others).toEqual([]);
    expect(group).toEqual({
      group: {},
      ...Object.fromEntries(Object.entries(values).map(([metric, value]) => [metric, { [name]: value }])),
    });
  });

  it('are of the records that a list with the same filter has', async () => {
    const count = async (query: string) => (await aggregate(query))[0]?.count;
    expect(await count('q=alpha')).toBe(2);
    expect(await count('q=al')).toBe(2);
    expect(await count('q=alpha&filterField=done&filterValue=true')).toBe(1);
    expect(await count('filterField=level&filterOp=in&filterValue=low&filterValue=mid')).toBe(3);
    expect(await count(encoded(or(is('amount_f', 0, 'lt'), { field: 'title', op: 'empty' })))).toBe(2);
    expect(await aggregate('filterField=name&filterValue=nobody&metrics=count,sum:amount')).toEqual([
      { group: {}, count: 0, sum: { amount: null } },
    ]);
    expect(await aggregate('filterField=name&filterValue=nobody&groupBy=level')).toEqual([]);
  });

  it('are exact decimals, of whatever digits the values have', async () => {
    const other = await app.tenant('business', [VISIT]);
    const amounts = fc
      .sample(
        fc.oneof(
          fc.double({ min: -999_999_999_999_999, max: 999_999_999_999_999, noNaN: true }),
          fc.integer({ min: -1_000_000, max: 1_000_000 }).map((cents) => cents / 100),
          fc.constantFrom(0.1 + 0.2, 999_999_999_999_999.9, 1e-7, 123_456_789_012_345),
        ),
        { numRuns: 120, seed: 7 },
      )
      .map((amount) => amount + 0);
    await Promise.all(amounts.map((amount) => app.create(VISITS, other.admin, { name: 'a', amount })));
    const answer = await fetch(`${app.service.url}${AGGREGATE}?metrics=sum:amount,min:amount,max:amount`, {
      headers: { authorization: `Bearer ${other.member}` },
    });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    const text = await answer.text();
    // Texts, because a number of JavaScript would not keep all digits.
    const [sum = '', min, max] = ['sum', 'min', 'max'].map(
      (metric) => new RegExp(`"${metric}" : \\{"amount" : ([^}]*)\\}`).exec(text)?.[1],
    );
    expect(decimal(sum)).toBe(amounts.reduce((total, amount) => total + decimal(String(amount)), 0n));
    expect(Number(min)).toBe(Math.min(...amounts));
    expect(Number(max)).toBe(Math.max(...amounts));
  });
});

/** A decimal in units of 10^-400. */
function decimal(text: string): bigint {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(`${whole}${fraction}`) * 10n ** BigInt(400 + Number(exponent) - fraction.length);
}

describe('an aggregate is refused that', () => {
  it.each([
    ['groupBy=tags', "groupBy: records can't be grouped by tags, which is of type multi_select"],
    ['groupBy=nothing', 'groupBy: unknown field "nothing"'],
    ['groupBy=secret', 'groupBy: unknown field "secret"'],
    ['groupBy=secret:day', 'groupBy: unknown field "secret"'],
    ['groupBy=secret_f', 'groupBy: unknown field "secret_f"'],
    ['groupBy=id', 'groupBy: unknown field "id"'],
    ['groupBy=at', 'groupBy: at needs a unit, as in at:day'],
    ['groupBy=at_f', 'groupBy: at_f needs a unit, as in at_f:day'],
    ['groupBy=level:day', 'groupBy: level, which is of type picklist, has no day'],
    ['groupBy=day:year', 'groupBy: day: the unit must be one of day, week, month'],
    ['groupBy=day:day:day', 'groupBy: day: the unit must be one of day, week, month'],
    ['groupBy=level,done,day', 'groupBy: use up to 2, separated by commas'],
    ['groupBy=day,day:month', 'groupBy: day is listed twice'],
    ['metrics=count,count', 'metrics: count is listed twice'],
    ['metrics=sum', 'metrics: sum must be count, or one of sum, avg, min, max with a field, as in sum:amount'],
    [
      'metrics=median:amount',
      'metrics: median:amount must be count, or one of sum, avg, min, max with a field, as in sum:amount',
    ],
    ['metrics=sum:title', "metrics: sum isn't available for title, which is of type text"],
    ['metrics=avg:day', "metrics: avg isn't available for day, which is of type date"],
    ['metrics=min:done', "metrics: min isn't available for done, which is of type checkbox"],
    ['metrics=sum:secret', 'metrics: unknown field "secret"'],
    ['metrics=max:secret_f', 'metrics: unknown field "secret_f"'],
    [encoded({ field: 'secret', value: 1 }), 'filter: unknown field "secret"'],
  ])('%s', async (query, detail) => {
    const { status, body } = await call('GET', `${AGGREGATE}?${query}`, tenant.member);
    expect([status, body.code, body.detail]).toEqual([400, 'INVALID_QUERY', detail]);
  });

  it('groups by a text of any length, or is asked for without the scope', async () => {
    const task = await call('GET', '/api/crm/tasks/aggregate?groupBy=description', tenant.member);
    expect([task.status, task.body.detail]).toEqual([
      400,
      "groupBy: records can't be grouped by description, which is of type textarea",
    ]);
    const leads = await tenant.sign({ roles: ['member'], scopes: ['leads'] });
    expect((await call('GET', AGGREGATE, leads)).status).toBe(403);
    expect((await call('GET', '/api/crm/leads/aggregate', leads)).body).toEqual({
      data: [{ group: {}, count: 0 }],
      hasMore: false,
    });
    expect(await aggregate('metrics=sum:secret', tenant.admin)).toEqual([{ group: {}, sum: { secret: 10 } }]);
  });
});

describe('of very many', () => {
  it('groups the thousand largest are answered', async () => {
    const other = await app.tenant('business', [VISIT]);
    const { id } = await app.create(VISITS, other.admin, { name: 'N0' });
    await app.create(VISITS, other.admin, { name: 'N1' });
    await app.copyRecords(
      `SELECT (jsonb_populate_record(record, jsonb_build_object('id', '00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'),
              'data', replace(data::text, 'N0', 'N' || n)::jsonb))).*
         FROM custom_record AS record, generate_series(1, 1000) AS n WHERE tenant_id = $1 AND id = $2`,
      [other.id, id],
    );
    const { body } = await call('GET', `${AGGREGATE}?groupBy=name`, other.member);
    expect(body).toMatchObject({ hasMore: true });
    expect(groupsOf(body)).toHaveLength(1000);
    expect(groupsOf(body)[0]).toEqual({ group: { name: 'N1' }, count: 2 });
  });

  it.each([
    [encoded({ field: 'amount', value: 1 }), false],
    [encoded(and(is('amount', 1), is('title_bare', 'a', 'contains'))), false],
    ['groupBy=level', true],
    ['q=alpha', true],
    [encoded({ field: 'amount', op: 'ne', value: 1 }), true],
  ])('records %s is costly: %s', async (query, isCostly) => {
    jest.spyOn(ObjectSizes.prototype, 'isSmall').mockResolvedValue(false);
    const costly = jest.spyOn(CostlyQueries.prototype, 'run');
    expect((await call('GET', `${AGGREGATE}?${query}`, tenant.member)).status).toBe(200);
    expect([query, costly.mock.calls.some(([, cost]) => !cost.isBounded)]).toEqual([query, isCostly]);
  });
});
