import { Database, newId, type TenantTransaction } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { RunService } from '../src/run/run.service.js';
import type { RunBacklog } from '../src/run/run-backlog.js';
import { RunQueueRepository } from '../src/run/run-queue.repository.js';
import { WaitingEventSweeper } from '../src/run/waiting-event.js';
import { emit, IDLE, type Problem, type Service, task, useAutomations, wait } from './automations-service.js';

/** Runs that a tenant may have queued. */
const MOST = 10;

const { world, service, tenant, newTenant, startAnother } = useAutomations([{ queuedPerTenant: MOST }]);

const post = (path: string, to: Service = service) =>
  to.request<Problem & { detail: string }>('POST', path, { body: {} });

describe('a tenant with as many runs queued as it may have', () => {
  /**
   * Fills the queue of the tenant with runs that go on tomorrow.
   * @param queued runs that it has already
   * @returns a refused call, and what ends the runs
   */
  async function fill(queued = 0) {
    const { id, path } = await tenant.hooked({ actions: [wait(86_400)] });
    for (let n = queued; n < MOST; n += 1) expect((await post(path)).status).toBe(202);
    const { path: another } = await tenant.hooked();
    let refused = await post(another);
    const isRefused = async () => {
      refused = await post(another);
      return refused.status === 429;
    };
    await waitUntil(isRefused, { timeoutMs: 5_000, describe: 'a call to be refused' });
    return { path: another, refused, empty: () => tenant.call('DELETE', `/workflows/${id}`) };
  }

  it('has calls of all its hooks refused until some have ended, over all processes, and repetitions answered', async () => {
    const keyed = await tenant.hooked({ actions: [wait(86_400)] });
    const repeat = () => service.request('POST', keyed.path, { body: {}, headers: { 'idempotency-key': 'k' } });
    const first = await repeat();
    const { path, refused, empty } = await fill(1);
    expect(refused.body).toMatchObject({ code: 'RATE_LIMITED', detail: expect.stringContaining('queued') });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await repeat()).body).toEqual(first.body);
    expect((await post(`${path}x`)).status).toBe(404);
    const replica = await startAnother({ ...IDLE, queuedPerTenant: MOST });
    const isRefusedThere = async () => (await post(path, replica)).status === 429;
    await waitUntil(isRefusedThere, { timeoutMs: 5_000, describe: 'the other process to refuse calls too' });
    const other = await newTenant();
    expect((await other.runOf([task()])).status).toBe('succeeded');
    await empty();
    await waitUntil(async () => (await post(path)).status === 202, { timeoutMs: 5_000, describe: 'a free slot' });
  });

  it('has its events wait, and none skipped, while those of others go on', async () => {
    const { id } = await tenant.onEvent('lead.created', { actions: [task('{{n}}')] });
    const { empty } = await fill();
    for (let n = 0; n < 3 * MOST; n += 1) await emit('lead.created', tenant.tenantId, { record: { n: String(n) } });
    const other = await newTenant();
    await other.onEvent('lead.created', { actions: [task('other')] });
    await emit('lead.created', other.tenantId, { record: {} });
    await waitUntil(() => other.createdNames().length === 1, { timeoutMs: 15_000, describe: 'the run of the other' });
    // A consumer's process handles the events of a moment together; those of this tenant came before.
    expect(await tenant.runs(`workflowId=${id}`)).toEqual([]);
    await empty();
    const names = () => tenant.createdNames().filter((name) => name !== 'x');
    await waitUntil(() => names().length >= 3 * MOST, { timeoutMs: 15_000, describe: 'the runs of all events' });
    const runs = await tenant.runs(`workflowId=${id}&size=50`);
    expect([runs.length, new Set(names()).size]).toEqual([3 * MOST, 3 * MOST]);
  });

  it('keeps an event that cannot start its runs after it has waited as a dead letter, and those behind it go on', async () => {
    const { id } = await tenant.onEvent('lead.created', { actions: [task('{{n}}')] });
    const { empty } = await fill();
    for (const n of ['refuse me', 'fine']) await emit('lead.created', tenant.tenantId, { record: { n } });
    const kept = () => world.sql('SELECT 1 FROM waiting_event WHERE tenant_id = $1', tenant.tenantId);
    await waitUntil(async () => (await kept()).length === 2, { timeoutMs: 15_000, describe: 'both to wait' });
    await world.sql(`ALTER TABLE run ADD CONSTRAINT refused CHECK (input::text NOT LIKE '%refuse me%')`);
    try {
      await empty();
      await waitUntil(() => tenant.createdNames().includes('fine'), {
        timeoutMs: 15_000,
        describe: 'the run behind it',
      });
      const letters = await world.sql('SELECT error FROM dead_letter WHERE tenant_id = $1', tenant.tenantId);
      expect(letters).toEqual([{ error: expect.stringContaining('refused') }]);
      expect(await tenant.runs(`workflowId=${id}`)).toHaveLength(1);
    } finally {
      await world.sql('ALTER TABLE run DROP CONSTRAINT refused');
    }
  });

  it('loses no other event when the one that cannot be handled is taken by another process meanwhile', async () => {
    await tenant.onEvent('lead.created', { actions: [task()] });
    const { empty } = await fill();
    const { tenantId } = tenant;
    for (const n of ['first', 'second']) await emit('lead.created', tenantId, { record: { n } });
    const letters = () => world.sql('SELECT payload FROM dead_letter WHERE tenant_id = $1', tenantId);
    const kept = () => world.sql('SELECT 1 FROM waiting_event WHERE tenant_id = $1', tenantId);
    await waitUntil(async () => (await kept()).length === 2, { timeoutMs: 15_000, describe: 'both to wait' });
    const before = await letters();

    const [database, queue] = [service.get(Database), service.get(RunQueueRepository)];
    const handled: unknown[] = [];
    const start: RunService['start'] = async (tx, event) => {
      handled.push((event.data as { record: { n: string } }).record.n);
      if (handled.length === 1) await tx.query('SELECT 1 / 0');
      return 1;
    };
    const racing: RunQueueRepository = Object.assign(Object.create(queue), {
      removeEvent: async (tx: TenantTransaction, id: string) => {
        await database.transaction(tenantId, (other) => queue.takeEvent(other));
        return queue.removeEvent(tx, id);
      },
    });
    const backlog = { freeSlotsOf: async () => MOST } as unknown as RunBacklog;
    const sweeper = new WaitingEventSweeper(database, racing, { start } as RunService, backlog);
    await sweeper.sweep(new AbortController().signal);
    expect([handled, await letters()]).toEqual([['first', 'second'], before]);
    await empty();
  });
});

describe('a claim', () => {
  const QUEUED = 5_000;
  let idle: Service;
  beforeAll(async () => {
    // From now on nobody executes runs.
    await service.close();
    idle = await world.start(IDLE);
    Object.assign(service, idle);
  });
  // Those before may have left runs that nobody executes any more.
  beforeEach(() => world.sql('TRUNCATE run_queue'));

  /** Runs that are due since this long. */
  const queue = (tenantId: string, runs: number, dueSince: string) => {
    const sql = `INSERT INTO run_queue (tenant_id, run_id, workflow_id, due_at)
                 SELECT $1, gen_random_uuid(), gen_random_uuid(), now() - $3::interval FROM generate_series(1, $2)`;
    return world.sql(sql, tenantId, runs, dueSince);
  };
  const claim = async (limit: number, except: string[] = []) => {
    return (await idle.get(RunQueueRepository).claim({ limit, leaseSeconds: 30, except })).claims;
  };

  it('does not walk past the runs of tenants that may begin no more', async () => {
    const other = newId();
    await queue(tenant.tenantId, QUEUED, '1 hour');
    await queue(other, 1, '1 minute');
    await world.sql('ANALYZE run_queue');
    const statements = jest.spyOn(idle.get(Database), 'crossTenantStatement');
    const claims = await claim(8, [tenant.tenantId]);
    const [sql, parameters] = statements.mock.calls[0] as [string, unknown[]];
    statements.mockRestore();
    expect(claims.map(({ tenantId }) => tenantId)).toEqual([other]);
    type Plan = { [name: string]: number } & { Plans?: Plan[] };
    const plans = await world.sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
      ...parameters,
    );
    const visited = (plan: Plan): number =>
      ((plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0)) * (plan['Actual Loops'] ?? 1) +
      (plan.Plans ?? []).reduce((sum, part) => sum + visited(part), 0);
    expect(visited(plans[0]?.['QUERY PLAN'][0].Plan as Plan)).toBeLessThan(100);
  });

  it('takes the runs of tenants in turn, however many one has queued before the others', async () => {
    const others = [newId(), newId(), newId()];
    await queue(tenant.tenantId, QUEUED, '1 hour');
    for (const other of others) await queue(other, 1, '1 minute');
    const claimed = new Set((await claim(8)).map(({ tenantId }) => tenantId));
    expect(claimed).toEqual(new Set([tenant.tenantId, ...others]));
  });
});
