import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Problem, RunBody, Service } from './automations-service.js';
import { useRuns } from './runs-world.js';

/** Runs in a minute. */
const RATE = 4;

let replica: Service;
// Before the database is gone.
afterAll(() => replica?.close());
const held = useRuns({ perMinute: RATE });
beforeAll(async () => {
  replica = await held.world.start({ perMinute: RATE });
});

const task = { type: 'create_task', title: 'x' };
/** Lets time pass for the rate of a workflow. */
const pass = (id: string, seconds: number) =>
  held.world.admin.query(
    'UPDATE workflow_rate SET next_at = next_at - make_interval(secs => $2) WHERE workflow_id = $1',
    [id, seconds],
  );

describe('the rate of a workflow that calls start', () => {
  const post = (path: string, headers = {}, to = held.service) =>
    to.request<Problem & { runId: string }>('POST', path, { body: {}, headers });

  it('is held over all processes, and a call over it is told when to come again', async () => {
    const { path } = await held.tenant.hooked({ actions: [task] });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_value, n) => post(path, {}, n % 2 ? held.service : replica)),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(RATE);
    const refused = answers.filter(({ status }) => status !== 202);
    for (const { status, headers, body } of refused) {
      expect([status, body.code]).toEqual([429, 'RATE_LIMITED']);
      const seconds = Number(headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      // The next run fits a fourth of a minute after the first; a refused call may have begun some moments before that one.
      expect(seconds).toBeLessThanOrEqual(60 / RATE + 1);
      expect(headers.get('ratelimit-policy')).toBe(`"workflow";q=${RATE};w=60`);
    }
    const { rows } = await held.world.admin.query('SELECT count(*)::int AS runs FROM run WHERE tenant_id = $1', [
      held.tenant.tenantId,
    ]);
    expect(rows).toEqual([{ runs: RATE }]);
  });

  it('admits as many as time has passed for, up to those of a minute', async () => {
    const { path, id } = await held.tenant.hooked({ actions: [task] });
    const accepted = async (calls: number) => {
      const statuses = [];
      for (let call = 0; call < calls; call += 1) statuses.push((await post(path)).status);
      return statuses.filter((status) => status === 202).length;
    };
    expect(await accepted(6)).toBe(4);
    await pass(id, 2 * (60 / RATE));
    expect(await accepted(4)).toBe(2);
    await pass(id, 3_600);
    expect(await accepted(6)).toBe(4);
  });

  it('does not count repeated and refused calls, nor those of other workflows', async () => {
    const { path } = await held.tenant.hooked({ actions: [task] });
    for (let call = 0; call < 6; call += 1) expect((await post(path, { 'webhook-id': 'same' })).status).toBe(202);
    for (let call = 0; call < 6; call += 1) expect((await post(`${path}x`)).status).toBe(404);
    for (let call = 1; call < RATE; call += 1) expect((await post(path)).status).toBe(202);
    expect((await post(path)).status).toBe(429);
    // A repetition starts nothing, so it is answered as before.
    expect((await post(path, { 'webhook-id': 'same' })).status).toBe(202);
    expect((await post(`${path}x`)).status).toBe(404);
    const other = await held.tenant.hooked({ actions: [task] });
    expect((await post(other.path)).status).toBe(202);
  });
});

describe('the rate of a workflow that events start', () => {
  it('delays runs and drops none', async () => {
    const emit = await held.world.eventSource();
    const trigger = { type: 'event', event: 'lead.created' };
    const { id } = (
      await held.tenant.call<{ id: string }>('POST', '/workflows', { name: 'x', trigger, actions: [task] })
    ).body;
    for (let event = 0; event < RATE + 3; event += 1) await emit('lead.created', held.tenant.tenantId, { record: {} });
    const runs = async () =>
      (await held.tenant.call<{ data: RunBody[] }>('GET', `/runs?workflowId=${id}&size=50`)).body.data;
    const statuses = async () => (await runs()).map(({ status }) => status);
    await waitUntil(async () => (await statuses()).filter((status) => status === 'succeeded').length >= RATE, {
      timeoutMs: 15_000,
      describe: 'the runs that fit',
    });
    await waitUntil(async () => (await runs()).length === RATE + 3, { timeoutMs: 15_000, describe: 'all runs' });
    const { rows } = await held.world.admin.query(
      `SELECT round(extract(epoch FROM due_at - now()))::int AS seconds FROM run_queue WHERE workflow_id = $1 ORDER BY due_at`,
      [id],
    );
    const seconds = rows.map((row) => row.seconds);
    expect(seconds).toHaveLength(3);
    // One after the other, a fourth of a minute apart.
    expect(seconds[1] - seconds[0]).toBeGreaterThanOrEqual(60 / RATE - 1);
    expect(seconds[2] - seconds[1]).toBeGreaterThanOrEqual(60 / RATE - 1);
    expect(seconds[2]).toBeLessThanOrEqual(3 * (60 / RATE));
    await held.world.admin.query('UPDATE run_queue SET due_at = now() WHERE workflow_id = $1', [id]);
    await waitUntil(async () => (await statuses()).every((status) => status === 'succeeded'), { timeoutMs: 15_000 });
  });
});
