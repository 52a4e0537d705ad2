import { randomUUID } from 'node:crypto';
import { AUDIENCES, rpc } from '@crm/contracts';
import { NatsConnection, Rpc } from '@crm/messaging';
import { testNats, testTokens } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CustomObjectsService, RECORDS, startCustomObjects, type Tenant } from './custom-objects-service.js';

type Json = Record<string, unknown> & { id: string; total: number };

let app: CustomObjectsService;
let tenant: Tenant;
beforeAll(async () => {
  app = await startCustomObjects();
  tenant = await app.tenant();
});
afterAll(() => app?.close());

const create = (token: string, key: string, body: object, path = RECORDS) =>
  app.service.request<Json>('POST', path, { token, body, headers: { 'idempotency-key': key } });
const countOf = async (token: string, title: string) =>
  (await app.service.request<Json>('GET', `${RECORDS}?filterField=title&filterValue=${title}`, { token })).body.total;

describe('a record created with an Idempotency-Key', () => {
  it('is created once, and a repetition returns it in its present state', async () => {
    const title = randomUUID();
    const first = await create(tenant.admin, 'k1', { title, hours: 2 });
    expect(first.status).toBe(201);
    await app.service.request('PATCH', `${RECORDS}/${first.body.id}`, { token: tenant.admin, body: { hours: 3 } });
    const again = await create(tenant.admin, 'k1', { hours: 2, title });
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id, version: 2, hours: 3 } });
    expect(again.headers.get('etag')).toMatch(/^"2\./);
    expect(await countOf(tenant.admin, title)).toBe(1);
  });

  it('is refused with another body, and another user can use the same key', async () => {
    const first = await create(tenant.admin, 'k2', { title: 'A' });
    const other = await create(tenant.admin, 'k2', { title: 'B' });
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const somebodyElse = await create(tenant.member, 'k2', { title: 'A' });
    expect(somebodyElse.status).toBe(201);
    expect(somebodyElse.body.id).not.toBe(first.body.id);
  });

  it('is created once by concurrent calls, also with a unique value', async () => {
    const body = { title: randomUUID(), code: randomUUID() };
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(tenant.admin, 'k3', body)));
    const created = answers.filter(({ status }) => status === 201);
    expect(new Set(created.map((answer) => answer.body.id)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect([answer.status, answer.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE']);
    }
    expect(await countOf(tenant.admin, body.title)).toBe(1);
  });

  it('is found again after the record that it refers to was deleted', async () => {
    const parent = await create(tenant.admin, 'k4-parent', { title: 'Parent' });
    const body = { title: 'Child', parent: parent.body.id };
    const first = await create(tenant.admin, 'k4', body);
    await app.service.request('DELETE', `${RECORDS}/${parent.body.id}`, { token: tenant.admin });
    expect(await create(tenant.admin, 'k4', body)).toMatchObject({ status: 201, body: { id: first.body.id } });
  });

  it('is shown with the present rights of the caller', async () => {
    const userId = randomUUID();
    const sign = (role: string) => testTokens().sign({ tid: tenant.id, sub: userId, roles: [role] });
    const body = { title: 'Rated', rate: 9 };
    expect((await create(await sign('admin'), 'k5', body)).body).toHaveProperty('rate', 9);
    const again = await create(await sign('member'), 'k5', body);
    expect(again.status).toBe(201);
    expect(again.body).not.toHaveProperty('rate');
    expect((await create(await sign('viewer'), 'k5', body)).status).toBe(403);
  });

  it('is not found after it was deleted', async () => {
    const first = await create(tenant.admin, 'k6', { title: 'Short-lived' });
    await app.service.request('DELETE', `${RECORDS}/${first.body.id}`, { token: tenant.admin });
    expect((await create(tenant.admin, 'k6', { title: 'Short-lived' })).status).toBe(404);
  });

  it('is refused with a malformed key', async () => {
    const answer = await create(tenant.admin, 'two words', { title: 'x' });
    expect([answer.status, answer.body.code]).toEqual([400, 'MALFORMED_REQUEST']);
  });
});

describe('a workflow step', () => {
  it('that creates a record finds it when it is repeated, and has no more rights than its token', async () => {
    const { url, passwords } = testNats();
    const user = 'automation-hooks';
    const connection = await NatsConnection.open({ url, user, password: passwords[user], service: user });
    const client = new Rpc(connection);
    const claims = { aud: AUDIENCES.internal, tid: tenant.id, sub: randomUUID() };
    const sign = (more: object) => testTokens().sign({ ...claims, ...more } as never);
    const request = { object: 'site_visit', values: { title: randomUUID() }, idempotencyKey: randomUUID() };
    try {
      const step = async (more: object) =>
        client.call(rpc.customObjects.createRecord, request, { token: await sign(more) });
      const first = await step({ roles: ['member'] });
      expect(await step({ roles: ['member'] })).toEqual(first);
      expect(await countOf(tenant.admin, request.values.title)).toBe(1);
      await expect(step({ roles: ['viewer'] })).rejects.toMatchObject({ code: 'FORBIDDEN' });
      const app = { roles: ['app:acme'], scopes: ['leads'], act: { sub: 'acme', installation_id: randomUUID() } };
      await expect(step(app)).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
    } finally {
      await connection.close();
    }
  });
});

describe('the list of records', () => {
  it('refuses the cursor of another filter', async () => {
    const other = await app.tenant();
    for (const hours of [1, 1, 2]) await create(other.admin, randomUUID(), { title: 'x', hours });
    const list = (query: string) =>
      app.service.request<{ nextCursor: string; code: string; total: number; data: object[] }>(
        'GET',
        `${RECORDS}?${query}`,
        { token: other.admin },
      );
    const { body } = await list('filterField=hours&filterValue=1&size=1');
    const cursor = `&size=1&cursor=${body.nextCursor}`;
    const next = await list(`filterField=hours&filterValue=1${cursor}`);
    expect(next.body).toMatchObject({ total: null, data: [{ hours: 1 }], nextCursor: null });
    for (const query of ['', 'filterField=hours&filterValue=2', 'q=x']) {
      const refused = await list(`${query}${cursor}`);
      expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_QUERY']);
    }
  });
});
