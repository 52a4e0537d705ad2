import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { SERVICES, type ServiceName } from '@crm/contracts';
import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { eventually } from '../scripts/demo/client.mjs';
import { declaredMetrics } from '../scripts/observability/declared-metrics.mjs';
import { allRules, filesIn, RUNBOOKS } from '../scripts/observability/files.mjs';
import { selectorsOf } from '../scripts/observability/promql.mjs';
import { addresses } from './platform/addresses.js';

/** On a connection of its own: one that was kept may be closed at that moment. */
const scrape = async (service: ServiceName): Promise<string> => {
  const url = `${addresses.services[service]?.operationsUrl}/metrics`;
  const [answer] = (await once(request(url, { agent: false }).end(), 'response')) as [IncomingMessage];
  return text(answer);
};

/** The values of a series on every process, with their labels as text. */
const valuesOf = (text: string, name: string): [labels: string, value: number][] =>
  [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))].map(([, labels = '', value]) => [
    labels,
    Number(value),
  ]);

describe('what the running services measure', () => {
  const scraped = new Map<ServiceName, string>();
  beforeAll(async () => {
    for (const service of SERVICES) scraped.set(service, await scrape(service));
  });
  const everything = () => [...scraped.values()].join('\n');

  it('is declared where the reference of metrics looks', async () => {
    const listed = new Set<string | undefined>(
      [...(await declaredMetrics()).values()].flatMap((metrics) => metrics.map(({ name }) => name)),
    );
    const exported = new Set([...everything().matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
    expect([...exported].filter((name) => !listed.has(name))).toEqual([]);
    expect([...listed].filter((name) => !exported.has(name))).toEqual([]);
  });

  it('is what the rules ask for', () => {
    const types = [...everything().matchAll(/^# TYPE (\w+) (\w+)$/gm)];
    const series = new Set(
      types.flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
    );
    const recorded = allRules().flatMap(({ record }) => record ?? []);
    const asked = allRules().flatMap(({ expr }) => selectorsOf(expr).map(({ name }) => name));
    expect(asked.filter((name) => name !== 'up' && !recorded.includes(name) && !series.has(name))).toEqual([]);
  });

  it('has one active relay for each outbox, and none where there is no outbox', async () => {
    const active = async () => {
      const found = new Map<string, number>();
      for (const service of SERVICES) {
        for (const [, value] of valuesOf(await scrape(service), 'outbox_relay_active')) found.set(service, value);
      }
      return [...found].sort();
    };
    const expected = ['custom-objects', 'identity', 'marketplace-certification', 'webhook-dispatcher'].map(
      (service): [string, number] => [service, 1],
    );
    // Another test may just have killed one.
    await eventually(async () => JSON.stringify(await active()) === JSON.stringify(expected), 'the relays', 30_000);
  });

  it('has the lag of each consumer, the queues of background work and the pools', async () => {
    const labelled = async (service: ServiceName, name: string, label: string) => {
      const found = valuesOf(await scrape(service), name).map(
        ([labels]) => new RegExp(`${label}="([^"]*)"`).exec(labels)?.[1],
      );
      return [...new Set(found)].sort();
    };
    await eventually(
      async () => (await labelled('webhook-dispatcher', 'due_work_items', 'queue')).length === 3,
      'queues',
    );
    expect(await labelled('webhook-dispatcher', 'due_work_items', 'queue')).toEqual([
      'deliveries',
      'erasures',
      'recoveries',
    ]);
    for (const [service, queue] of [
      ['automation-hooks', 'erasures'],
      ['custom-objects', 'erasures'],
      ['identity', 'mail'],
      ['marketplace-certification', 'installations'],
    ] as const) {
      await eventually(async () => (await labelled(service, 'due_work_oldest_seconds', 'queue'))[0] === queue, queue);
    }
    for (const consumer of ['webhook-dispatcher', 'automation-hooks', 'identity'] as const) {
      await eventually(
        async () => (await labelled(consumer, 'consumer_lag_events', 'consumer'))[0] === consumer,
        consumer,
      );
    }
    expect(await labelled('custom-objects', 'database_pool_size', 'pool')).toEqual(['costly', 'narrow', 'runtime']);
    expect(await labelled('identity', 'signing_key_signs_since_seconds', 'group')).toEqual(['admin', 'api']);
  });

  it('names no workspace, record or address', () => {
    const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
    const lines = everything()
      .split('\n')
      .filter((line) => uuid.test(line) || /https?:\/\//.test(line));
    expect(lines).toEqual([]);
  });
});

describe('the SQL of the runbooks', () => {
  const blocks = filesIn(RUNBOOKS, '.md').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/```sql\n-- (\w+)\n([\s\S]*?)```/g)].map(
      ([, database = '', sql = '']): [page: string, database: string, sql: string] => [
        path.basename(file),
        database,
        sql,
      ],
    ),
  );

  it('says for each block which database it is for', () => {
    const all = filesIn(RUNBOOKS, '.md').flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/```sql\n/g)]);
    expect(blocks).toHaveLength(all.length);
  });

  it.each(blocks)('%s, %s', async (_page, database, sql) => {
    const url = new URL(addresses.databaseUrl);
    url.pathname = `/${database}`;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    try {
      // Planned, not run: some end sessions. What only reads statistics cannot be planned.
      const isPlanned = !sql.startsWith('ANALYZE');
      await expect(client.query(isPlanned ? `EXPLAIN ${sql}` : sql)).resolves.toBeDefined();
    } finally {
      await client.end();
    }
  });
});
