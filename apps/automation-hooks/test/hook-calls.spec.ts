import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { newId, PartitionUpkeep, type Sweeper } from '@crm/database';
import { isOnCluster, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HookCallKeySweeper } from '../src/hook-call/call-key.sweeper.js';
import { ErasedRecords } from '../src/run/erased-records.js';
import { RunBacklog } from '../src/run/run-backlog.js';
import { WaitingEventSweeper } from '../src/run/waiting-event.js';
import { IDLE, type Problem, type Service, useAutomations } from './automations-service.js';

type Answer = { accepted: boolean; runId: string } & Problem;

/** Between a service and Postgres: counts how often the service writes after it has received an answer. */
async function startCountingProxy(target: string) {
  const { hostname, port } = new URL(target);
  let trips = 0;
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true });
    let isAnswered = true;
    client.on('data', () => {
      if (isAnswered) trips += 1;
      isAnswered = false;
    });
    upstream.on('data', () => {
      isAnswered = true;
    });
    pipeline(client, upstream, client, () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    /** The address of the same database through the proxy. */
    through(url: string): string {
      const copy = new URL(url);
      copy.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      return copy.toString();
    },
    /** Round trips of all connections since they were last counted. */
    take(): number {
      const taken = trips;
      trips = 0;
      return taken;
    },
    close: () => server.close(),
  };
}

/** Two processes on one database; neither executes runs. The first reaches it through the proxy. */
let proxy: Awaited<ReturnType<typeof startCountingProxy>>;
let replica: Service;
// Before the database is gone.
afterAll(() => replica?.close());
const { world, service, tenant, newTenant } = useAutomations(async (started) => {
  const { database } = started.configure();
  proxy = await startCountingProxy(database.url);
  const [url, narrowUrl] = [proxy.through(database.url), proxy.through(database.narrowUrl)];
  return [IDLE, { database: { ...database, url, narrowUrl } }];
});
beforeAll(async () => {
  replica = await world.start(IDLE);
});
afterAll(() => void proxy?.close());

const post = (path: string, headers: Record<string, string> = {}, body: unknown = {}, to = service) =>
  to.request<Answer>('POST', path, { body, headers });
const withKey = (key: string) => ({ 'idempotency-key': key });

/** The workflow of a test, and the path of its hook. */
let id: string;
let path: string;
beforeEach(async () => {
  ({ id, path } = await tenant.hooked());
});

async function storedRuns(): Promise<string[]> {
  const rows = await world.sql<{ id: string }>('SELECT id FROM run WHERE tenant_id = $1 ORDER BY id', tenant.tenantId);
  return rows.map(({ id }) => id);
}

describe('round trips to Postgres of a hook call', () => {
  const send = async (to: string, headers?: Record<string, string>, body?: unknown) =>
    (await post(to, headers, body)).status;
  beforeEach(async () => {
    // Its statements would be counted too.
    const sweepers = [PartitionUpkeep, RunBacklog, WaitingEventSweeper, ErasedRecords];
    await Promise.all(sweepers.map((sweeper) => service.get<Sweeper>(sweeper).stop()));
    // Connections are opened, statements prepared, sweeps done.
    for (let call = 0; call < 3; call += 1) await send(path, {}, { first: call });
  });

  it.each([
    ['that is accepted', 202, () => send(path)],
    ['with a new key', 202, () => send(path, { 'webhook-id': 'msg_1' })],
    ['with a repeated key', 202, () => send(path, { 'webhook-id': 'msg_1' })],
    ['with a wrong secret', 404, () => send(`${path}x`)],
    ['with a body that is not an object', 400, () => send(path, {}, [])],
    ['with a wrong secret and a body that is not an object', 404, () => send(`${path}x`, {}, [])],
  ])(isOnCluster ? '%s: two, as its hook is on the coordinator' : '%s: one', async (_what, status, call) => {
    await call();
    proxy.take();
    expect(await call()).toBe(status);
    expect(proxy.take()).toBe(isOnCluster ? 2 : 1);
  });

  it('of many at the same time: fewer than calls', async () => {
    proxy.take();
    const statuses = await Promise.all(Array.from({ length: 50 }, () => send(path)));
    expect(statuses).toEqual(statuses.map(() => 202));
    expect(proxy.take()).toBeLessThan(50);
  });
});

describe('a hook call with a key', () => {
  it.each(['idempotency-key', 'webhook-id'])('in the header %s gets the run of the first one', async (header) => {
    const first = await post(path, { [header]: 'msg_1' }, { name: 'Ada' });
    const again = await post(path, { [header]: 'msg_1' }, { name: 'Ada, written in another way' }, replica);
    const other = await post(path, { [header]: 'msg_2' });
    expect([first.status, again.status, other.status]).toEqual([202, 202, 202]);
    expect(again.body).toEqual(first.body);
    expect(await storedRuns()).toEqual([first.body.runId, other.body.runId].sort());
  });

  it('goes by Idempotency-Key when it has both, and by its workflow', async () => {
    const first = await post(path, { 'idempotency-key': 'a', 'webhook-id': 'b' });
    expect((await post(path, { 'idempotency-key': 'a', 'webhook-id': 'c' })).body).toEqual(first.body);
    expect((await post(path, { 'webhook-id': 'a' })).body).toEqual(first.body);
    expect((await post(path, { 'webhook-id': 'b' })).body).not.toEqual(first.body);
    expect((await post((await tenant.hooked()).path, withKey('a'))).body).not.toEqual(first.body);
  });

  it('gets one run also when many come at the same time, to several processes', async () => {
    const calls = Array.from({ length: 60 }, (_value, n) =>
      post(path, withKey(`key-${n % 3}`), { n }, n % 2 ? service : replica),
    );
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    const runs = [...new Set(answers.map(({ body }) => body.runId))].sort();
    expect([runs.length, await storedRuns()]).toEqual([3, runs]);
  });

  it('waits for another process that is storing its key, and gets that run', async () => {
    const { body } = await post(path, withKey('held'));
    // What a process does that has stored the key and not yet committed.
    const rival = await world.admin.connect();
    const runId = newId();
    await rival.query('BEGIN');
    const change = (to: string) => `UPDATE hook_call_key SET ${to} WHERE tenant_id = $1 AND workflow_id = $2`;
    await rival.query(change('key_hash = sha256($3)'), [tenant.tenantId, id, 'slow']);
    await rival.query(change('run_id = $3'), [tenant.tenantId, id, runId]);
    const waiting = post(path, withKey('slow'));
    const blocked = isOnCluster
      ? 'SELECT 1 FROM citus_lock_waits'
      : `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    await waitUntil(async () => (await world.sql(blocked)).length > 0, { describe: 'the call to wait' });
    await rival.query('COMMIT');
    rival.release();
    expect((await waiting).body).toEqual({ accepted: true, runId });
    expect(await storedRuns()).toEqual([body.runId]);
  });

  it('starts a new run when the first is 24 hours old, also before the old key is swept', async () => {
    const first = await post(path, withKey('k'));
    const sql = 'UPDATE hook_call_key SET created_at = now() - make_interval(hours => $2) WHERE workflow_id = $1';
    const age = (hours: number) => world.sql(sql, id, hours);
    await age(23);
    expect((await post(path, withKey('k'))).body).toEqual(first.body);
    await age(24);
    const second = await post(path, withKey('k'));
    expect(second.body.runId).not.toBe(first.body.runId);
    expect((await post(path, withKey('k'))).body).toEqual(second.body);
    await age(24);
    expect(await service.get(HookCallKeySweeper).sweepSome(100)).toBe(1);
    expect(await world.sql('SELECT 1 FROM hook_call_key WHERE workflow_id = $1', id)).toEqual([]);
  });

  it.each(['idempotency-key', 'webhook-id'])(
    'in %s is refused when it is too long, by those who know the secret',
    async (header) => {
      const key = 'k'.repeat(256);
      expect(await post(path, { [header]: key })).toMatchObject({ status: 400, body: { code: 'MALFORMED_REQUEST' } });
      expect((await post(`${path}x`, { [header]: key })).status).toBe(404);
      expect((await post(path, { [header]: key.slice(1) })).status).toBe(202);
      expect(await storedRuns()).toHaveLength(1);
    },
  );

  it('is of no use to who presents a wrong secret', async () => {
    await post(path, withKey('k'));
    const [refused, accepted] = await Promise.all([post(`${path}x`, withKey('k')), post(path, withKey('k'))]);
    expect([refused.status, accepted.status]).toEqual([404, 202]);
    expect(refused.body.runId).toBeUndefined();
  });
});

describe('hook calls that are stored together', () => {
  it('of many tenants each get the run of their own workflow and payload', async () => {
    const tenants = await Promise.all(Array.from({ length: 4 }, () => newTenant()));
    const hooks = await Promise.all(tenants.map((one) => one.hooked()));
    const paths = Array.from({ length: 80 }, (_value, n) => (n % 5 === 4 ? `${hooks[0]?.path}x` : hooks[n % 4]?.path));
    const answers = await Promise.all(paths.map((path, n) => post(path as string, {}, { n })));
    for (const [n, { status, body }] of answers.entries()) {
      expect(status).toBe(n % 5 === 4 ? 404 : 202);
      const run = { workflowId: hooks[n % 4]?.id, input: { n }, status: 'queued' };
      if (status === 202) expect(await tenants[n % 4]?.run(body.runId)).toMatchObject(run);
    }
  });

  it('have no part in the failure of one that the database refuses', async () => {
    await world.sql(`ALTER TABLE run ADD CONSTRAINT refuse CHECK (input::text NOT LIKE '%refuse me%')`);
    try {
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_value, n) => post(path, {}, { text: n === 17 ? 'refuse me' : 'fine' })),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map((_answer, n) => (n === 17 ? 500 : 202)));
      expect(await storedRuns()).toHaveLength(29);
    } finally {
      await world.sql('ALTER TABLE run DROP CONSTRAINT refuse');
    }
  });
});
