import { randomUUID } from 'node:crypto';
import { type AppDelivery, PlatformError, rpc } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { fieldService, newKey } from './support/packages.js';

let { marketplace, neighbours, developer } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, neighbours, developer } = fixture);
});

const delivery = (id = randomUUID()): AppDelivery => ({
  id,
  event: 'lead.created',
  eventId: randomUUID(),
  installationId: randomUUID(),
  url: 'https://hooks.acme.example.com/in',
  status: 'failed',
  attempts: 10,
  lastError: { code: 'http_5xx', message: 'The receiver answered 503', httpStatus: 503 },
  latencyMs: 38,
  createdAt: '2026-11-22T09:00:00.000Z',
});

async function owned(): Promise<string> {
  const key = newKey();
  await marketplace.submit(developer, fieldService(key));
  return key;
}

const get = (key: string, rest: string, caller = developer) =>
  marketplace.service.request<Record<string, unknown> & { data: unknown[]; code: string; nextCursor: string }>(
    'GET',
    `/api/marketplace/developer/apps/${key}/${rest}`,
    { token: caller.token },
  );

describe('the deliveries of an app', () => {
  it('are what the dispatcher has, page by page', async () => {
    const key = await owned();
    const rows = [delivery(), delivery(), delivery()];
    neighbours.instead(rpc.webhooks.listAppDeliveries, ({ after, limit }) => {
      const begin = rows.findIndex(({ id }) => id === after) + 1;
      return { deliveries: rows.slice(begin, begin + limit), counted: after ? 0 : rows.length };
    });
    const query =
      'status=failed&event=lead.created&errorCode=http_5xx&from=2026-11-22T00:00:00Z&to=2026-11-23T00:00:00Z';
    const first = await get(key, `deliveries?size=2&${query}`);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ data: rows.slice(0, 2), total: 3, totalIsExact: true, hasMore: true });
    const second = await get(key, `deliveries?size=2&${query}&cursor=${first.body.nextCursor}`);
    expect(second.body).toMatchObject({ data: rows.slice(2), hasMore: false, nextCursor: null });
    const filter = {
      status: 'failed',
      event: 'lead.created',
      errorCode: 'http_5xx',
      from: '2026-11-22T00:00:00Z',
      to: '2026-11-23T00:00:00Z',
    };
    expect(neighbours.callsTo(rpc.webhooks.listAppDeliveries)).toEqual([
      { appKey: key, filter, limit: 3, offset: 0, countLimit: 10_001 },
      { appKey: key, filter, after: rows[1]?.id, limit: 3, offset: 0, countLimit: 0 },
    ]);
    const unfiltered = (await get(key, 'deliveries?size=1')).body.nextCursor;
    expect((await get(key, `deliveries?size=1&cursor=${unfiltered}`)).body.data).toEqual(rows.slice(1, 2));
    // A cursor belongs to its filter and its app.
    for (const [app, text] of [
      [key, 'status=failed'],
      [await owned(), query],
    ] as const) {
      const refused = await get(app, `deliveries?${text}&cursor=${first.body.nextCursor}`);
      expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_QUERY']);
    }
  });

  it('are shown one by one with their attempts', async () => {
    const key = await owned();
    const known = delivery();
    const attempt = { at: '2026-11-22T09:00:00.000Z', errorCode: 'reset', phase: 'headers' as const, latencyMs: 12 };
    neighbours.instead(rpc.webhooks.findAppDelivery, ({ id }) => ({
      found: id === known.id ? { delivery: known, attempts: [attempt] } : null,
    }));
    const { status, body } = await get(key, `deliveries/${known.id}`);
    expect([status, body]).toEqual([200, { ...known, attemptLog: [attempt] }]);
    expect((await get(key, `deliveries/${randomUUID()}`)).body.code).toBe('NOT_FOUND');
  });

  it('are counted by the hour', async () => {
    const key = await owned();
    const counts = { deliveries: 4, delivered: 2, failed: 1, attempts: 6 };
    neighbours.instead(rpc.webhooks.countAppDeliveries, () => ({
      hours: [
        { at: '2026-11-22T08:00:00.000Z', deliveries: 0, delivered: 0, failed: 0, attempts: 0, latencyMs: null },
        { at: '2026-11-22T09:00:00.000Z', ...counts, latencyMs: { p50: 1, p95: 2, p99: 3 } },
      ],
    }));
    const { status, body } = await get(key, 'stats?from=2026-11-22T08:00:00Z');
    expect([status, body.data]).toEqual([
      200,
      [
        { hour: '2026-11-22T08:00:00.000Z', deliveries: 0, delivered: 0, failed: 0, attempts: 0 },
        {
          hour: '2026-11-22T09:00:00.000Z',
          ...counts,
          successRate: 2 / 3,
          latencyMs: { p50: 1, p95: 2, p99: 3 },
        },
      ],
    ]);
    expect(neighbours.callsTo(rpc.webhooks.countAppDeliveries)).toEqual([
      { appKey: key, from: '2026-11-22T08:00:00Z' },
    ]);
  });

  it.each(['deliveries', 'deliveries/0198c0de-0000-7000-8000-000000000001', 'stats'])(
    '(%s) are for administrators of the publisher only',
    async (path) => {
      const key = await owned();
      const stranger = await marketplace.caller('owner');
      expect((await get(key, path, stranger)).body.code).toBe('NOT_FOUND');
      expect((await get(newKey(), path)).body.code).toBe('NOT_FOUND');
      const member = await marketplace.caller('member', developer.tenantId);
      expect((await get(key, path, member)).body.code).toBe('FORBIDDEN');
      expect(neighbours.calls.filter(({ name }) => name.includes('appDeliveries'))).toEqual([]);
    },
  );

  it('are refused with the reason of the dispatcher', async () => {
    const key = await owned();
    neighbours.instead(rpc.webhooks.countAppDeliveries, () => {
      throw new PlatformError('QUERY_TOO_EXPENSIVE', 'from: more than 200,000 deliveries since then');
    });
    const tooMany = await get(key, 'stats');
    expect([tooMany.status, tooMany.body.code, tooMany.body.detail]).toEqual([
      422,
      'QUERY_TOO_EXPENSIVE',
      'from: more than 200,000 deliveries since then',
    ]);
    const unknown = await get(key, 'deliveries?status=lost');
    expect([unknown.status, unknown.body.code]).toEqual([400, 'INVALID_QUERY']);
  });
});
