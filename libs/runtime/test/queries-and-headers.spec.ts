import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TENANT } from './harness.js';
import { LeadService } from './lead-service.js';

let service: LeadService;
beforeAll(async () => {
  service = await LeadService.start();
});
afterAll(() => service?.close());

describe('queries and headers of a request', () => {
  it('creates a request id when the given one is invalid', async () => {
    const answer = await service.call('GET', '/api/crm/leads', { headers: { 'x-request-id': 'a b<script>' } });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('reads list parameters', async () => {
    const first = (await service.call('GET', '/api/crm/leads?size=2')).json;
    expect(first).toMatchObject({ page: 1, size: 2, total: 3, totalIsExact: true, hasMore: true });
    const second = (await service.call('GET', '/api/crm/leads?page=2&size=2')).json;
    expect(second).toEqual({
      data: [{ id: '0199aa00-0000-7000-8000-000000000003' }],
      page: 2,
      size: 2,
      total: 3,
      totalIsExact: true,
      hasMore: false,
      nextCursor: null,
    });
    expect((await service.call('GET', `/api/crm/leads?size=2&cursor=${first.nextCursor}`)).json.data).toEqual(
      second.data,
    );
  });

  it('says nothing about the total with count=none, and on later pages of a cursor unless a count is asked for', async () => {
    const unknown = { total: null, totalIsExact: false };
    const first = (await service.call('GET', '/api/crm/leads?size=2&count=none')).json;
    expect(first).toMatchObject({ ...unknown, hasMore: true });
    const later = `/api/crm/leads?size=2&cursor=${first.nextCursor}`;
    expect((await service.call('GET', later)).json).toMatchObject({ ...unknown, hasMore: false });
    for (const count of ['exact', 'estimated']) {
      expect((await service.call('GET', `${later}&count=${count}`)).json).toMatchObject({
        total: 3,
        totalIsExact: true,
      });
    }
    expect((await service.call('GET', '/api/crm/leads?count=some')).status).toBe(400);
  });

  it.each([
    'page=0',
    'page=x',
    'page=1&page=2',
    'size=201',
    'size=1.5',
    'colour=red',
    'cursor=%00',
    'cursor=',
    'cursor=e30',
    'count=all',
    'page=100000&size=200',
  ])('refuses the query %s', async (query) => {
    const answer = await service.call('GET', `/api/crm/leads?${query}`);
    expect([answer.status, answer.json.code]).toEqual([400, 'INVALID_QUERY']);
  });

  it('reads If-Match', async () => {
    const patch = async (ifMatch?: string) => {
      const headers = ifMatch === undefined ? undefined : { 'if-match': ifMatch };
      return (await service.call('PATCH', `/api/crm/leads/${TENANT}`, { headers })).status;
    };
    expect(await patch()).toBe(200);
    expect(await patch('"2", "3"')).toBe(200);
    expect(await patch('W/"3"')).toBe(412);
    expect(await patch('3')).toBe(400);
  });

  it('refuses an idempotency key for a call that returns a secret, after it has checked the rights', async () => {
    const answer = await service.post('/api/crm/tokens', {});
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const repeatable = await service.post('/api/crm/tokens', {}, { 'idempotency-key': 'k' });
    expect([repeatable.status, repeatable.json.code]).toEqual([400, 'MALFORMED_REQUEST']);
    expect((await service.post('/api/crm/tokens', {}, { 'idempotency-key': 'k', authorization: '' })).status).toBe(401);
  });
});
