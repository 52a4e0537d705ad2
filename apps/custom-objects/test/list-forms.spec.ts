import { randomUUID } from 'node:crypto';
import { Database } from '@crm/database';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { CostlyQueries } from '../src/finding/costly-query.service.js';
import { ObjectSizes } from '../src/finding/object-size.service.js';
import { SearchRepository } from '../src/finding/search.repository.js';
import { ObjectRepository } from '../src/object/object.repository.js';
import { type DeclaredObject, STANDARD_OBJECTS } from '../src/object/object-definition.js';
import { RecordRepository } from '../src/reading/record.repository.js';
import { app, call, type Json, type Tenant, text, useCustomObjects } from './custom-objects-service.js';
import { and, createVisits, encoded, is, namesOf, or, VISIT, VISITS, type Visits } from './visits.js';

useCustomObjects();
afterEach(() => {
  jest.restoreAllMocks();
});

let { tenant, companies, ids, find } = {} as Visits;
beforeAll(async () => {
  ({ tenant, companies, ids, find } = await createVisits());
});

describe('fields and expand', () => {
  it('answer some fields only, besides those of every record', async () => {
    const body = await find(`fields=name,amount_f&${encoded({ field: 'name', value: 'a' })}`);
    expect(body.data.map((record) => Object.keys(record))).toEqual([
      ['id', 'version', 'createdAt', 'updatedAt', 'name', 'amount_f'],
    ]);
    expect(body.data[0]).toMatchObject({ name: 'a', amount_f: 1 });
  });

  it('have the records that are referred to, or null', async () => {
    const { data } = await find('sort=name&expand=place,parent&fields=name');
    expect(data.map(({ name, expanded }) => [name, expanded])).toEqual([
      [
        'a',
        {
          place: expect.objectContaining({ object: 'company', id: companies[0], name: 'One', version: 1 }),
          parent: null,
        },
      ],
      [
        'b',
        {
          place: expect.objectContaining({ name: 'Two' }),
          parent: expect.objectContaining({ object: 'visit', id: ids[0], name: 'a' }),
        },
      ],
      ['c', { place: expect.objectContaining({ name: 'One' }), parent: null }],
      ['d', { place: null, parent: null }],
      ['e', { place: null, parent: null }],
    ]);
    const parent = (data[1] as { expanded?: { parent: object } } | undefined)?.expanded?.parent;
    expect(Object.keys(parent ?? {})).not.toEqual(expect.arrayContaining(['secret']));
    const asAdmin = (await find('sort=name&expand=parent,secret_place', tenant.admin)).data as unknown as {
      expanded: Record<string, { secret?: number }>;
    }[];
    expect(asAdmin[1]?.expanded.parent?.secret).toBe(1);
    expect(asAdmin[0]?.expanded.secret_place).toMatchObject({ name: 'One' });
  });

  it('have no record of an object whose scope the token lacks', async () => {
    const token = await tenant.sign({ roles: ['member'], scopes: ['custom_objects'] });
    const { data } = await find('sort=name&expand=place,parent', token);
    expect(data.map(({ expanded }) => (expanded as { place: unknown }).place)).toEqual([null, null, null, null, null]);
    expect(data[1]).toMatchObject({ place: companies[1], expanded: { parent: { name: 'a' } } });
  });

  it('ask nothing of an object that an app does not see', async () => {
    const trip = {
      apiName: 'trip',
      fields: [{ apiName: 'visit', type: 'reference', referenceTarget: 'custom:visit' }],
    };
    const { id, admin } = await app.tenant('business', [VISIT, trip as typeof VISIT]);
    const trips = '/api/crm/custom/trip/records';
    const { id: visit } = await app.create(VISITS, admin, { name: 'a' });
    for (let count = 0; count < 3; count += 1) await app.create(trips, admin, { visit });
    const token = await app.appToken(id, 'other-app', ['custom_objects']);
    const share = (object: string) =>
      call('PUT', `/api/crm/custom/${object}/apps/other-app`, admin, { access: 'read' });
    expect((await share('trip')).status).toBe(200);
    expect((await call('GET', trips, token)).body.total).toBe(3);
    const revisions = jest.spyOn(ObjectRepository.prototype, 'findRevision');
    const expanded = async () =>
      (await call('GET', `${trips}?expand=visit`, token)).body.data.map((one) => one.expanded);
    expect(await expanded()).toEqual([{ visit: null }, { visit: null }, { visit: null }]);
    expect(revisions).not.toHaveBeenCalled();
    await share('visit');
    expect((await expanded())[0]).toMatchObject({ visit: { object: 'visit', name: 'a' } });
  });

  it('read no more than fits in an answer', async () => {
    const { id, admin } = await app.tenant('business', [VISIT]);
    const { id: long } = await app.create(VISITS, admin, { name: 'LONG' });
    const { id: short } = await app.create(VISITS, admin, { name: 'a', level: 'low', parent: long });
    const idOf = (variant: number) => `('00000000-0000-7000-${variant}000-' || lpad(to_hex(n), 12, '0'))`;
    const copy = (record: string, variant: number, data: string) =>
      app.copyRecords(
        `SELECT (jsonb_populate_record(record, jsonb_build_object('id', ${idOf(variant)},
                'data', ${data}::jsonb))).*
           FROM custom_record AS record, generate_series(1, 60) AS n WHERE tenant_id = $1 AND id = $2`,
        [id, record],
      );
    await copy(long, 8, `replace(data::text, 'LONG', repeat('x', 200000))`);
    await copy(short, 9, `replace(data::text, '${long}', ${idOf(8)})`);
    const reads = jest.spyOn(RecordRepository.prototype, 'readSeveral');
    const list = (size: number) =>
      call('GET', `${VISITS}?expand=parent&size=${size}&sort=id&${encoded({ field: 'level', value: 'low' })}`, admin);
    expect(await list(60)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_QUERY', detail: expect.stringContaining('too large') },
    });
    expect(reads.mock.calls.flatMap(([, , ids]) => ids).length).toBeLessThanOrEqual(32);
    expect((await list(15)).body.data).toHaveLength(15);
  });

  it('know of which object a task is', async () => {
    const { id: relatedTo } = await app.create('/api/crm/leads', tenant.admin, { lastName: 'Lovelace' });
    await app.create('/api/crm/tasks', tenant.admin, { title: 'Call', relatedTo });
    const { body } = await tenant.call('GET', '/api/crm/tasks?expand=relatedTo');
    expect(body.data).toMatchObject([{ relatedTo, expanded: { relatedTo: { object: 'lead', lastName: 'Lovelace' } } }]);
    await tenant.call('DELETE', `/api/crm/leads/${relatedTo}`);
    expect((await tenant.call('GET', '/api/crm/tasks?expand=relatedTo')).body.data).toMatchObject([
      { expanded: { relatedTo: null } },
    ]);
  });
});

describe('an order by several fields', () => {
  const names = [
    ...['title', 'amount', 'amount_bare', 'day', 'at', 'level', 'done_bare'],
    ...['amount_f', 'title_f', 'day_f', 'at_f', 'done_f', 'updatedAt', 'createdAt', 'id'],
  ];
  const term = fc.record({ name: fc.constantFrom(...names), descending: fc.boolean() });
  const sorts = fc.uniqueArray(term, { minLength: 1, maxLength: 3, selector: ({ name }) => name });

  /** The documented order: records without a value last, equal ones by id in the direction of the last field. */
  function ordered(records: readonly Json[], terms: readonly { name: string; descending: boolean }[]): string[] {
    const compare = (one: unknown, other: unknown) =>
      one === other ? 0 : (one as string) < (other as string) ? -1 : 1;
    // Ids are in the order of creation, and of a text the first 200 characters count.
    const comparedOf = (record: Json, name: string) => {
      const value = record[name === 'createdAt' ? 'id' : name] ?? null;
      return typeof value === 'string' ? value.slice(0, 200) : value;
    };
    const direction = ({ descending }: { descending: boolean }) => (descending ? -1 : 1);
    return [...records]
      .sort((one, other) => {
        for (const { name, descending } of terms) {
          const [left, right] = [comparedOf(one, name), comparedOf(other, name)];
          if (left === null && right === null) continue;
          if (left === null || right === null) return left === null ? 1 : -1;
          const difference = compare(left, right);
          if (difference !== 0) return difference * direction({ descending });
        }
        const last = terms.find(({ name }) => name === 'id' || name === 'createdAt') ?? terms.at(-1);
        return compare(one.id, other.id) * direction(last as { descending: boolean });
      })
      .map(({ name }) => String(name));
  }

  it('has each record once in pages by cursor, in the order of the whole list', async () => {
    const { data: all } = await find('');
    await fc.assert(
      fc.asyncProperty(sorts, fc.integer({ min: 1, max: 3 }), async (terms, size) => {
        const sort = terms.map(({ name, descending }) => `${descending ? '-' : ''}${name}`).join(',');
        const pages = await app.pages(`${VISITS}?sort=${sort}&size=${size}`, tenant.member);
        const seen = pages.map(({ name }) => String(name));
        expect([sort, namesOf(await find(`sort=${sort}`))]).toEqual([sort, seen.join('')]);
        expect([sort, seen]).toEqual([sort, ordered(all, terms)]);
      }),
      { numRuns: process.env.ALL ? 40 : 12, seed: 26 },
    );
  });

  it('takes the cursor of the same order and filter alone, and no other values in it', async () => {
    const list = (query: string) => tenant.call('GET', `${VISITS}?size=1&${query}`);
    const filter = encoded({ field: 'amount', op: 'gt', value: 0 });
    const { nextCursor } = (await list(`sort=level,-amount&${filter}`)).body;
    expect((await list(`sort=level,-amount&${filter}&cursor=${nextCursor}`)).body.data).toMatchObject([{ name: 'a' }]);
    const [mark, , id] = JSON.parse(Buffer.from(String(nextCursor), 'base64url').toString());
    const withValue = (value: unknown) => Buffer.from(JSON.stringify([mark, value, id])).toString('base64url');
    for (const query of [
      `sort=level,amount&${filter}&cursor=${nextCursor}`,
      `sort=level&${filter}&cursor=${nextCursor}`,
      `sort=level,-amount&${encoded({ field: 'amount', op: 'gt', value: 1 })}&cursor=${nextCursor}`,
      `sort=level,-amount&cursor=${nextCursor}`,
      ...['[]', '["low","x"]', '["low",1,2]', 'x', '{}', 7].map(
        (value) => `sort=level,-amount&${filter}&cursor=${withValue(value)}`,
      ),
    ]) {
      expect([query, (await list(query)).status]).toEqual([query, 400]);
    }
  });
});

describe('in an object of very many records', () => {
  let large: Tenant;
  beforeAll(async () => {
    large = await app.tenant('business', [VISIT]);
    await app.create(VISITS, large.admin, { name: 'rare', title: 'x', amount: 1 });
    jest.spyOn(ObjectSizes.prototype, 'isSmall').mockResolvedValue(false);
  });

  it.each([
    [encoded({ field: 'amount', value: 1 }), false],
    [`sort=amount&${encoded({ field: 'amount', op: 'gt', value: 0 })}`, false],
    [encoded({ field: 'createdAt', op: 'gte', value: { relative: 'today' } }), false],
    [encoded({ field: 'id', op: 'in', value: ['00000000-0000-7000-8000-000000000000'] }), false],
    // Few records match one of the conditions.
    [encoded({ field: 'amount', op: 'gt', value: 0 }), false],
    [encoded(and(is('amount', 1), is('title_bare', 'x', 'contains'))), false],
    [`sort=level,-day&${encoded({ field: 'amount', value: 1 })}`, false],
    [encoded({ field: 'title_bare', op: 'contains', value: 'x' }), true],
    [encoded({ field: 'amount', op: 'ne', value: 1 }), true],
    [encoded(or(is('amount', 1), is('name', 'x'))), true],
    [encoded({ field: 'updatedAt', op: 'gte', value: { relative: 'today' } }), true],
    ['sort=level,-day', true],
    ['sort=amount_f', true],
  ])('%s is costly: %s', async (query, isCostly) => {
    jest.spyOn(ObjectSizes.prototype, 'isSmall').mockResolvedValue(false);
    const costly = jest.spyOn(CostlyQueries.prototype, 'run');
    expect((await large.call('GET', `${VISITS}?${query}`)).status).toBe(200);
    expect([query, costly.mock.calls.some(([, cost]) => !cost.isBounded)]).toEqual([query, isCostly]);
  });

  it.each([
    `?count=none&sort=level,-day&${encoded({ field: 'amount', value: 1 })}`,
    `?count=none&sort=name&${encoded({ field: 'amount', op: 'in', value: [1, 2] })}`,
    `/aggregate?groupBy=level&${encoded({ field: 'amount', value: 1 })}`,
  ])('counts the few records of a condition and answers by one statement: %s', async (query) => {
    jest.spyOn(ObjectSizes.prototype, 'isSmall').mockResolvedValue(false);
    const statements = jest.spyOn(Database.prototype, 'read');
    expect((await large.call('GET', `${VISITS}${query}`)).status).toBe(200);
    expect(statements).toHaveBeenCalledTimes(1);
  });

  it('looks for the few records of another condition, or else of none', async () => {
    const { id, admin } = await app.tenant('business', [VISIT]);
    const { id: record } = await app.create(VISITS, admin, { name: 'a', level: 'low', amount: 1 });
    await app.copyRecords(
      `SELECT (jsonb_populate_record(record, jsonb_build_object('id', gen_random_uuid()))).*
         FROM custom_record AS record, generate_series(1, 1000) WHERE tenant_id = $1 AND id = $2`,
      [id, record],
    );
    await app.create(VISITS, admin, { name: 'b', level: 'low', amount: 2 });
    jest.spyOn(ObjectSizes.prototype, 'isSmall').mockResolvedValue(false);
    const costly = jest.spyOn(CostlyQueries.prototype, 'run');
    const found = async (...conditions: object[]) => {
      const filter = encoded({ and: conditions });
      const list = await call('GET', `${VISITS}?sort=-name&fields=name&size=2&${filter}`, admin);
      const groups = await call('GET', `${VISITS}/aggregate?groupBy=name&${filter}`, admin);
      const isCostly = costly.mock.calls.splice(0).length > 0;
      return [list.body.data.map(({ name }) => name), list.body.total, groups.body.data.length, isCostly];
    };
    const low = { field: 'level', value: 'low' };
    expect(await found(low, { field: 'amount', value: 2 })).toEqual([['b'], 1, 1, false]);
    expect(await found(low, { field: 'amount', op: 'gt', value: 1 })).toEqual([['b'], 1, 1, false]);
    expect(await found(low, { field: 'amount', op: 'gt', value: 0 })).toEqual([['b', 'a'], 1002, 2, true]);
  });
});

describe('a search of all objects', () => {
  const search = async (q: string, token: string, more = '') =>
    (await call('GET', `/api/crm/search?q=${encodeURIComponent(q)}${more}`, token)).body;
  const titles = async (q: string, token: string, more = '') =>
    (await search(q, token, more)).data.map(({ object, title }) => `${object} ${title}`);
  let own: Tenant;
  let lead: string;
  beforeAll(async () => {
    own = await app.tenant('business', [VISIT]);
    const ada = { firstName: 'Ada', lastName: 'Lovelace' };
    lead = (await app.create('/api/crm/leads', own.admin, { ...ada, phone: '030 / 1234567' })).id;
    await app.create('/api/crm/contacts', own.admin, {
      ...ada,
      email: 'ada@lovelace.example',
      phone: '+49 (30) 123 45 67',
    });
    await app.create('/api/crm/companies', own.admin, { name: 'Lövelace & Co' });
    await app.create(VISITS, own.admin, { name: 'At Lovelace', title: 'Secret of Lovelace', secret: 7 });
  });

  it('finds names, mail and phone numbers however they are written, and says what matched', async () => {
    expect(await titles('lovelace', own.member)).toEqual([
      ...['visit ', 'company Lövelace & Co', 'contact Ada Lovelace', 'lead Ada Lovelace'],
    ]);
    expect((await search('LOVELACE.EX', own.member)).data).toMatchObject([
      { object: 'contact', title: 'Ada Lovelace', matched: { field: 'email', value: 'ada@lovelace.example' } },
    ]);
    expect((await search('ada lovelace', own.member, '&objects=lead,task')).data).toEqual([
      { object: 'lead', id: lead, title: 'Ada Lovelace', matched: { field: null, value: 'Ada Lovelace' } },
    ]);
    for (const q of [
      '+49 30 1234567',
      '0049301234567',
      '030 1234567',
      '(030) 123-4567',
      '1234567',
      '0 3 0 1 2 3 4 5 6 7',
    ]) {
      expect([q, await titles(q, own.member)]).toEqual([q, ['contact Ada Lovelace', 'lead Ada Lovelace']]);
    }
    expect((await search('030 1234567', own.member)).data[0]).toMatchObject({ matched: { field: 'phone' } });
  });

  it('is one statement, one search of a caller after the other', async () => {
    const searches = app.service.get(SearchRepository);
    const search = searches.findInObjects.bind(searches);
    let [running, most] = [0, 0];
    const spy = jest.spyOn(searches, 'findInObjects').mockImplementation(async (...request) => {
      most = Math.max(most, ++running);
      try {
        return await search(...request);
      } finally {
        running -= 1;
      }
    });
    const answers = await Promise.all(Array.from({ length: 4 }, () => titles('030 1234567', own.member)));
    expect(answers).toEqual(Array.from({ length: 4 }, () => ['contact Ada Lovelace', 'lead Ada Lovelace']));
    expect([most, spy.mock.calls.length]).toEqual([1, 4]);
    // The digits alone are looked for where there are phone numbers.
    const textsOf = (call: number) =>
      (spy.mock.calls[call]?.[2] ?? []).map(({ objectId, searched }) => `${objectId} ${searched.text}`);
    const texts = textsOf(0);
    const ofDigits = new Set(texts.filter((text) => text.endsWith(' 301234567')).map((text) => text.split(' ')[0]));
    const withPhone = Object.values(STANDARD_OBJECTS).filter(({ fields }) => fields.some(({ isPhone }) => isPhone));
    expect(ofDigits).toEqual(new Set(withPhone.map(({ id }) => id)));
    expect(withPhone.length).toBeLessThan(Object.keys(STANDARD_OBJECTS).length);
    // Where the text has the digits in it, they find what it finds.
    expect(await titles('0301234567', own.member)).toEqual(['contact Ada Lovelace', 'lead Ada Lovelace']);
    const ofPhones = textsOf(4).filter((text) => withPhone.some(({ id }) => text.startsWith(id)));
    expect(ofPhones.sort()).toEqual(withPhone.map(({ id }) => `${id} 301234567`).sort());
  });

  it('is refused when it takes too long', async () => {
    const refusal = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    jest.spyOn(app.service.get(SearchRepository), 'findInObjects').mockRejectedValue(refusal);
    expect(await search('lovelace', own.member)).toMatchObject({ status: 422, code: 'QUERY_TOO_EXPENSIVE' });
  });

  it('lists the objects of apps once, and again when one has come, is shared or goes', async () => {
    const { id, admin } = await app.tenant('business', []);
    const other = await app.appToken(id, 'other-app', ['custom_objects']);
    const share = (access: string) => call('PUT', '/api/crm/custom/visit/apps/other-app', admin, { access });
    const found = async () => [await titles('zuse', admin), await titles('zuse', other)];
    const listed = jest.spyOn(ObjectRepository.prototype, 'listHeads');
    expect([await found(), await found(), listed.mock.calls.length]).toEqual([[[], []], [[], []], 1]);
    const installationId = randomUUID();
    await app.provision(id, [VISIT], { installationId });
    await app.create(VISITS, admin, { name: 'Zuse' });
    expect(await found()).toEqual([['visit '], []]);
    await share('read');
    expect(await found()).toEqual([['visit '], ['visit ']]);
    await share('none');
    expect(await found()).toEqual([['visit '], []]);
    await app.objects.remove(id, installationId, false);
    expect([await found(), listed.mock.calls.length]).toEqual([[[], []], 5]);
  });

  it('ends a page before its records are too long for one statement', async () => {
    const { id: tenantId, admin } = await app.tenant('business', []);
    for (const name of ['Old', 'Long']) await app.create('/api/crm/companies', admin, { name: `${name} Lovelace` });
    await app.admin.query(
      `UPDATE custom_record SET data = data || jsonb_build_object('x', repeat('x', 16000000)) WHERE tenant_id = $1 AND data->>'1' LIKE 'Long%'`,
      [tenantId],
    );
    const first = await search('lovelace', admin);
    expect(first.data.map(({ title }) => title)).toEqual(['Long Lovelace']);
    const next = await search('lovelace', admin, `&cursor=${first.nextCursor}`);
    expect([next.data.map(({ title }) => title), next.nextCursor]).toEqual([['Old Lovelace'], null]);
  });

  it('comes in pages, and refuses what no index finds', async () => {
    const seen = await app.pages('/api/crm/search?q=lovelace&size=1', own.member);
    expect(seen.map(({ object }) => object)).toEqual(['visit', 'company', 'contact', 'lead']);
    expect(await search('ad', own.member)).toMatchObject({ status: 400, code: 'INVALID_QUERY' });
  });

  it('has what the caller can read alone', async () => {
    const scoped = await own.sign({ roles: ['member'], scopes: ['leads:read'] });
    expect(await titles('lovelace', scoped)).toEqual(['lead Ada Lovelace']);
    expect(await titles('lovelace', scoped, '&objects=contact')).toEqual([]);
    expect(await titles('lovelace', await app.appToken(own.id, 'other-app', ['custom_objects']))).toEqual([]);
    expect(await titles('lovelace', (await app.tenant()).admin)).toEqual([]);
  });
});

describe('a page of records with long texts that are not shown', () => {
  const PATH = '/api/crm/custom/ticket/records';
  const HIDING: DeclaredObject = {
    apiName: 'ticket',
    nameField: 'title',
    fields: [
      text('title'),
      text('note', { type: 'textarea' }),
      text('secret', { type: 'textarea', readRoles: ['admin'] }),
      text('doubt', { type: 'textarea', readRoles: ['admin'] }),
      { apiName: 'is_doubted', type: 'formula', expression: 'doubt == "q"', exposes: true },
    ],
  };
  let of: Tenant;
  /** Gives the newest records a value. On a cluster an update takes no functions of columns. */
  const give = async (records: number, field: string, value: string) => {
    const { rows } = await app.admin.query(
      `SELECT r.id, r.object_id AS object, f.key FROM custom_record r
         JOIN custom_field f ON f.tenant_id = r.tenant_id AND f.object_id = r.object_id
        WHERE r.tenant_id = $1 AND f.api_name = $2 ORDER BY r.id DESC LIMIT $3`,
      [of.id, field, records],
    );
    for (const { id, object, key } of rows) {
      await app.admin.query(
        'UPDATE custom_record SET data = data || $4::jsonb WHERE tenant_id = $1 AND object_id = $2 AND id = $3',
        [of.id, object, id, JSON.stringify({ [key]: value })],
      );
    }
  };
  /** No page has space for it. */
  const lengthen = (field: string) => give(1, field, 'x'.repeat(17_000_000));
  beforeAll(async () => {
    of = await app.tenant('business', [HIDING]);
    for (const title of ['Alpha', 'Alphabet', 'Alpine']) await app.create(PATH, of.admin, { title, note: 'alp' });
    await lengthen('secret');
  });
  const titlesOf = async (query: string, token: string) => {
    const { status, body } = await call('GET', `${PATH}?${query}`, token);
    return status === 200 ? body.data.map(({ title }) => title) : body.detail;
  };

  it('is bounded by what its caller may see', async () => {
    const all = ['Alpine', 'Alphabet', 'Alpha'];
    for (const query of ['', 'q=alp', 'q=alp&sort=-title', 'sort=note,-title', 'fields=title', 'size=3&count=exact']) {
      expect([query, await titlesOf(query, of.member)]).toEqual([query, all]);
    }
    const { body } = await call('GET', '/api/crm/search?q=alp', of.member);
    expect([body.data.map(({ title }) => title), body.nextCursor]).toEqual([all, null]);
    expect(await titlesOf('', of.admin)).toContain('too large');
  });

  it('is bounded by what its caller may see, and not by what formulas read that show more', async () => {
    const forms = ['q=alp&sort=-title', 'q=alp', 'fields=is_doubted&sort=note,-title&count=exact', 'page=2&size=1'];
    const read = async () => {
      const pages = [];
      for (const query of forms) pages.push((await call('GET', `${PATH}?${query}`, of.member)).body);
      const search = (await call('GET', '/api/crm/search?q=alp', of.member)).body;
      const paged = await app.pages(`${PATH}?sort=-title&size=2`, of.member);
      return [search, paged, ...pages];
    };
    await give(3, 'doubt', 'x');
    const before = await read();
    expect(before.flat()).toContainEqual(expect.objectContaining({ total: 3, hasMore: false }));
    await lengthen('doubt');
    expect(await read()).toEqual(before);
  });

  it('is bounded by the fields that it shows', async () => {
    for (const query of ['fields=title,note', 'fields=title&q=alp', 'fields=title&sort=-title']) {
      expect([query, await titlesOf(query, of.admin)]).toEqual([query, ['Alpine', 'Alphabet', 'Alpha']]);
    }
    await lengthen('note');
    expect(await titlesOf('fields=note', of.member)).toContain('too large');
    expect(await titlesOf('fields=title', of.member)).toHaveLength(3);
  });
});
