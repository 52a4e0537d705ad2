import { randomUUID } from 'node:crypto';
import { lowestIdOf } from '@crm/database';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { deliveryId } from '../src/delivery/first-attempt.js';
import type { NewDelivery } from '../src/ledger/ledger-entry.js';
import { LedgerWriter } from '../src/ledger/ledger-writer.js';
import type { AttemptOutcome } from '../src/receivers/attempt-outcome.js';
import { eventEntry, newDelivery, useWebhooks } from './webhook-service.js';

const HOUR_MS = 3_600_000;

interface StatsJson {
  data: {
    hour: string;
    deliveries: number;
    delivered: number;
    failed: number;
    attempts: number;
    successRate?: number;
    latencyMs?: { p50: number; p95: number; p99: number };
  }[];
  code: string;
  detail: string;
}

describe('statistics of deliveries', () => {
  const { app, tenant } = useWebhooks();
  /** Of the hour before this one. */
  let hour: number;
  beforeEach(() => {
    hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
  });

  const get = (path: string, token = tenant.admin) =>
    app.service.request<StatsJson>('GET', `/api/webhooks/${path}`, { token });
  const time = (ms: number) => new Date(ms).toISOString();
  const range = (fromMs: number, toMs: number) => `from=${time(fromMs)}&to=${time(toMs)}`;

  /** Writes a delivery as the pipeline does, after its first attempt or, without a latency, before. */
  async function record(
    atMs: number,
    subscriptionId: string,
    status: NewDelivery['status'],
    latencyMs: number | null,
  ): Promise<void> {
    const eventId = lowestIdOf(atMs).slice(0, 14) + randomUUID().slice(14);
    const outcome: AttemptOutcome | null =
      latencyMs === null
        ? null
        : {
            at: new Date(atMs),
            latencyMs,
            httpStatus: null,
            error: status === 'delivered' ? null : { code: 'connect', message: 'no' },
            responseExcerpt: null,
            retryAfterMs: null,
          };
    const id = deliveryId(eventId, subscriptionId);
    const dueAt = status === 'retrying' || status === 'pending' ? new Date(Date.now() + HOUR_MS) : null;
    const delivery = newDelivery({ id, subscriptionId, status, attempts: outcome === null ? 0 : 1, outcome, dueAt });
    await app.service.get(LedgerWriter).write(eventEntry(tenant.id, [delivery], { eventId }));
  }

  it('count 24 hours by the hour of the event, of one subscription or all', async () => {
    const [one, other] = [await app.subscribe(tenant.admin), await app.subscribe(tenant.admin)];
    for (let ms = 1; ms <= 100; ms += 1) await record(hour + ms, one.id, 'delivered', ms);
    await record(hour - 1, one.id, 'failed', 7);
    await record(hour, other.id, 'blocked', 0);
    await record(hour, other.id, 'retrying', 3);
    // The next hour may begin while the test runs.
    const untilThisHour = `to=${time(hour + 2 * HOUR_MS)}`;
    const { status, body } = await get(`subscriptions/${one.id}/stats?${untilThisHour}`);
    expect(status).toBe(200);
    expect(body.data).toHaveLength(24);
    const [before, last, current] = body.data.slice(-3);
    expect(before).toEqual({
      hour: time(hour - HOUR_MS),
      deliveries: 1,
      delivered: 0,
      failed: 1,
      attempts: 1,
      successRate: 0,
      latencyMs: { p50: 7, p95: 7, p99: 7 },
    });
    expect(last).toEqual({
      hour: time(hour),
      deliveries: 100,
      delivered: 100,
      failed: 0,
      attempts: 100,
      successRate: 1,
      latencyMs: { p50: 50, p95: 95, p99: 99 },
    });
    expect(current).toEqual({ hour: time(hour + HOUR_MS), deliveries: 0, delivered: 0, failed: 0, attempts: 0 });

    const all = (await get(`stats?${untilThisHour}`)).body.data.at(-2);
    expect(all).toMatchObject({ deliveries: 102, delivered: 100, failed: 1, attempts: 102 });
    expect(all?.successRate).toBeCloseTo(100 / 101, 10);
    expect((await get(`subscriptions/${other.id}/stats?${range(hour, hour + 1)}`)).body.data).toEqual([
      expect.objectContaining({ deliveries: 2, delivered: 0, failed: 1, attempts: 2, successRate: 0 }),
    ]);
  });

  it('have no latency for an hour in which nothing was attempted', async () => {
    const { id } = await app.subscribe(tenant.admin);
    await record(hour, id, 'pending', null);
    const { status, body } = await get(`stats?${range(hour, hour + 1)}`);
    expect([status, body.data]).toEqual([
      200,
      [{ hour: time(hour), deliveries: 1, delivered: 0, failed: 0, attempts: 0 }],
    ]);
  });

  it('count attempts of the real pipeline, retries included', async () => {
    const statuses = [500, 500, 204];
    app.receiver.respondWith(() => ({ status: statuses.shift() ?? 204 }));
    const { id } = await app.subscribe(tenant.admin);
    await app.emit(tenant.id);
    await app.settled(tenant.admin, 'delivered');
    const counted = (await get(`subscriptions/${id}/stats`)).body.data.filter(({ deliveries }) => deliveries > 0);
    expect(counted).toEqual([
      expect.objectContaining({ deliveries: 1, delivered: 1, failed: 0, attempts: 3, successRate: 1 }),
    ]);
  });

  it('cover the part of an hour that is asked for', async () => {
    const { id } = await app.subscribe(tenant.admin);
    for (const ms of [999, 1_000, 1_999, 2_000]) await record(hour + ms, id, 'delivered', 1);
    const { data } = (await get(`stats?${range(hour + 1_000, hour + 2_000)}`)).body;
    expect(data).toEqual([expect.objectContaining({ hour: time(hour), deliveries: 2 })]);
  });

  it('refuse a range that is too long, runs backwards or is none', async () => {
    const { id } = await app.subscribe(tenant.admin);
    for (const path of ['stats', `subscriptions/${id}/stats`]) {
      for (const [query, detail] of [
        [range(hour - 7 * 24 * HOUR_MS - 1, hour), 'from: more than 7 days before to'],
        [range(hour, hour - 1), 'from: is later than to'],
        [`from=${time(Date.now() + HOUR_MS)}`, 'from: is later than to'],
        ['to=noon', 'to: Must be a date and time with an offset (RFC 3339)'],
      ]) {
        const { status, body } = await get(`${path}?${query}`);
        expect([status, body.code, body.detail]).toEqual([400, 'INVALID_QUERY', detail]);
      }
    }
  });

  it('are for administrators of the tenant', async () => {
    const { id } = await app.subscribe(tenant.admin);
    await record(hour, id, 'delivered', 1);
    const stranger = await app.tenant();
    for (const path of ['stats', `subscriptions/${id}/stats`])
      expect((await get(path, tenant.member)).status).toBe(403);
    expect((await get(`subscriptions/${id}/stats`, stranger.admin)).body.code).toBe('NOT_FOUND');
    expect((await get('stats', stranger.admin)).body.data.every(({ deliveries }) => deliveries === 0)).toBe(true);
  });
});
