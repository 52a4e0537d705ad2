import { randomUUID } from 'node:crypto';
import { testTokens } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CustomObjectsService, RECORDS, startCustomObjects, type Tenant } from './custom-objects-service.js';

let app: CustomObjectsService;
let tenant: Tenant;
beforeAll(async () => {
  app = await startCustomObjects();
  tenant = await app.tenant();
});
afterAll(() => app?.close());

const create = (token: string, key: string, body: object, path = RECORDS) =>
  app.call('POST', path, token, body, { 'idempotency-key': key });
const countOf = async (token: string, title: string) =>
  (await app.call('GET', `${RECORDS}?filterField=title&filterValue=${title}`, token)).body.total;

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

  it.each(['', 'two words', 'x'.repeat(256)])('is refused with the key %j', async (key) => {
    const answer = await create(tenant.admin, key, { title: 'x' });
    expect([answer.status, answer.body.code]).toEqual([400, 'MALFORMED_REQUEST']);
  });
});
