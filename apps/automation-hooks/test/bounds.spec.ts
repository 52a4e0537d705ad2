import { Database, newId, type TenantTransaction } from '@crm/database';
import { parsePage } from '@crm/http';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunRepository } from '../src/run/run.repository.js';
import { RunService } from '../src/run/run.service.js';
import { emit, newEvent, type Problem, type Service, task, useAutomations } from './automations-service.js';

const LIMIT = 5;
/** Runs in a minute. */
const RATE = 4;

const settings = [{ perMinute: RATE }, { workflowsPerTenant: LIMIT }] as const;
let replica: Service;
// Before the database is gone.
afterAll(() => replica?.close());
const { world, service, tenant, newTenant } = useAutomations([...settings]);
beforeAll(async () => {
  replica = await world.start(...settings);
});

const onLead = { trigger: { type: 'event', event: 'lead.created' }, actions: [task()] };

/** The transaction, which shows the parameters and rows of hand-written statements. */
function watched(
  tx: TenantTransaction,
  see: (parameters: readonly unknown[], rows: readonly unknown[]) => void,
): TenantTransaction {
  const query = async (sql: string, parameters: readonly unknown[] = []) => {
    const rows = await tx.query(sql, parameters);
    see(parameters, rows);
    return rows;
  };
  const issue = (sql: string, parameters: readonly unknown[]) => {
    see(parameters, []);
    tx.issue(sql, parameters);
  };
  return Object.create(tx, {
    query: { value: query },
    issue: { value: issue },
    repository: { value: tx.repository.bind(tx) },
  });
}

describe('the workflows of a tenant', () => {
  const refusal = { code: 'WORKFLOW_LIMIT_EXCEEDED' };
  const create = (name: string) => tenant.call<Problem & { id: string }>('POST', '/workflows', { name, ...onLead });
  const provision = (installationId: string, keys: string[]) => {
    const automations = keys.map((key) => ({ key, ...onLead }));
    return tenant.provision(installationId, automations);
  };
  const count = async () => (await tenant.call<{ total: number }>('GET', '/workflows')).body.total;

  it('are limited in number, also when several are created at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: LIMIT + 4 }, (_value, n) => create(`Workflow ${n}`)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(4);
    for (const { status, body } of refused)
      expect([status, body]).toMatchObject([409, { ...refusal, limit: LIMIT, present: LIMIT, requested: 1 }]);
    expect(await count()).toBe(LIMIT);
    await tenant.call('DELETE', `/workflows/${answers.find(({ status }) => status === 201)?.body.id}`);
    expect((await create('Replacement')).status).toBe(201);
    const other = await newTenant();
    expect((await other.call('POST', '/workflows', { name: 'x', ...onLead })).status).toBe(201);
  });

  it('count together with those of apps, of which either all or none are stored', async () => {
    for (let n = 0; n < LIMIT - 2; n += 1) await create(`Workflow ${n}`);
    await expect(provision(newId(), ['a', 'b', 'c'])).rejects.toMatchObject(refusal);
    expect(await count()).toBe(LIMIT - 2);
    const installed = await Promise.allSettled([provision(newId(), ['a', 'b']), provision(newId(), ['a', 'b'])]);
    expect(installed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await count()).toBe(LIMIT);
    expect((await create('One more')).status).toBe(409);
  });

  it('can be replaced at the limit by those of another version of the app', async () => {
    const installationId = newId();
    const keys = Array.from({ length: LIMIT }, (_value, n) => `a${n}`);
    await provision(installationId, keys);
    await provision(installationId, keys);
    await provision(installationId, [...keys.slice(1), 'new']);
    await expect(provision(installationId, [...keys, 'new'])).rejects.toMatchObject(refusal);
    expect(await count()).toBe(LIMIT);
  });
});

it('a page of workflows contains up to 400 kB of definitions; one that was left out is returned by itself', async () => {
  const action = { type: 'create_task', key: 'call', title: 'Call', description: 'x'.repeat(4_000) };
  const actions = [action, ...Array.from({ length: 6 }, () => ({ ...action, key: undefined }))];
  const trigger = { type: 'webhook_received', payload: [{ name: 'amount', type: 'number' }] };
  const first = await tenant.call<{ id: string }>('POST', '/workflows', { name: 'First', trigger, actions });
  const { id } = first.body;
  await world.sql(
    `INSERT INTO workflow SELECT (jsonb_populate_record(w, jsonb_build_object('id', gen_random_uuid(), 'name', 'Copy ' || n))).*
       FROM workflow w, generate_series(1, 20) AS n WHERE tenant_id = $1 AND id = $2`,
    tenant.tenantId,
    id,
  );
  type List = { data: { id: string; trigger: object; condition?: null; actions: object[] }[] };
  const { data } = (await tenant.call<List>('GET', '/workflows?size=200')).body;
  expect(data).toHaveLength(21);
  const isWhole = data.map(({ condition }) => condition === null);
  expect(isWhole).toEqual(data.map((_one, index) => index < 14));
  expect(data[0]).toMatchObject({ trigger, actions: JSON.parse(JSON.stringify(actions)) });
  const outlines = [
    { type: 'create_task', key: 'call' },
    ...Array.from({ length: 6 }, () => ({ type: 'create_task' })),
  ];
  expect(data.at(-1)).toMatchObject({ trigger: { type: 'webhook_received' }, actions: outlines });
  expect(data.at(-1)?.trigger).not.toHaveProperty('payload');
  const last = (await tenant.call<List['data'][number]>('GET', `/workflows/${data.at(-1)?.id}`)).body;
  expect(last).toMatchObject({ trigger, actions: data[0]?.actions });
});

describe('a page of runs', () => {
  /** Stores finished runs with this payload and returns their ids, newest first. */
  const stored = async (count: number, payload: object): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => newId());
    const run = `INSERT INTO run (tenant_id, id, workflow_id, workflow_version, input, status)
                 SELECT $1, unnest($2::uuid[]), gen_random_uuid(), 1, $3, 'succeeded'`;
    await world.sql(run, tenant.tenantId, ids, payload);
    const step = `INSERT INTO run_step (tenant_id, run_id, position, key, type, status, output)
                  SELECT $1, unnest($2::uuid[]), 0, 'step1', 'http_request', 'succeeded', $3`;
    await world.sql(step, tenant.tenantId, ids, { body: 'x'.repeat(16_000) });
    return ids.reverse();
  };
  type List = { data: { id: string; input?: object; steps: object[] }[] };

  it('contains up to 300 kB of payloads; a payload that was left out is returned with its run', async () => {
    const payload = { text: 'x'.repeat(250_000) };
    const ids = await stored(40, payload);
    const { data } = (await tenant.call<List>('GET', '/runs?size=40')).body;
    expect(data.map(({ id }) => id)).toEqual(ids);
    // The newest payloads that fit; the other runs are listed without theirs.
    expect(data.map(({ input }) => input !== undefined)).toEqual(ids.map((_id, index) => index < 1));
    expect(data[0]).toMatchObject({ input: payload, steps: [{ key: 'step1', status: 'succeeded' }] });
    expect((await tenant.run(ids.at(-1) as string)).input).toEqual(payload);
  });

  it('reads no outputs of steps, and no payloads for users who may not see them', async () => {
    await stored(3, { text: 'x'.repeat(250_000) });
    let read = 0;
    await service.get(Database).transaction(tenant.tenantId, async (tx) => {
      const page = parsePage({}, { tenantId: tenant.tenantId, list: 'runs' });
      const measured = watched(tx, (_parameters, rows) => {
        read += JSON.stringify(rows).length;
      });
      const { runs } = await service.get(RunRepository).list(measured, {}, page, false);
      expect(runs).toHaveLength(3);
    });
    expect(read).toBeLessThan(5_000);
  });
});

describe('an event that many workflows wait for', () => {
  it('is sent to the database once, and starts one run of each however often it is handled', async () => {
    const ids: string[] = [];
    for (let n = 0; n < LIMIT; n += 1) ids.push((await tenant.onEvent('lead.created')).id);
    const record = { lastName: 'Lovelace', note: 'x'.repeat(200_000) };
    const event = newEvent('lead.created', tenant.tenantId, { record });
    let sent = 0;
    const handle = () =>
      service.get(Database).transaction(tenant.tenantId, (tx) => {
        const measured = watched(tx, (parameters) => {
          sent += JSON.stringify(parameters).length;
        });
        return service.get(RunService).acceptEvent(measured, event);
      });
    for (let again = 0; again < 2; again += 1) await handle();
    // The input contains the record twice, by its name and as its fields; the event was handled twice.
    expect(sent).toBeLessThan(2 * 2 * 200_000 * 1.1);
    const data = await tenant.runs();
    expect(data.map(({ workflowId }) => workflowId).sort()).toEqual(ids.sort());
    for (const { id } of data)
      expect(await tenant.ended(id)).toMatchObject({ status: 'succeeded', input: { ...record, record } });
  });

  it('is copied by statements of at most sixteen megabytes, so that none exceeds the statement timeout', async () => {
    const input = { note: 'x'.repeat(5_000_000) };
    const runs = Array.from({ length: 7 }, () => ({ id: newId(), workflowId: newId(), workflowVersion: 1 }));
    const copies: number[] = [];
    await service.get(Database).transaction(tenant.tenantId, async (tx) => {
      const measured = watched(tx, ([, ids]) => copies.push((ids as string[]).length));
      const cause = { input, eventId: newId(), depth: 0, traceparent: undefined };
      service.get(RunRepository).start(measured, runs, cause);
    });
    expect(copies).toEqual([3, 3, 1]);
    const sql =
      'SELECT count(*)::int AS runs, min(octet_length(input::text)) AS shortest FROM run WHERE tenant_id = $1';
    expect(await world.sql(sql, tenant.tenantId)).toEqual([{ runs: 7, shortest: JSON.stringify(input).length }]);
  });
});

/** Lets time pass for the rate of a workflow. */
const pass = (id: string, seconds: number) => {
  const earlier = "(next_at AT TIME ZONE 'UTC' - make_interval(secs => $2)) AT TIME ZONE 'UTC'";
  const sql = `UPDATE workflow_rate SET next_at = ${earlier} WHERE workflow_id = $1`;
  return world.sql(sql, id, seconds);
};

describe('the rate of a workflow that calls start', () => {
  const post = (path: string, headers = {}, to = service) =>
    to.request<Problem & { runId: string }>('POST', path, { body: {}, headers });

  it('is held over all processes, and a call over it is told when to come again', async () => {
    const { path } = await tenant.hooked();
    const processes = Array.from({ length: 12 }, (_value, n) => (n % 2 ? service : replica));
    const answers = await Promise.all(processes.map((to) => post(path, {}, to)));
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
    expect(await world.sql('SELECT 1 FROM run WHERE tenant_id = $1', tenant.tenantId)).toHaveLength(RATE);
  });

  it('admits as many as time has passed for, up to those of a minute', async () => {
    const { path, id } = await tenant.hooked();
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

  it('owes nothing to a clock that was ahead, and says no longer than a day', async () => {
    const { path, id } = await tenant.hooked();
    for (let call = 0; call < RATE; call += 1) await post(path);
    const move = (columns: string) => world.sql(`UPDATE workflow_rate SET ${columns} WHERE workflow_id = $1`, id);
    const ahead = (column: string) => `${column} = ${column} + interval '30 days'`;
    await move(ahead('next_at'));
    const { status, headers } = await post(path);
    expect([status, Number(headers.get('retry-after'))]).toEqual([429, 24 * 3_600]);
    await move(ahead('set_at'));
    expect((await post(path)).status).toBe(202);
    for (let call = 1; call < RATE; call += 1) expect((await post(path)).status).toBe(202);
    expect((await post(path)).status).toBe(429);
  });

  it('does not count repeated and refused calls, nor those of other workflows', async () => {
    const { path } = await tenant.hooked();
    for (let call = 0; call < 6; call += 1) expect((await post(path, { 'webhook-id': 'same' })).status).toBe(202);
    for (let call = 0; call < 6; call += 1) expect((await post(`${path}x`)).status).toBe(404);
    for (let call = 1; call < RATE; call += 1) expect((await post(path)).status).toBe(202);
    expect((await post(path)).status).toBe(429);
    // A repetition starts nothing, so it is answered as before.
    expect((await post(path, { 'webhook-id': 'same' })).status).toBe(202);
    expect((await post(`${path}x`)).status).toBe(404);
    const other = await tenant.hooked();
    expect((await post(other.path)).status).toBe(202);
  });
});

describe('the rate of a workflow that events start', () => {
  it('delays runs and drops none', async () => {
    const { id } = await tenant.onEvent('lead.created');
    for (let event = 0; event < RATE + 3; event += 1) await emit('lead.created', tenant.tenantId, { record: {} });
    const runs = () => tenant.runs(`workflowId=${id}&size=50`);
    const succeeded = async () => (await runs()).filter(({ status }) => status === 'succeeded').length;
    await waitUntil(async () => (await succeeded()) >= RATE, { timeoutMs: 15_000, describe: 'the runs that fit' });
    await waitUntil(async () => (await runs()).length === RATE + 3, { timeoutMs: 15_000, describe: 'all runs' });
    const sql = `SELECT round(extract(epoch FROM due_at - now()))::int AS seconds
                   FROM run_queue WHERE workflow_id = $1 ORDER BY due_at`;
    const delays = (await world.sql<{ seconds: number }>(sql, id)).map(({ seconds }) => seconds);
    expect(delays).toHaveLength(3);
    const [first, second, third] = delays as [number, number, number];
    // One after the other, a fourth of a minute apart.
    for (const gap of [second - first, third - second]) expect(gap).toBeGreaterThanOrEqual(60 / RATE - 1);
    expect(third).toBeLessThanOrEqual(3 * (60 / RATE));
    await world.sql('UPDATE run_queue SET due_at = now() WHERE workflow_id = $1', id);
    await waitUntil(async () => (await succeeded()) === RATE + 3, { timeoutMs: 15_000 });
  });
});
