import { randomBytes, randomUUID } from 'node:crypto';
import { isOnCluster, testTokens } from '@crm/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { SearchListSweeper } from '../src/finding/search-list.sweeper.js';
import type { BulkAnswer } from '../src/record/record-bulk.service.js';
import { app, call, type Json, RECORDS, type Tenant, useCustomObjects } from './custom-objects-service.js';

useCustomObjects();

const BULK = `${RECORDS}/bulk`;
const LEADS = '/api/crm/leads';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await app.tenant();
});

interface Sent {
  readonly operation: string;
  readonly records: readonly object[];
  readonly matchField?: string;
  readonly atomic?: boolean;
}

const send = (body: Sent, token = tenant.admin, key?: string, path = BULK) =>
  call('POST', path, token, body, key === undefined ? {} : { 'idempotency-key': key });
const answerOf = (body: Json) => body as unknown as BulkAnswer;
const done = async (body: Sent, token = tenant.admin, key?: string) => {
  const answer = await send(body, token, key);
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answerOf(answer.body);
};
const create = (values: object) => app.create(RECORDS, tenant.admin, values);
const get = async (id: string | undefined) => (await call('GET', `${RECORDS}/${id}`, tenant.admin)).body;
const countOf = async (title: string) =>
  (await call('GET', `${RECORDS}?filterField=title&filterValue=${title}`, tenant.admin)).body.total;
const eventsOf = async (ids: readonly (string | undefined)[]) =>
  (await app.events(tenant.id)).filter(({ subject }) => ids.includes(subject)).map(({ name }) => name);

describe('bulk', () => {
  it('creates, changes and deletes two hundred records with their events', async () => {
    const title = randomUUID();
    const visits = Array.from({ length: 200 }, (_, hours) => ({ title, hours }));
    const created = await done({ operation: 'create', records: visits });
    expect(created).toMatchObject({ succeeded: 200, failed: 0 });
    expect(created.results.map(({ index, status }) => [index, status])).toEqual(
      Array.from({ length: 200 }, (_, index) => [index, 'created']),
    );
    const ids = created.results.map(({ id }) => id);
    expect(await get(ids[7])).toMatchObject({ hours: 7, doubled: 14 });
    expect(await countOf(title)).toBe(200);
    for (const atomic of [false, true]) {
      const records = ids.map((id) => ({ id, stage: atomic ? 'done' : 'planned', remark: `${atomic}` }));
      expect(await done({ operation: 'update', records, atomic })).toMatchObject({ succeeded: 200 });
    }
    expect(await get(ids[199])).toMatchObject({ stage: 'done', version: 3 });
    for (const atomic of [true, false]) {
      const records = ids.slice(atomic ? 0 : 100, atomic ? 100 : 200).map((id) => ({ id }));
      expect(await done({ operation: 'delete', records, atomic })).toMatchObject({ succeeded: 100 });
    }
    expect(await countOf(title)).toBe(0);
    const names = await eventsOf(ids);
    expect(names.filter((name) => name === 'record.created')).toHaveLength(200);
    expect(names.filter((name) => name === 'record.deleted')).toHaveLength(200);
  });

  // The nodes of a cluster look after their own.
  if (!isOnCluster) {
    it('of long texts at random leaves the sorting in of what searches find to a sweeper', async () => {
      const sweeper = app.service.get(SearchListSweeper);
      await sweeper.stop();
      const indexes = `SELECT format('record_search_text_%s', n)::regclass AS index FROM generate_series(0, 7) AS n`;
      const waiting = async () => {
        const sql = `SELECT sum(gin_clean_pending_list(index))::int AS pages FROM (${indexes}) AS indexes`;
        return (await app.admin.query<{ pages: number }>(sql)).rows[0]?.pages ?? 0;
      };
      const records = Array.from({ length: 100 }, (_, n) => ({
        lastName: `Long ${n}`,
        description: randomBytes(3_000).toString('base64').replace(/[+/=]/g, 'x'),
      }));
      const write = async () =>
        expect(
          (await call('POST', '/api/crm/leads/bulk', tenant.admin, { operation: 'create', records })).body,
        ).toMatchObject({ succeeded: 100 });
      await waiting();
      await write();
      // Over 1 MB: it would have been sorted in by the call.
      expect(await waiting()).toBeGreaterThan(300);
      await write();
      await sweeper.sweep();
      expect(await waiting()).toBe(0);
      const q = String(records[7]?.description).slice(100, 120);
      expect((await call('GET', `/api/crm/leads?q=${q}`, tenant.admin)).body).toMatchObject({ total: 2 });
    });
  }

  it('says of each record what the single call says', async () => {
    const [one, taken] = [await create({ title: 'One' }), await create({ title: 'Two', code: randomUUID() })];
    const gone = randomUUID();
    const { results, succeeded, failed } = await done({
      operation: 'update',
      records: [
        { id: one.id, hours: 4 },
        { id: taken.id, hours: -1, stage: 'nowhere' },
        { id: gone, hours: 1 },
        { id: one.id, hours: 5 },
        { id: 'x', hours: 1 },
        { id: taken.id.toUpperCase(), version: 9, hours: 1 },
      ],
    });
    expect([succeeded, failed]).toEqual([1, 5]);
    const invalid = 'VALIDATION_FAILED';
    const codes = [undefined, invalid, 'NOT_FOUND', invalid, invalid, invalid];
    expect(results.map(({ error }) => error?.code)).toEqual(codes);
    expect(results[1]?.error?.errors?.map(({ pointer }) => pointer).sort()).toEqual(['/hours', '/stage']);
    expect(results[3]?.error?.errors).toEqual([
      { pointer: '/id', code: 'DUPLICATE', detail: 'Another row is about the same record' },
    ]);
    expect(results[2]).toEqual({
      index: 2,
      status: 'failed',
      error: { code: 'NOT_FOUND', status: 404, detail: 'Record not found' },
    });
    const stale = await done({ operation: 'delete', records: [{ id: one.id, version: 1 }] });
    expect(stale.results[0]?.error).toMatchObject({ code: 'VERSION_MISMATCH', status: 412 });
    const unique = await done({ operation: 'update', records: [{ id: one.id, code: taken.code }] });
    expect(JSON.stringify(unique.results)).toContain('UNIQUE_VIOLATION');
    expect(JSON.stringify(unique.results)).not.toContain(taken.code as string);
  });

  it.each([
    ['a value', { title: 'x', hours: -1 }, [['/records/1/hours', 'OUT_OF_RANGE']]],
    ['a field without the right', { title: 'x', rate: 1 }, [['/records/1/rate', 'FIELD_ACCESS_DENIED']]],
    ['a reference', { title: 'x', parent: randomUUID() }, [['/records/1/parent', 'REFERENCE_NOT_FOUND']]],
    ['a missing value', {}, [['/records/1/title', 'REQUIRED']]],
  ])('of all or none writes nothing for the fault of one: %s', async (_name, record, errors) => {
    const title = randomUUID();
    const records = [{ title }, record, { title }];
    const { status, body } = await send({ operation: 'create', atomic: true, records }, tenant.member);
    expect([status, body.code]).toEqual([422, 'VALIDATION_FAILED']);
    const found = body.errors?.map(({ pointer, code }) => [pointer, code]) ?? [];
    expect(found.map(([pointer]) => pointer)).toEqual(errors.map(([pointer]) => pointer));
    expect(await countOf(title)).toBe(0);
  });

  it('of all or none writes nothing for what only the transaction sees', async () => {
    const [title, code] = [randomUUID(), randomUUID()];
    const first = await create({ title, code });
    const creation = await send({ operation: 'create', atomic: true, records: [{ title }, { title, code }] });
    const problem = { pointer: '/records/1/code', code: 'UNIQUE_VIOLATION' };
    expect(creation).toMatchObject({ status: 422, body: { errors: [problem] } });
    const both = [first.id, randomUUID()].map((id) => ({ id, hours: 9 }));
    const change = await send({ operation: 'update', atomic: true, records: both });
    expect(change.body.errors).toEqual([{ pointer: '/records/1', code: 'NOT_FOUND', detail: 'Record not found' }]);
    const three = [{ id: first.id }, { id: randomUUID() }, { id: first.id }];
    const removal = await send({ operation: 'delete', atomic: true, records: three });
    expect(removal.body.errors?.map(({ pointer }) => pointer)).toEqual(['/records/2/id']);
    expect(await get(first.id)).toMatchObject({ version: 1, hours: null });
    expect(await countOf(title)).toBe(1);
    expect(await eventsOf([first.id])).toEqual(['record.created']);
  });

  it('finds by a unique field what an upsert changes', async () => {
    const [known, fresh] = [randomUUID(), randomUUID()];
    const record = await create({ title: 'Known', code: known });
    for (const atomic of [false, true]) {
      const other = `${fresh}-${atomic}`;
      const records = [
        { code: known.toUpperCase(), title: `Changed ${atomic}` },
        { code: other, title: 'New' },
        ...(atomic ? [] : [{ title: 'Without' }, { code: other, title: 'Again' }]),
      ];
      const { results } = await done({ operation: 'upsert', matchField: 'code', records, atomic });
      const statuses = ['updated', 'created', ...(atomic ? [] : ['failed', 'failed'])];
      expect(results.map(({ status }) => status)).toEqual(statuses);
      expect(results[0]?.id).toBe(record.id);
      expect(await get(record.id)).toMatchObject({ title: `Changed ${atomic}` });
    }
    for (const matchField of [undefined, 'title', 'nothing', 'rate']) {
      const { status, body } = await send({ operation: 'upsert', records: [{ title: 'x' }], matchField } as Sent);
      expect([matchField, status, body.errors?.[0]?.pointer]).toEqual([matchField, 422, '/matchField']);
    }
  });

  it('creates one record of upserts that run at the same time', async () => {
    const code = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, hours) =>
        done({ operation: 'upsert', matchField: 'code', records: [{ code, title: code, hours }] }),
      ),
    );
    expect(answers.flatMap(({ results }) => results.filter(({ status }) => status === 'created'))).toHaveLength(1);
    expect(answers.map(({ failed }) => failed)).toEqual([0, 0, 0, 0, 0]);
    expect(await countOf(code)).toBe(1);
  });

  it('loses no change to a single one, and two of all or none do not wait for each other for ever', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, async () => (await create({ title: 'Raced' })).id));
    const bulk = (order: readonly string[], values: object, atomic: boolean) =>
      done({ operation: 'update', atomic, records: order.map((id) => ({ id, ...values })) });
    await Promise.all([
      bulk(ids, { hours: 1 }, true),
      bulk([...ids].reverse(), { remark: 'b' }, true),
      bulk(ids, { stage: 'done' }, false),
      ...ids.map((id) => call('PATCH', `${RECORDS}/${id}`, tenant.admin, { tags: ['a'] })),
    ]);
    for (const id of ids) {
      expect(await get(id)).toMatchObject({ hours: 1, remark: 'b', stage: 'done', tags: ['a'], version: 5 });
    }
  });

  it.each([true, false])('with an Idempotency-Key takes effect once, of all or none: %s', async (atomic) => {
    const [title, key] = [randomUUID(), randomUUID()];
    const records = [{ title }, { title, hours: 1 }];
    const userId = randomUUID();
    const token = await testTokens().sign({ tid: tenant.id, sub: userId, roles: ['admin'] });
    const first = await done({ operation: 'create', records, atomic }, token, key);
    expect(await done({ operation: 'create', records, atomic }, token, key)).toEqual(first);
    expect(await countOf(title)).toBe(2);
    const other = await send({ operation: 'create', records: [{ title }], atomic }, token, key);
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const ids = first.results.map(({ id }) => id as string);
    const changes = { operation: 'update', atomic, records: ids.map((id) => ({ id, version: 1, hours: 7 })) };
    const changed = await done(changes, token, `${key}-2`);
    await call('PATCH', `${RECORDS}/${ids[0]}`, token, { hours: 8 });
    expect(await done(changes, token, `${key}-2`)).toEqual(changed);
    expect(await get(ids[0])).toMatchObject({ hours: 8, version: 3 });
    const deletion = { operation: 'delete', atomic, records: ids.map((id) => ({ id })) };
    expect(await done(deletion, token, `${key}-3`)).toEqual(await done(deletion, token, `${key}-3`));
    expect(await countOf(title)).toBe(0);
  });

  it('repeated with its key writes what failed before', async () => {
    const [title, key, code] = [randomUUID(), randomUUID(), randomUUID()];
    const blocking = await create({ title: 'Blocking', code });
    const records = [{ title }, { title, code }];
    const first = await done({ operation: 'create', records }, tenant.admin, key);
    expect(first.results.map(({ status }) => status)).toEqual(['created', 'failed']);
    await call('DELETE', `${RECORDS}/${blocking.id}`, tenant.admin);
    const second = await done({ operation: 'create', records }, tenant.admin, key);
    expect(second.results[0]).toEqual(first.results[0]);
    expect(second.results[1]).toMatchObject({ status: 'created' });
    expect(await countOf(title)).toBe(2);
  });

  it('keeps the right to each field, and says nothing of what the caller cannot read', async () => {
    const record = await create({ title: 'Hidden', rate: 5, remark: 'secret' });
    const { results } = await done({ operation: 'update', records: [{ id: record.id, rate: 6 }] }, tenant.member);
    expect(results[0]?.error).toMatchObject({ code: 'FIELD_ACCESS_DENIED', status: 403 });
    const another = await app.appToken(tenant.id, 'other-app', ['custom_objects']);
    const leads = await app.tokenOf(tenant.id, { roles: ['member'], scopes: ['leads'] });
    for (const [token, status] of Object.entries({ [tenant.viewer]: 403, [another]: 404, [leads]: 403 })) {
      expect((await send({ operation: 'delete', records: [{ id: record.id }] }, token)).status).toBe(status);
    }
    expect(await get(record.id)).toMatchObject({ rate: 5, version: 1 });
  });

  it('works on standard objects, and on 1 to 200 records', async () => {
    const leads = { operation: 'create', records: [{ lastName: 'Ada' }, {}] };
    const { body } = await send(leads, tenant.member, undefined, `${LEADS}/bulk`);
    expect(answerOf(body).results.map(({ status }) => status)).toEqual(['created', 'failed']);
    for (const count of [0, 201]) {
      const records = Array.from({ length: count }, () => ({ title: 'x' }));
      const refused = await send({ operation: 'create', records });
      expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([422, '/records']);
    }
    const long = await send({ operation: 'create', records: [{ title: 'x'.repeat(1_100_000) }] });
    expect([long.status, long.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });
});
