import { randomUUID } from 'node:crypto';
import { type EventEnvelope, rpc } from '@crm/contracts';
import { Database, lowestIdOf, millisecondsOfId, type NarrowTransaction } from '@crm/database';
import { NatsConnection, Rpc } from '@crm/messaging';
import { type ReceiverReaction, testNats, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { deliveryId } from '../src/delivery/attempt.js';
import { BoundedReads } from '../src/ledger/bounded-reads.js';
import { APP_LEDGER, TENANT_LEDGER } from '../src/ledger/ledger.repository.js';
import { LedgerService, MOST_DELIVERIES } from '../src/ledger/ledger.service.js';
import type { NewDelivery } from '../src/ledger/ledger-entry.js';
import { LedgerWriter } from '../src/ledger/ledger-writer.js';
import {
  type DeliveryJson,
  eventEntry,
  type ListJson,
  newDelivery,
  type Tenant,
  useWebhooks,
} from './webhook-service.js';

const HOUR_MS = 3_600_000;

const { app, tenant, call } = useWebhooks();

/** An id of an event that happened then. */
const eventIdAt = (ms: number) => lowestIdOf(ms).slice(0, 14) + randomUUID().slice(14);

describe('the list of deliveries', () => {
  const list = (query: string, token = tenant.admin) =>
    call<ListJson<DeliveryJson>>('GET', `deliveries?${query}`, undefined, token);

  it('continues by cursor although new deliveries arrive in between', async () => {
    await app.subscribe(tenant.admin);
    for (let count = 0; count < 5; count += 1) await app.emit(tenant.id);
    const all = await app.settled(tenant.admin, 'delivered');
    const first = (await list('size=2')).body;
    expect(first).toMatchObject({ total: 5, totalIsExact: true, hasMore: true });
    await app.emit(tenant.id);
    const second = (await list(`size=2&cursor=${first.nextCursor}`)).body;
    const third = (await list(`size=2&cursor=${second.nextCursor}`)).body;
    expect([...first.data, ...second.data, ...third.data].map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(third).toMatchObject({ hasMore: false, nextCursor: null });
  });

  it('refuses the cursor of another filter or another tenant', async () => {
    const { id } = await app.subscribe(tenant.admin);
    for (let count = 0; count < 2; count += 1) await app.emit(tenant.id);
    const { nextCursor } = (await list(`size=1&subscriptionId=${id}`)).body;
    expect((await list(`size=1&subscriptionId=${id}&cursor=${nextCursor}`)).status).toBe(200);
    const own = `subscriptionId=${id}&`;
    for (const changed of [
      '',
      `${own}status=delivered&`,
      `${own}event=lead.created&`,
      `${own}to=2100-01-01T00:00:00Z&`,
    ])
      expect((await list(`${changed}cursor=${nextCursor}`)).body.code).toBe('INVALID_QUERY');
    expect((await list(`${own}cursor=${nextCursor}`, (await app.tenant()).admin)).body.code).toBe('INVALID_QUERY');
  });

  it('is filtered by status, subscription, event, error code and the time of the event', async () => {
    app.receiver.respondWith(({ path }) => ({ status: path === '/gone' ? 410 : 204 }));
    const events = ['lead.created', 'lead.updated'];
    const fine = await app.subscribe(tenant.admin, { events });
    const gone = await app.subscribe(tenant.admin, { events: ['lead.updated'], url: `${app.receiver.url}/gone` });
    const created = await app.emit(tenant.id, 'lead.created');
    const updated = await app.emit(tenant.id, 'lead.updated');
    const at = (event: { id: string }, moreMs = 0) => new Date(millisecondsOfId(event.id) + moreMs).toISOString();
    const found = async (query: string) => {
      const { body } = await list(query);
      expect(body.total).toBe(body.data.length);
      return body.data.map(({ eventId, subscriptionId }) => [eventId, subscriptionId]).sort();
    };
    const [first, second] = [created, updated].map((event) => [event.id, fine.id]);
    const third = [updated.id, gone.id];
    const all = [first, second, third].sort();
    for (const [query, expected] of [
      ['', all],
      ['status=held', [third]],
      ['status=failed', []],
      [`subscriptionId=${gone.id}`, [third]],
      ['event=lead.created', [first]],
      ['event=lead.updated', [second, third].sort()],
      ['event=lead.deleted', []],
      ['errorCode=http_4xx', [third]],
      ['errorCode=tls', []],
      [`event=lead.updated&status=delivered&subscriptionId=${fine.id}`, [second]],
      [`from=${at(created)}&to=${at(updated, 1)}`, all],
      [`from=${at(updated, 1)}`, []],
      [`to=${at(created)}`, []],
      [`from=${at(created)}&to=${at(created)}`, []],
      ['from=1900-01-01T00:00:00%2B02:00&to=9999-12-31T23:59:59-23:59', all],
    ] as const) {
      expect([query, await found(query)]).toEqual([query, expected]);
    }
  });

  it.each([
    ['from=yesterday', 'from: Must be a date and time with an offset (RFC 3339)'],
    ['to=2026-11-22', 'to: Must be a date and time with an offset (RFC 3339)'],
    ['from=2026-11-22T10:00:01Z&to=2026-11-22T10:00:00Z', 'from: must be before to'],
    ['event=lead.exploded', 'event: '],
    ['errorCode=', 'errorCode: '],
  ])('refuses %s', async (query, detail) => {
    const { status, body } = await list(query);
    expect([status, body.code]).toEqual([400, 'INVALID_QUERY']);
    expect(body.detail).toContain(detail);
  });
});

describe('the attempts of a delivery', () => {
  it('show where they failed without an answer, and the beginning of an answer', async () => {
    const answers = [{ status: 500, body: 'x'.repeat(5_000) }];
    app.receiver.respondWith(() => answers.shift() ?? { status: 200, headers: { 'x-long': 'x'.repeat(20_000) } });
    await app.subscribe(tenant.admin);
    await app.emit(tenant.id);
    const [failed] = await app.settled(tenant.admin, 'failed');
    const { body } = await call<{ attemptLog: object[] }>('GET', `deliveries/${failed?.id}`);
    const [answered, ...unanswered] = body.attemptLog;
    expect(answered).toMatchObject({ httpStatus: 500, errorCode: 'http_5xx', responseExcerpt: 'x'.repeat(4_096) });
    expect(answered).not.toHaveProperty('phase');
    const attempt = { at: expect.any(String), latencyMs: expect.any(Number) };
    expect(unanswered).toEqual(Array(2).fill({ ...attempt, errorCode: 'too_large', phase: 'headers' }));
  });
});

describe('statistics of deliveries', () => {
  /** The hour before this one. */
  let hour: number;
  beforeEach(() => {
    hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
  });

  const get = (path: string, token = tenant.admin) =>
    call<{ data: Record<string, unknown>[]; code: string; detail: string }>('GET', path, undefined, token);
  const time = (ms: number) => new Date(ms).toISOString();
  const range = (fromMs: number, toMs: number) => `from=${time(fromMs)}&to=${time(toMs)}`;

  /** Writes a delivery as the pipeline does, after its first attempt or, without a latency, before. */
  async function record(atMs: number, subscriptionId: string, status: NewDelivery['status'], latencyMs: number | null) {
    const eventId = eventIdAt(atMs);
    const error = status === 'delivered' ? null : ({ code: 'connect', message: 'no' } as const);
    const unanswered = { httpStatus: null, responseExcerpt: null, retryAfterMs: null };
    const outcome = latencyMs === null ? null : { at: new Date(atMs), latencyMs, error, ...unanswered };
    const id = deliveryId(eventId, subscriptionId);
    const dueAt = status === 'retrying' || status === 'pending' ? new Date(Date.now() + HOUR_MS) : null;
    const delivery = newDelivery({ id, subscriptionId, status, attempts: outcome === null ? 0 : 1, outcome, dueAt });
    await app.service.get(LedgerWriter).write(eventEntry(tenant.id, [delivery], { eventId }));
  }

  it('count 24 hours by that of the event, of one subscription or all; an hour without attempts has no latency', async () => {
    const [one, other] = [await app.subscribe(tenant.admin), await app.subscribe(tenant.admin)];
    const delivered = (_none: unknown, index: number) => record(hour + index + 1, one.id, 'delivered', index + 1);
    await Promise.all(Array.from({ length: 100 }, delivered));
    await record(hour - HOUR_MS - 1, one.id, 'pending', null);
    await record(hour - 1, one.id, 'failed', 7);
    await record(hour, other.id, 'blocked', 0);
    await record(hour, other.id, 'retrying', 3);
    // The next hour may begin while the test runs.
    const untilThisHour = `to=${time(hour + 2 * HOUR_MS)}`;
    const { status, body } = await get(`subscriptions/${one.id}/stats?${untilThisHour}`);
    expect(status).toBe(200);
    expect(body.data).toHaveLength(24);
    const [unattempted, before, last, current] = body.data.slice(-4);
    const none = { deliveries: 0, delivered: 0, failed: 0, attempts: 0 };
    expect(unattempted).toEqual({ hour: time(hour - 2 * HOUR_MS), ...none, deliveries: 1 });
    const single = { deliveries: 1, delivered: 0, failed: 1, attempts: 1, successRate: 0 };
    expect(before).toEqual({ hour: time(hour - HOUR_MS), ...single, latencyMs: { p50: 7, p95: 7, p99: 7 } });
    const hundred = { deliveries: 100, delivered: 100, failed: 0, attempts: 100, successRate: 1 };
    expect(last).toEqual({ hour: time(hour), ...hundred, latencyMs: { p50: 50, p95: 95, p99: 99 } });
    expect(current).toEqual({ hour: time(hour + HOUR_MS), ...none });

    const all = (await get(`stats?${untilThisHour}`)).body.data.at(-2);
    expect(all).toMatchObject({ deliveries: 102, delivered: 100, failed: 1, attempts: 102 });
    expect(all?.successRate).toBeCloseTo(100 / 101, 10);
    const ofOther = await get(`subscriptions/${other.id}/stats?${range(hour, hour + 1)}`);
    expect(ofOther.body.data).toMatchObject([{ ...none, deliveries: 2, failed: 1, attempts: 2, successRate: 0 }]);
  });

  it('count nothing of another tenant', async () => {
    const { id } = await app.subscribe(tenant.admin);
    await record(hour, id, 'delivered', 1);
    const stranger = (await app.tenant()).admin;
    const { data } = (await get(`stats?${range(hour, hour + 1)}`, stranger)).body;
    expect(data).toEqual([{ hour: time(hour), deliveries: 0, delivered: 0, failed: 0, attempts: 0 }]);
    expect((await get(`subscriptions/${id}/stats`, stranger)).body.code).toBe('NOT_FOUND');
  });

  it('cover the part of an hour that is asked for', async () => {
    const { id } = await app.subscribe(tenant.admin);
    for (const ms of [999, 1_000, 1_999, 2_000]) await record(hour + ms, id, 'delivered', 1);
    const { data } = (await get(`stats?${range(hour + 1_000, hour + 2_000)}`)).body;
    expect(data).toEqual([expect.objectContaining({ hour: time(hour), deliveries: 2 })]);
  });

  it('refuse a range that is too long, runs backwards or is none', async () => {
    const { id } = await app.subscribe(tenant.admin);
    for (const path of ['stats', `subscriptions/${id}/stats`])
      for (const [query, detail] of [
        [range(hour - 7 * 24 * HOUR_MS - 1, hour), 'from: must be within 7 days of to'],
        [range(hour, hour - 1), 'from: must be before to'],
        [`from=${time(Date.now() + HOUR_MS)}`, 'from: must be before to'],
        ['to=noon', 'to: Must be a date and time with an offset (RFC 3339)'],
      ])
        expect(await get(`${path}?${query}`)).toMatchObject({ status: 400, body: { code: 'INVALID_QUERY', detail } });
  });
});

const PAGE = { limit: 26, offset: 0, countLimit: 10_001 };

describe('the ledger of an app', () => {
  let nats: NatsConnection;
  let marketplace: Rpc;
  let appKey: string;
  const connect = (service: 'marketplace-certification' | 'custom-objects') => {
    const { url, passwords } = testNats();
    return NatsConnection.open({ url, user: service, password: passwords[service], service });
  };
  beforeAll(async () => {
    nats = await connect('marketplace-certification');
    marketplace = new Rpc(nats);
  });
  afterAll(() => nats?.close());
  beforeEach(() => {
    appKey = `app-${randomUUID()}`;
  });

  /** In a new workspace, which also has its own subscription. */
  async function install(key = appKey) {
    const workspace = await app.tenant();
    const installationId = randomUUID();
    const webhooks = [{ events: ['lead.*'], url: `${app.receiver.url}/app` }];
    await app.provision(workspace.id, { installationId, appKey: key, webhooks });
    await app.subscribe(workspace.admin, { events: ['lead.*'] });
    return { ...workspace, installationId };
  }
  const emit = (tenantId: string, type?: 'lead.updated') =>
    app.emit(tenantId, type, { id: randomUUID(), lastName: 'Lovelace' });
  const list = (filter: object = {}, page: object = {}, key = appKey) =>
    marketplace.call(rpc.webhooks.listAppDeliveries, { appKey: key, filter, ...PAGE, ...page });
  const eventsOf = async (...args: Parameters<typeof list>) =>
    (await list(...args)).deliveries.map(({ eventId }) => eventId);
  const ids = (...events: EventEnvelope[]) => events.map(({ id }) => id);

  it('has its deliveries in every workspace, newest first, and shows nothing of the workspace', async () => {
    const [one, two, stranger] = [await install(), await install(), await install(`other-${randomUUID()}`)];
    const [first, , second] = [await emit(one.id), await emit(stranger.id), await emit(two.id)];
    const { deliveries, counted } = await list();
    expect(counted).toBe(2);
    const common = { event: 'lead.created', url: `${app.receiver.url}/app`, status: 'delivered', attempts: 1 };
    const unknown = { id: expect.any(String), latencyMs: expect.any(Number), createdAt: expect.any(String) };
    const shown = [
      [second.id, two.installationId],
      [first.id, one.installationId],
    ].map(([eventId, installationId]) => ({ eventId, installationId, ...common, ...unknown }));
    expect(deliveries).toEqual(shown);
    const found = await marketplace.call(rpc.webhooks.findAppDelivery, { appKey, id: deliveries[0]?.id as string });
    for (const text of [JSON.stringify(deliveries), JSON.stringify(found)])
      for (const secret of [one.id, two.id, 'Lovelace', 'secret']) expect(text).not.toContain(secret);
  });

  it('is filtered by status, event, error code and the time of the event, and continues after a page', async () => {
    const workspace = await install();
    const created = await emit(workspace.id);
    const updated = await emit(workspace.id, 'lead.updated');
    app.answer(410);
    const gone = await emit(workspace.id);
    await waitUntil(async () => (await list({ errorCode: 'http_4xx' })).counted === 1, { describe: 'a failure' });
    for (const [filter, events] of [
      [{}, [gone, updated, created]],
      [{ status: 'delivered' }, [updated, created]],
      [{ event: 'lead.updated' }, [updated]],
      [{ event: 'lead.deleted' }, []],
      [{ errorCode: 'tls' }, []],
      [{ errorCode: 'http_4xx', event: 'lead.created' }, [gone]],
      [{ from: '2100-01-01T00:00:00Z' }, []],
      [{ to: '2100-01-01T00:00:00Z', status: 'delivered' }, [updated, created]],
    ] as const) {
      expect([filter, await eventsOf(filter)]).toEqual([filter, ids(...events)]);
    }
    expect(await eventsOf({}, {}, `${appKey}-2`)).toEqual([]);
    const { deliveries, counted } = await list({}, { limit: 2, countLimit: 2 });
    expect([deliveries.map(({ eventId }) => eventId), counted]).toEqual([ids(gone, updated), 2]);
    const rest = await list({}, { after: deliveries[1]?.id as string, countLimit: 0 });
    expect([rest.deliveries.map(({ eventId }) => eventId), rest.counted]).toEqual([ids(created), 0]);
    const backwards = list({ from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' });
    await expect(backwards).rejects.toMatchObject({ code: 'INVALID_QUERY' });
  });

  it('has the attempts of a delivery, with what the app answered', async () => {
    const workspace = await install();
    const reactions: ReceiverReaction[] = ['reset', { status: 503, body: 'busy' }];
    app.receiver.respondWith(({ path }) => (path === '/app' ? reactions.shift() : null) ?? { status: 200, body: 'ok' });
    await emit(workspace.id);
    await waitUntil(async () => (await list({ status: 'delivered' })).counted === 1, { describe: 'a success' });
    const id = (await list()).deliveries[0]?.id as string;
    const { found } = await marketplace.call(rpc.webhooks.findAppDelivery, { appKey, id });
    const attempt = { at: expect.any(String), latencyMs: expect.any(Number) };
    expect(found).toMatchObject({ delivery: { id, attempts: 3, status: 'delivered' } });
    expect(found?.attempts).toEqual([
      { ...attempt, errorCode: 'reset', phase: 'headers' },
      { ...attempt, errorCode: 'http_5xx', httpStatus: 503, responseExcerpt: 'busy' },
      { ...attempt, httpStatus: 200, responseExcerpt: 'ok' },
    ]);
    const { hours } = await marketplace.call(rpc.webhooks.countAppDeliveries, { appKey });
    expect(hours.filter(({ deliveries }) => deliveries > 0)).toMatchObject([{ delivered: 1, failed: 0, attempts: 3 }]);
    for (const other of [
      { appKey: `${appKey}-2`, id },
      { appKey, id: randomUUID() },
    ])
      expect(await marketplace.call(rpc.webhooks.findAppDelivery, other)).toEqual({ found: null });
  });

  it('is counted by the hour, over all workspaces', async () => {
    const [one, two, stranger] = [await install(), await install(), await install(`other-${randomUUID()}`)];
    for (const { id } of [one, two, two, stranger]) await emit(id);
    const { hours } = await marketplace.call(rpc.webhooks.countAppDeliveries, { appKey });
    expect(hours).toHaveLength(24);
    const sum = (key: 'deliveries' | 'delivered') => hours.reduce((all, hour) => all + hour[key], 0);
    expect([sum('deliveries'), sum('delivered')]).toEqual([3, 3]);
    expect(hours.filter(({ latencyMs }) => latencyMs !== null).length).toBeGreaterThan(0);
    const tooLong = marketplace.call(rpc.webhooks.countAppDeliveries, { appKey, from: '2026-01-01T00:00:00Z' });
    await expect(tooLong).rejects.toMatchObject({ code: 'INVALID_QUERY' });
  });

  it('is not open to other services', async () => {
    const other = await connect('custom-objects');
    const found = new Rpc(other).call(rpc.webhooks.findAppDelivery, { appKey, id: randomUUID() });
    await expect(found.finally(() => other.close())).rejects.toMatchObject({ code: expect.any(String) });
  });

  it('is read by one request at a time, which is ended when it takes long', async () => {
    const reads = app.service.get(BoundedReads);
    const underWay = reads.run((tx) => tx.query('SELECT pg_sleep(60)'));
    const refusal = expect(underWay).rejects.toMatchObject({ code: 'QUERY_TOO_EXPENSIVE' });
    // Waits for the slot, and gets it when the first is ended, or is told to come again.
    const next = await Promise.allSettled([list()]);
    await refusal;
    expect(next[0]?.status === 'fulfilled' || next[0]?.reason.code === 'SERVICE_UNAVAILABLE').toBe(true);
    expect(await list()).toEqual({ deliveries: [], counted: 0 });
    // What was set for it holds for no other transaction on the connection.
    const settings = (tx: NarrowTransaction) =>
      tx.query(`SELECT current_setting('plan_cache_mode') AS mode, current_setting('statement_timeout') AS timeout`);
    expect(await reads.run(settings)).toEqual([{ mode: 'force_custom_plan', timeout: '2s' }]);
    const others = await app.service.get(Database).crossTenant(settings);
    expect(others).not.toContainEqual({ mode: 'force_custom_plan', timeout: '2s' });
  });
});

const PAGE_ROWS = 26;
/** With rows: the fewest that a page reads is one of each more, because it is merged of them. */
const PARTITIONS = 2;
const APP = 'acme-visits';

/**
 * Makes so many deliveries within 20 hours, in the order of their events: 100 subscriptions, 2 % failed, of which each tenth with
 * `tls`, 1 % of another event. $1: tenant, $2: when the first event happened, $3: milliseconds in between, $4: deliveries,
 * $5: the app that they are of.
 */
const FILL = `
  INSERT INTO delivery (tenant_id, id, subscription_id, event_id, event, url, status, attempts, attempted_at, latency_ms,
                        http_status, error_code, error_message, app_key, installation_id)
  SELECT $1::uuid, id, (left($1::text, 8) || '-0000-4000-8000-' || lpad((n % 100)::text, 12, '0'))::uuid, id,
         CASE WHEN n % 100 = 7 THEN 'deal.won' ELSE 'lead.created' END, 'https://receiver.test/',
         CASE WHEN n % 50 = 3 THEN 'failed' ELSE 'delivered' END, 1, now(), n % 1000, 200,
         CASE WHEN n % 500 = 3 THEN 'tls' WHEN n % 50 = 3 THEN 'http_5xx' END, CASE WHEN n % 50 = 3 THEN 'no' END, $5::text, $1
    FROM (SELECT n, (lpad(to_hex(($2::float8 + n * $3::float8)::bigint), 12, '0') || '7000' || '8000'
                     || lpad(to_hex(n), 12, '0'))::uuid AS id FROM generate_series(1, $4::int) AS n) AS made`;

interface PlanNode {
  /** For nodes that read a table. */
  'Relation Name'?: string;
  'Actual Rows'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

interface Filter {
  status?: string;
  isOfOneSubscription?: boolean;
  event?: string;
  errorCode?: string;
  fromMs?: number;
  toMs?: number;
  after?: string;
}

const EXPLAIN = 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) ';

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

describe('a ledger with more deliveries than one request reads', () => {
  /** The one that has them. */
  let tenant: Tenant;
  const beginMs = Date.now() - 20 * HOUR_MS - 60_000;
  const stepMs = (20 * HOUR_MS) / (MOST_DELIVERIES + 1);
  const HUNDREDTH = MOST_DELIVERIES / 99;
  beforeAll(async () => {
    tenant = await app.tenant();
    const { id } = await app.tenant();
    await app.asAdministrator(FILL, [tenant.id, beginMs, stepMs, MOST_DELIVERIES + 1, APP]);
    await app.asAdministrator(FILL, [id, beginMs, 20 * stepMs, MOST_DELIVERIES / 20, `${APP}-2`]);
    await app.asAdministrator('ANALYZE delivery');
  }, 120_000);

  const idOf = (ms: number | undefined) => (ms === undefined ? null : lowestIdOf(Math.floor(ms)));

  /** What Postgres reads for a page of the tenant or of the app, with the values as the repository sends them. */
  async function read(filter: Filter, isOfApp = false): Promise<{ read: number; passedOver: number }> {
    const { status = null, event = null, errorCode = null, after = null } = filter;
    const subscription = filter.isOfOneSubscription ? `${tenant.id.slice(0, 8)}-0000-4000-8000-000000000001` : null;
    const range = [idOf(filter.fromMs), idOf(filter.toMs)];
    const owner = isOfApp ? APP : tenant.id;
    const parameters = [owner, status, subscription, event, errorCode, ...range, after, PAGE_ROWS, 0];
    const sql = EXPLAIN + (isOfApp ? APP_LEDGER : TENANT_LEDGER).list;
    type Row = { 'QUERY PLAN': [{ Plan: PlanNode }] };
    const [row] = isOfApp
      ? await app.service.get(BoundedReads).run((tx) => tx.query<Row>(sql, parameters))
      : await app.rows<Row>(tenant.id, sql, parameters);
    if (!row) throw new Error('There is no plan');
    const scans = nodesOf(row['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] !== undefined);
    const sum = (key: 'Actual Rows' | 'Rows Removed by Filter') =>
      scans.reduce((all, node) => all + (node[key] ?? 0), 0);
    return { read: sum('Actual Rows'), passedOver: sum('Rows Removed by Filter') };
  }

  const MIDDLE = beginMs + 10 * HOUR_MS;
  const HOUR_OF_MIDDLE = { fromMs: MIDDLE, toMs: MIDDLE + HOUR_MS };
  const after = lowestIdOf(Math.floor(MIDDLE));

  /** For these a page has an index in its order. */
  const indexed: [string, Filter][] = [
    ['no filter', {}],
    ['a status other than delivered', { status: 'failed' }],
    ['a status that no delivery has', { status: 'blocked' }],
    ['an event', { event: 'deal.won' }],
    ['an event that did not happen', { event: 'task.deleted' }],
    ['an error code', { errorCode: 'tls' }],
    ['an error code that no delivery has', { errorCode: 'dns' }],
    ['a time', { fromMs: MIDDLE, toMs: MIDDLE + 60_000 }],
    ['the end of a time', { toMs: MIDDLE }],
    ['a failed status within a time', { status: 'failed', ...HOUR_OF_MIDDLE }],
    ['an error code before a time', { errorCode: 'tls', toMs: MIDDLE }],
    ['an event within a time', { event: 'deal.won', ...HOUR_OF_MIDDLE }],
    ['an event after a cursor', { event: 'deal.won', after }],
  ];
  it.each([
    ...indexed.map(([name, filter]) => [name, filter, false] as const),
    ['a subscription', { isOfOneSubscription: true }, false],
    ['a subscription after a cursor', { isOfOneSubscription: true, after }, false],
    ...indexed.map(([name, filter]) => [`${name}, of an app,`, filter, true] as const),
  ] as const)('reads for a page with %s the rows of the page alone', async (_, filter, isOfApp) => {
    const rows = await read(filter, isOfApp);
    expect(rows.passedOver).toBe(0);
    expect(rows.read).toBeLessThan(PAGE_ROWS + PARTITIONS);
  });

  it.each([
    // Most rows are delivered: those in between are few.
    ['delivered', { status: 'delivered' }, 2 * PAGE_ROWS],
    // The hundredth part of the rows, by one of the two indexes; the other condition is checked on each row.
    ['a subscription and an event', { isOfOneSubscription: true, event: 'deal.won' }, HUNDREDTH],
    ['a subscription and an error code', { isOfOneSubscription: true, errorCode: 'tls' }, HUNDREDTH],
  ])('reads few other rows for a page with %s', async (_, filter, most) => {
    const { read: rows, passedOver } = await read(filter);
    expect(rows + passedOver).toBeLessThan(most);
  });

  it('refuses statistics of too many deliveries, of an app too, and has them for a shorter time', async () => {
    const sum = (hours: { deliveries: number }[]) => hours.reduce((all, { deliveries }) => all + deliveries, 0);
    // Without the first event there are as many as one request may read.
    const from = new Date(Math.ceil(beginMs + stepMs) + 1).toISOString();
    const ofApp = (query: object) => app.service.get(LedgerService).countByHour({ appKey: APP }, query);
    await expect(ofApp({})).rejects.toMatchObject({ code: 'QUERY_TOO_EXPENSIVE' });
    expect(sum(await ofApp({ from }))).toBe(MOST_DELIVERIES);
    const get = (query: string) => app.call<{ data: { deliveries: number }[] }>(tenant.admin, 'GET', `stats?${query}`);
    const detail = 'from: more than 200,000 deliveries since then. Use a shorter time range';
    expect(await get('')).toMatchObject({ status: 422, body: { code: 'QUERY_TOO_EXPENSIVE', detail } });
    expect(sum((await get(`from=${from}`)).body.data)).toBe(MOST_DELIVERIES);
  });
});
