import { type EventEnvelope, rpc } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { parsePage } from '@crm/http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RunRepository } from '../src/run/run.repository.js';
import { RunService } from '../src/run/run.service.js';
import { type Problem, type Service, startWorld, type Tenant, tenantOn, type World } from './automations-service.js';

const LIMIT = 5;

let world: World;
let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  world = await startWorld();
  await world.answer(rpc.customObjects.createRecord, () => ({ id: newId() }));
  service = await world.start({}, 10_000, LIMIT);
});
beforeEach(async () => {
  tenant = await tenantOn(world, service);
});
afterAll(async () => {
  await service.close();
  await world.close();
});

const onLead = { trigger: { type: 'event', event: 'lead.created' }, actions: [{ type: 'create_task', title: 'x' }] };

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
  return Object.create(tx, { query: { value: query }, repository: { value: tx.repository.bind(tx) } });
}

describe('the workflows of a tenant', () => {
  const create = (name: string) =>
    tenant.call<Problem & { id: string }>('POST', '/workflows', {
      name,
      trigger: onLead.trigger,
      actions: onLead.actions,
    });
  const provision = (installationId: string, keys: string[]) =>
    tenant.provision(
      installationId,
      keys.map((key) => ({ key, ...onLead })),
    );
  const count = async () => (await tenant.call<{ total: number }>('GET', '/workflows')).body.total;

  it('are limited in number, also when several are created at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: LIMIT + 4 }, (_value, n) => create(`Workflow ${n}`)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(4);
    for (const { status, body } of refused) {
      expect([status, body]).toMatchObject([
        409,
        { code: 'WORKFLOW_LIMIT_EXCEEDED', limit: LIMIT, present: LIMIT, requested: 1 },
      ]);
    }
    expect(await count()).toBe(LIMIT);
    await tenant.call('DELETE', `/workflows/${answers.find(({ status }) => status === 201)?.body.id}`);
    expect((await create('Replacement')).status).toBe(201);
    const other = await tenantOn(world, service);
    expect((await other.call('POST', '/workflows', { name: 'x', ...onLead })).status).toBe(201);
  });

  it('count together with those of apps, of which either all or none are stored', async () => {
    for (let n = 0; n < LIMIT - 2; n += 1) await create(`Workflow ${n}`);
    const refusal = { code: 'WORKFLOW_LIMIT_EXCEEDED' };
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
    await expect(provision(installationId, [...keys, 'new'])).rejects.toMatchObject({
      code: 'WORKFLOW_LIMIT_EXCEEDED',
    });
    expect(await count()).toBe(LIMIT);
  });
});

describe('a page of runs', () => {
  /** Stores finished runs with this payload and returns their ids, newest first. */
  const stored = async (count: number, payload: object): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => newId());
    await world.admin.query(
      `INSERT INTO run (tenant_id, id, workflow_id, workflow_version, input, status)
       SELECT $1, unnest($2::uuid[]), $3, 1, $4, 'succeeded'`,
      [tenant.tenantId, ids, newId(), JSON.stringify(payload)],
    );
    await world.admin.query(
      `INSERT INTO run_step (tenant_id, run_id, position, key, type, status, output)
       SELECT $1, unnest($2::uuid[]), 0, 'step1', 'http_request', 'succeeded', $3`,
      [tenant.tenantId, ids, JSON.stringify({ body: 'x'.repeat(16_000) })],
    );
    return ids.reverse();
  };
  type List = { data: { id: string; input?: object; steps: object[] }[] };

  it('contains up to four megabytes of payloads; a payload that was left out is returned with its run', async () => {
    const payload = { text: 'x'.repeat(250_000) };
    const ids = await stored(40, payload);
    const { data } = (await tenant.call<List>('GET', '/runs?size=40')).body;
    expect(data.map(({ id }) => id)).toEqual(ids);
    // The newest payloads that fit; the other runs are listed without theirs.
    expect(data.map(({ input }) => input !== undefined)).toEqual(ids.map((_id, index) => index < 15));
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
  it('is sent to the database once, whatever number of runs it starts', async () => {
    const ids: string[] = [];
    for (let n = 0; n < LIMIT; n += 1) {
      ids.push((await tenant.call<{ id: string }>('POST', '/workflows', { name: `W ${n}`, ...onLead })).body.id);
    }
    const record = { lastName: 'Lovelace', note: 'x'.repeat(200_000) };
    const event = { id: newId(), type: 'lead.created', tenantid: tenant.tenantId, data: { record } };
    let sent = 0;
    await service.get(Database).transaction(tenant.tenantId, async (tx) => {
      const measured = watched(tx, (parameters) => {
        sent += JSON.stringify(parameters).length;
      });
      for (let again = 0; again < 2; again += 1) {
        await service.get(RunService).acceptEvent(measured, event as unknown as EventEnvelope);
      }
    });
    // The input contains the record twice, by its name and as its fields; the event was handled twice.
    expect(sent).toBeLessThan(2 * 2 * 200_000 * 1.1);
    type List = { data: { id: string; workflowId: string }[] };
    const { data } = (await tenant.call<List>('GET', '/runs')).body;
    expect(data.map(({ workflowId }) => workflowId).sort()).toEqual(ids.sort());
    for (const { id } of data) {
      expect(await tenant.ended(id)).toMatchObject({ status: 'succeeded', input: { ...record, record } });
    }
  });

  it('is copied by statements of at most sixteen megabytes, so that none exceeds the statement timeout', async () => {
    const input = { note: 'x'.repeat(5_000_000) };
    const runs = Array.from({ length: 7 }, () => ({ id: newId(), workflowId: newId(), workflowVersion: 1 }));
    const copies: number[] = [];
    const stored = await service.get(Database).transaction(tenant.tenantId, (tx) => {
      const measured = watched(tx, (_parameters, rows) => copies.push(rows.length));
      return service.get(RunRepository).insert(measured, runs, { input, eventId: newId(), depth: 0 }, 'queued');
    });
    expect(copies).toEqual([3, 3, 1]);
    expect(stored).toEqual(runs.map(({ id }) => id));
    const { rows } = await world.admin.query(
      'SELECT count(*)::int AS runs, min(octet_length(input::text)) AS shortest FROM run WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    expect(rows).toEqual([{ runs: 7, shortest: JSON.stringify(input).length }]);
  });
});
