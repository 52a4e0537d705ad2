import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { app, call, type Json, type Tenant, useCustomObjects } from './custom-objects-service.js';
import { and, createVisits, day, encoded, is, LONG, namesOf, or, VISIT, VISITS, type Visits } from './visits.js';

useCustomObjects();

let { tenant, companies, ids, find } = {} as Visits;
beforeAll(async () => {
  ({ tenant, companies, ids, find } = await createVisits());
});

describe('the operators of', () => {
  /** By type: operator, value, names of the records that it finds. */
  const TABLE: Record<string, [op: string, value: unknown, found: string][]> = {
    title: [
      ['eq', 'Alpha', 'a'],
      ['eq', 'alpha', ''],
      ['eq', `${LONG}x`, 'c'],
      ['ne', 'Alpha', 'bcde'],
      ['ne', `${LONG}x`, 'abde'],
      ['in', ['Alpha', 'alphabet', 'nothing'], 'ab'],
      ['in', [`${LONG}x`, 'Alpha'], 'ac'],
      ['contains', 'PHA', 'ab'],
      ['contains', '%', ''],
      ['contains', `${LONG}Y`, 'd'],
      ['startsWith', 'alpha', 'ab'],
      ['startsWith', 'pha', ''],
      ['empty', undefined, 'e'],
      ['notEmpty', undefined, 'abcd'],
    ],
    amount: [
      ['eq', 2.5, 'bd'],
      ['ne', 2.5, 'ace'],
      ['lt', 1, 'c'],
      ['lte', 1, 'ac'],
      ['gt', 1, 'bd'],
      ['gte', 1, 'abd'],
      ['in', [1, -3], 'ac'],
      ['empty', undefined, 'e'],
      ['notEmpty', undefined, 'abcd'],
    ],
    day: [
      ['eq', day(0), 'a'],
      ['ne', day(0), 'bcde'],
      ['lt', day(0), 'bd'],
      ['lte', day(0), 'abd'],
      ['gt', day(0), 'c'],
      ['gte', day(0), 'ac'],
      ['in', [day(0), day(7)], 'ac'],
      ['eq', { relative: 'today' }, 'a'],
      ['ne', { relative: 'today' }, 'bcde'],
      ['lt', { relative: 'today' }, 'bd'],
      ['lte', { relative: 'today' }, 'abd'],
      ['gt', { relative: 'today' }, 'c'],
      ['gte', { relative: { days: -1 } }, 'abc'],
      ['eq', { relative: { days: 7 } }, 'c'],
      ['gt', { relative: 'lastYear' }, 'abcd'],
      ['empty', undefined, 'e'],
      ['notEmpty', undefined, 'abcd'],
    ],
    at: [
      ['eq', '2026-03-03T11:00:00+01:00', 'cd'],
      ['ne', '2026-03-03T10:00:00Z', 'abe'],
      ['lt', '2026-03-02T10:00:00Z', 'a'],
      ['lte', '2026-03-02T10:00:00Z', 'ab'],
      ['gt', '2026-03-02T10:00:00Z', 'cd'],
      ['gte', '2026-03-02T10:00:00Z', 'bcd'],
      ['in', ['2026-03-01T10:00:00Z', '2026-03-02T10:00:00Z'], 'ab'],
      ['lt', { relative: { days: -100 } }, 'abcd'],
      ['gt', { relative: 'today' }, ''],
      ['ne', { relative: 'today' }, 'abcde'],
      ['empty', undefined, 'e'],
      ['notEmpty', undefined, 'abcd'],
    ],
    done: [
      ['eq', true, 'ac'],
      ['eq', false, 'b'],
      ['ne', true, 'bde'],
      ['empty', undefined, 'de'],
      ['notEmpty', undefined, 'abc'],
    ],
  };
  const OF_CHOICES: typeof TABLE = {
    level: [
      ['eq', 'low', 'ad'],
      ['ne', 'low', 'bce'],
      ['in', ['mid', 'high'], 'bc'],
      ['empty', undefined, 'e'],
      ['notEmpty', undefined, 'abcd'],
    ],
    tags: [
      ['eq', 'b', 'ab'],
      ['eq', ['a', 'b'], 'a'],
      ['ne', 'b', 'cde'],
      ['in', ['a', 'c'], 'ac'],
      ['empty', undefined, 'de'],
      ['notEmpty', undefined, 'abc'],
    ],
  };
  const forms = [
    ...Object.entries(TABLE).flatMap(([name, rows]) =>
      [name, `${name}_bare`, `${name}_f`].map((field) => [field, rows] as const),
    ),
    ...Object.entries(OF_CHOICES).map(([name, rows]) => [name, rows] as const),
    ['level_bare', OF_CHOICES.level ?? []] as const,
  ];

  it.each(forms)('%s', async (field, rows) => {
    for (const [op, value, found] of rows) {
      const { data } = await find(
        `sort=name&${encoded({ and: [{ field, op, ...(value !== undefined && { value }) }] })}`,
      );
      expect([field, op, value, (data ?? []).map(({ name }) => name).join('')]).toEqual([field, op, value, found]);
    }
  });

  it('references and ids', async () => {
    const [one, two] = companies;
    for (const [field, op, value, found] of [
      ['place', 'eq', one, 'ac'],
      ['place', 'ne', one, 'bde'],
      ['place', 'in', [one, two], 'abc'],
      ['place', 'empty', undefined, 'de'],
      ['parent', 'notEmpty', undefined, 'b'],
      ['id', 'eq', ids[2], 'c'],
      ['id', 'ne', ids[2], 'abde'],
      ['id', 'in', [ids[0], ids[4], randomUUID()], 'ae'],
    ]) {
      const names = namesOf(await find(`sort=name&${encoded({ field, op, value })}`));
      expect([field, op, names]).toEqual([field, op, found]);
    }
  });

  it('the times of creation and change', async () => {
    const { createdAt = '', updatedAt = '' } = (await find(encoded({ field: 'id', value: ids[1] }))).data[0] ?? {};
    const all = (await find('sort=name')).data;
    const names = (wanted: (record: Json) => boolean) => namesOf({ data: all.filter(wanted) });
    for (const [field, op, value, wanted] of [
      ['createdAt', 'eq', createdAt, (r: Json) => r.createdAt === createdAt],
      ['createdAt', 'lt', createdAt, (r: Json) => r.createdAt < createdAt],
      ['createdAt', 'lte', createdAt, (r: Json) => r.createdAt <= createdAt],
      ['createdAt', 'gt', createdAt, (r: Json) => r.createdAt > createdAt],
      ['createdAt', 'gte', createdAt, (r: Json) => r.createdAt >= createdAt],
      ['createdAt', 'ne', createdAt, (r: Json) => r.createdAt !== createdAt],
      ['createdAt', 'gte', { relative: { days: -1 } }, () => true],
      ['createdAt', 'lt', { relative: { days: -1 } }, () => false],
      ['updatedAt', 'gte', updatedAt, (r: Json) => r.updatedAt >= updatedAt],
      ['updatedAt', 'lt', { relative: { days: -30 } }, () => false],
    ] as const) {
      const found = namesOf(await find(`sort=name&${encoded({ field, op, value })}`));
      expect([field, op, found]).toEqual([field, op, names(wanted)]);
    }
  });

  it('a user can be `me`', async () => {
    const userId = randomUUID();
    const token = await app.userToken(tenant.id, userId);
    const own = (await app.create('/api/crm/leads', token, { lastName: 'Own', ownerId: userId })).id;
    await app.create('/api/crm/leads', token, { lastName: 'Free' });
    const path = `/api/crm/leads?${encoded({ field: 'ownerId', value: { relative: 'me' } })}`;
    expect((await call('GET', path, token)).body.data.map(({ id }) => id)).toEqual([own]);
    expect((await call('GET', path, tenant.admin)).body.data).toEqual([]);
  });

  it('the simple form', async () => {
    for (const [query, found] of [
      ['filterField=amount&filterOp=gte&filterValue=1', 'abd'],
      ['filterField=level&filterOp=in&filterValue=low&filterValue=high', 'acd'],
      ['filterField=title&filterOp=startsWith&filterValue=Alpha', 'ab'],
      ['filterField=amount&filterOp=empty', 'e'],
      [`filterField=level&filterValue=low&${encoded({ field: 'amount', op: 'gt', value: 1 })}`, 'd'],
    ] as const) {
      expect([query, namesOf(await find(`sort=name&${query}`))]).toEqual([query, found]);
    }
  });
});

describe('a list of values together with another condition', () => {
  let many: Tenant;
  const totalOf = async (values: readonly string[]) => {
    const filter = and(is('title', values, 'in'), is('amount', 1, 'ne'));
    return (await call('GET', `${VISITS}?${encoded(filter)}`, many.admin)).body.total;
  };
  beforeAll(async () => {
    many = await app.tenant('business', [VISIT]);
    for (const [title, copies] of Object.entries({ [`${LONG}y`]: 1001, [`${LONG}x`]: 0, Common: 599, Rare: 0 })) {
      const { id } = await app.create(VISITS, many.admin, { name: 'a', title });
      // Their ids are before those of the records that are created.
      await app.copyRecords(
        `SELECT (jsonb_populate_record(record, jsonb_build_object('id', overlay(gen_random_uuid()::text placing '00' from 1 for 2)))).*
           FROM custom_record AS record, generate_series(1, $2::int) WHERE record.tenant_id = $3 AND record.id = $1`,
        [id, copies, many.id],
      );
    }
  });

  it('finds a long text behind more than a thousand others that begin alike', async () => {
    expect(await totalOf([`${LONG}x`])).toBe(1);
    expect(await totalOf([`${LONG}x`, `${LONG}y`])).toBe(1003);
  });

  it('finds the records of all values when one of them is listed twice', async () => {
    expect(await totalOf(['Common', 'Common', 'Rare'])).toBe(601);
  });
});

describe('groups of conditions', () => {
  it.each([
    [and(is('level', 'low'), is('amount', 1, 'gt')), 'd'],
    [or(is('level', 'mid'), is('amount', 0, 'lt')), 'bc'],
    [and(is('amount_f', 1, 'gte'), or(is('title', 'al', 'startsWith'), { field: 'tags', op: 'empty' })), 'abd'],
    [or(and(is('done', true), is('tags', 'c')), and(and({ field: 'name', value: 'e' }))), 'ce'],
  ])('%j', async (filter, found) => {
    const body = await find(`sort=name&${encoded(filter)}`);
    expect([namesOf(body), body.total]).toEqual([found, found.length]);
  });

  const condition = { field: 'name', value: 'a' };
  const nested = (depth: number): object => (depth === 0 ? condition : { and: [nested(depth - 1)] });

  it('are 5 deep and have 25 conditions at most', async () => {
    expect(namesOf(await find(encoded(nested(5))))).toBe('a');
    expect(namesOf(await find(encoded({ and: Array.from({ length: 25 }, () => condition) })))).toBe('a');
    for (const filter of [nested(6), { and: Array.from({ length: 26 }, () => condition) }]) {
      expect(await find(encoded(filter))).toMatchObject({ status: 400, code: 'INVALID_QUERY' });
    }
  });

  it.each([
    ['filter=x', 'filter: must be JSON'],
    [encoded([]), 'filter: a condition must have only field, op, and value'],
    [encoded(null), 'filter: a group or a condition must be an object'],
    [encoded({ and: [] }), 'filter: a group must be'],
    [encoded({ and: [condition], or: [condition] }), 'filter: a group must be'],
    [encoded({ and: [condition], more: 1 }), 'filter: a group must be'],
    [encoded({ ...condition, more: 1 }), 'filter: a condition must have only field, op, and value'],
    [encoded({ field: 'nothing', value: 1 }), 'filter: unknown field "nothing"'],
    [encoded({ field: 'secret', value: 1 }), 'filter: unknown field "secret"'],
    [encoded({ field: 'secret_f', value: 1 }), 'filter: unknown field "secret_f"'],
    [encoded({ field: '__proto__', value: 1 }), 'filter: unknown field "__proto__"'],
    [encoded({ field: 'amount', op: 'like', value: 1 }), 'filter: amount: op must be one of eq, ne,'],
    [encoded(is('amount', '1', 'contains')), "amount, which is of type number, doesn't support contains (eq, ne, lt"],
    [encoded({ field: 'level', op: 'lt', value: 'low' }), "doesn't support lt (eq, ne, in, empty, notEmpty)"],
    [encoded({ field: 'id', op: 'empty' }), "doesn't support empty (eq, ne, in)"],
    [encoded({ field: 'createdAt', op: 'in', value: [] }), "doesn't support in (eq, ne, lt, lte, gt, gte)"],
    [encoded({ field: 'amount', value: '1' }), 'filter: not a valid value for amount, which is of type number'],
    [encoded({ field: 'amount', value: null }), 'filter: not a valid value for amount'],
    [encoded({ field: 'amount' }), 'filter: not a valid value for amount'],
    [encoded({ field: 'amount', op: 'empty', value: 1 }), 'filter: amount: empty takes no value'],
    [encoded({ field: 'amount', op: 'in', value: [] }), 'filter: in takes 1 to 200 values for amount'],
    [
      encoded(
        is(
          'amount',
          Array.from({ length: 201 }, () => 1),
          'in',
        ),
      ),
      'filter: in takes 1 to 200 values for amount',
    ],
    [encoded({ field: 'amount', op: 'in', value: [1, 'x'] }), 'filter: not a valid value for amount'],
    [encoded({ field: 'amount', value: { relative: 'today' } }), 'filter: not a valid value for amount'],
    [encoded({ field: 'day', value: { relative: 'someday' } }), 'filter: not a valid value for day'],
    [encoded({ field: 'day', value: '2026-02-30' }), 'filter: not a valid value for day'],
    [encoded({ field: 'place', value: { relative: 'me' } }), 'filter: not a valid value for place'],
    [encoded({ field: 'level', value: 'none' }), 'filter: not a valid value for level'],
    [encoded({ field: 'title', op: 'contains', value: '' }), 'filter: not a valid value for title'],
    [encoded({ field: 'title', value: '\u0000' }), 'filter: not a valid value for title'],
    [encoded({ field: 'at_f', value: '2026-03-03' }), 'filter: not a valid value for at_f'],
    ['filterField=amount&filterOp=between&filterValue=1', undefined],
    ['filterField=amount&filterOp=in', 'filterField needs a filterValue'],
    ['filterField=amount&filterValue=1&filterValue=2', 'filterValue: several values need filterOp=in'],
    ['filterField=secret&filterOp=gt&filterValue=1', 'filterField: unknown field "secret"'],
    ['sort=name,-amount,day,at', 'sort: use up to 3 fields'],
    ['sort=name,-name', 'sort: the same field is listed twice'],
    ['sort=name,secret', 'sort: unknown field "secret"'],
    ['sort=secret_f', 'sort: unknown field "secret_f"'],
    ['sort=name,tags', "sort: lists can't be sorted by tags"],
    ['sort=name,', 'sort: unknown field '],
    ['fields=name,secret', 'fields: unknown field "secret"'],
    ['fields=nothing', 'fields: unknown field "nothing"'],
    ['expand=secret_place', 'expand: unknown field "secret_place"'],
    ['expand=name', "expand: name isn't a reference to records"],
  ])('and other queries are refused with what is wrong: %s', async (query, detail) => {
    const body = await find(query);
    expect(body).toMatchObject({ status: 400, code: detail === undefined ? expect.any(String) : 'INVALID_QUERY' });
    if (detail !== undefined) expect(body.detail).toContain(detail);
  });
});
