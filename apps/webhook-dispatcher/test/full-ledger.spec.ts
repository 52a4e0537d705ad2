import { lowestIdOf } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { BoundedReads } from '../src/ledger/bounded-reads.js';
import { APP_LEDGER, TENANT_LEDGER } from '../src/ledger/ledger.repository.js';
import { LedgerService, MOST_DELIVERIES } from '../src/ledger/ledger.service.js';
import { startWebhooks, type Tenant, type WebhookService } from './webhook-service.js';

const HOUR_MS = 3_600_000;
const PAGE = 26;
/** With rows: the fewest that a page reads is one of each more, because it is merged of them. */
const PARTITIONS = 2;
const APP = 'acme-visits';

/**
 * As many deliveries within 20 hours, in the order of their events: 100 subscriptions, 2 % failed, of which each tenth with
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

interface PlanRow {
  'QUERY PLAN': [{ Plan: PlanNode }];
}

interface Filter {
  status?: string;
  subscriptionId?: string;
  event?: string;
  errorCode?: string;
  fromMs?: number;
  toMs?: number;
  after?: string;
}

const EXPLAIN = 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) ';

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

describe('a ledger with more deliveries than one request reads', () => {
  let app: WebhookService;
  let tenant: Tenant;
  let beginMs: number;
  const stepMs = (20 * HOUR_MS) / (MOST_DELIVERIES + 1);
  beforeAll(async () => {
    app = await startWebhooks();
    tenant = await app.tenant();
    beginMs = Date.now() - 20 * HOUR_MS - 60_000;
    const { id } = await app.tenant();
    await app.asAdministrator(FILL, [tenant.id, beginMs, stepMs, MOST_DELIVERIES + 1, APP]);
    await app.asAdministrator(FILL, [id, beginMs, 20 * stepMs, MOST_DELIVERIES / 20, `${APP}-2`]);
    await app.asAdministrator('ANALYZE delivery');
  }, 120_000);
  afterAll(() => app?.close());

  const idOf = (ms: number | undefined) => (ms === undefined ? null : lowestIdOf(Math.floor(ms)));

  /** What Postgres reads for a page of the tenant or of the app, with the values as the repository sends them. */
  async function read(filter: Filter, isOfApp = false): Promise<{ read: number; passedOver: number }> {
    const { status = null, subscriptionId = null, event = null, errorCode = null, after = null } = filter;
    const range = [idOf(filter.fromMs), idOf(filter.toMs)];
    const parameters = [isOfApp ? APP : tenant.id, status, subscriptionId, event, errorCode, ...range, after, PAGE, 0];
    const sql = EXPLAIN + (isOfApp ? APP_LEDGER : TENANT_LEDGER).list;
    const [row] = isOfApp
      ? await app.service.get(BoundedReads).run((tx) => tx.query<PlanRow>(sql, parameters))
      : await app.rows<PlanRow>(tenant.id, sql, parameters);
    if (!row) throw new Error('There is no plan');
    const scans = nodesOf(row['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] !== undefined);
    const sum = (key: 'Actual Rows' | 'Rows Removed by Filter') =>
      scans.reduce((all, node) => all + (node[key] ?? 0), 0);
    return { read: sum('Actual Rows'), passedOver: sum('Rows Removed by Filter') };
  }

  const subscription = () => `${tenant.id.slice(0, 8)}-0000-4000-8000-000000000001`;
  const middle = () => beginMs + 10 * HOUR_MS;
  const cursor = () => lowestIdOf(Math.floor(middle()));

  /** For these a page has an index in its order. */
  const indexed: [string, () => Filter][] = [
    ['no filter', () => ({})],
    ['a status other than delivered', () => ({ status: 'failed' })],
    ['a status that no delivery has', () => ({ status: 'blocked' })],
    ['an event', () => ({ event: 'deal.won' })],
    ['an event that did not happen', () => ({ event: 'task.deleted' })],
    ['an error code', () => ({ errorCode: 'tls' })],
    ['an error code that no delivery has', () => ({ errorCode: 'dns' })],
    ['a time', () => ({ fromMs: middle(), toMs: middle() + 60_000 })],
    ['the end of a time', () => ({ toMs: middle() })],
    ['a failed status within a time', () => ({ status: 'failed', fromMs: middle(), toMs: middle() + HOUR_MS })],
    ['an error code before a time', () => ({ errorCode: 'tls', toMs: middle() })],
    ['an event within a time', () => ({ event: 'deal.won', fromMs: middle(), toMs: middle() + HOUR_MS })],
    ['an event after a cursor', () => ({ event: 'deal.won', after: cursor() })],
  ];
  it.each([
    ...indexed.map(([name, filter]) => [name, filter, false] as const),
    ['a subscription', () => ({ subscriptionId: subscription() }), false],
    ['a subscription after a cursor', () => ({ subscriptionId: subscription(), after: cursor() }), false],
    ...indexed.map(([name, filter]) => [`${name}, of an app,`, filter, true] as const),
  ] as const)('reads for a page with %s the rows of the page alone', async (_, filter, isOfApp) => {
    const rows = await read(filter(), isOfApp);
    expect(rows.passedOver).toBe(0);
    expect(rows.read).toBeLessThan(PAGE + PARTITIONS);
  });

  it.each([
    // Most rows are delivered: those in between are few.
    ['delivered', () => ({ status: 'delivered' }), 2 * PAGE],
    // The hundredth part of the rows, by one of the two indexes; the other condition is checked on each row.
    [
      'a subscription and an event',
      () => ({ subscriptionId: subscription(), event: 'deal.won' }),
      MOST_DELIVERIES / 99,
    ],
    [
      'a subscription and an error code',
      () => ({ subscriptionId: subscription(), errorCode: 'tls' }),
      MOST_DELIVERIES / 99,
    ],
  ])('reads few other rows for a page with %s', async (_, filter, most) => {
    const { read: rows, passedOver } = await read(filter());
    expect(rows + passedOver).toBeLessThan(most);
  });

  it('refuses statistics of too many deliveries of an app, and has them for a shorter time', async () => {
    const stats = (from?: string) => app.service.get(LedgerService).countByHour({ appKey: APP }, from ? { from } : {});
    await expect(stats()).rejects.toMatchObject({ code: 'QUERY_TOO_EXPENSIVE' });
    const hours = await stats(new Date(Math.ceil(beginMs + stepMs) + 1).toISOString());
    expect(hours.reduce((sum, { deliveries }) => sum + deliveries, 0)).toBe(MOST_DELIVERIES);
  });

  it('refuses statistics of too many deliveries, and has them for a shorter time', async () => {
    type Stats = { data: { deliveries: number }[]; code: string; detail: string };
    const get = (query: string) => app.call<Stats>(tenant.admin, 'GET', `stats?${query}`);
    const refused = await get('');
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      422,
      'QUERY_TOO_EXPENSIVE',
      'from: more than 200,000 deliveries since then; ask for a shorter time',
    ]);
    // Without the first event there are as many as one request may read.
    const from = new Date(Math.ceil(beginMs + stepMs) + 1).toISOString();
    const answer = await get(`from=${from}`);
    expect(answer.status).toBe(200);
    expect(answer.body.data.reduce((sum, { deliveries }) => sum + deliveries, 0)).toBe(MOST_DELIVERIES);
  });
});
