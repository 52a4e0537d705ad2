import { EVENTS, type EventEnvelope } from '@crm/contracts';
import { Database, idOf, listPartitions, makePartition, newId, PartitionUpkeep } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunService } from '../src/run/run.service.js';
import { type Service, startWorld, type Tenant, tenantOn, type World } from './automations-service.js';

const DAY_MS = 86_400_000;

describe('the runs of a day', () => {
  let world: World;
  let service: Service;
  let tenant: Tenant;

  beforeAll(async () => {
    world = await startWorld();
    service = await world.start();
    tenant = await tenantOn(world, service);
  });
  afterAll(async () => {
    await service?.close();
    await world?.close();
  });

  it('are dropped 30 days later, unless one of them is still queued', async () => {
    const database = service.get(Database);
    const day = new Date(Date.now() - 32 * DAY_MS).toISOString().slice(0, 10);
    const runId = idOf(Date.parse(day), 'waits');
    for (const table of ['run', 'run_step']) await database.crossTenant((tx) => makePartition(tx, table, day));
    await world.admin.query(
      `INSERT INTO run (tenant_id, id, workflow_id, workflow_version, input, status)
       VALUES ($1, $2, gen_random_uuid(), 1, '{}', 'running')`,
      [tenant.tenantId, runId],
    );
    await world.admin.query(
      `INSERT INTO run_step (tenant_id, run_id, position, key, type, status) VALUES ($1, $2, 0, 'a', 'wait', 'running')`,
      [tenant.tenantId, runId],
    );
    await world.admin.query(
      `INSERT INTO run_queue (tenant_id, run_id, workflow_id, due_at)
       VALUES ($1, $2, gen_random_uuid(), now() + interval '1 day')`,
      [tenant.tenantId, runId],
    );
    const upkeep = async () => {
      await service.get(PartitionUpkeep).sweep(new AbortController().signal);
      const tables = await database.crossTenant((tx) => listPartitions(tx));
      return tables.filter(({ days }) => days.includes(day)).map(({ table }) => table);
    };
    expect(await upkeep()).toEqual(['run', 'run_step']);
    await world.admin.query('DELETE FROM run_queue');
    expect(await upkeep()).toEqual([]);
    expect((await world.admin.query('SELECT 1 FROM run WHERE id = $1', [runId])).rowCount).toBe(0);
  });

  it('have one for each workflow and event, however often the event is handled', async () => {
    const workflow = {
      name: 'Greets leads',
      trigger: { type: 'event', event: 'lead.created' },
      actions: [{ type: 'wait', seconds: 3600 }],
    };
    for (let made = 0; made < 2; made += 1) {
      expect((await tenant.call('POST', '/workflows', workflow)).status).toBe(201);
    }
    const event: EventEnvelope = {
      specversion: '1.0',
      id: newId(),
      source: 'urn:crm:service:custom-objects',
      type: 'lead.created',
      subject: newId(),
      time: new Date().toISOString(),
      datacontenttype: 'application/json',
      dataschema: EVENTS['lead.created'].dataschema,
      tenantid: tenant.tenantId,
      data: { record: { id: newId(), lastName: 'Doe' } },
    };
    const accept = () =>
      service.get(Database).transaction(tenant.tenantId, (tx) => service.get(RunService).acceptEvent(tx, event));
    await accept();
    await accept();
    const runs = await world.admin.query('SELECT DISTINCT workflow_id FROM run WHERE event_id = $1', [event.id]);
    const all = await world.admin.query('SELECT 1 FROM run WHERE event_id = $1', [event.id]);
    expect([runs.rowCount, all.rowCount]).toEqual([2, 2]);
  });

  it('leave the queue when one of them does not exist any more', async () => {
    const runId = newId();
    await world.admin.query(
      'INSERT INTO run_queue (tenant_id, run_id, workflow_id) VALUES ($1, $2, gen_random_uuid())',
      [tenant.tenantId, runId],
    );
    const isQueued = async () =>
      ((await world.admin.query('SELECT 1 FROM run_queue WHERE run_id = $1', [runId])).rowCount ?? 0) > 0;
    await waitUntil(async () => !(await isQueued()), { describe: 'the run is out of the queue', timeoutMs: 30_000 });
  });
});
