import { CONSUMERS, EVENTS, type EventEnvelope } from '@crm/contracts';
import { Database, NO_TENANT, newId, storeDeadLetter } from '@crm/database';
import { runDeadLetterProgram } from '@crm/runtime';
import { waitUntil } from '@crm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AppModule } from '../src/app.module.js';
import { type RunBody, type Service, startWorld, type Tenant, tenantOn, type World } from './automations-service.js';

describe('the dead letter program', () => {
  let world: World;
  let service: Service;
  let tenant: Tenant;

  beforeAll(async () => {
    world = await startWorld();
    service = await world.start();
    tenant = await tenantOn(world, service);
    const workflow = {
      name: 'Greets leads',
      trigger: { type: 'event', event: 'lead.created' },
      actions: [{ type: 'create_task', title: 'Call' }],
    };
    expect((await tenant.call('POST', '/workflows', workflow)).status).toBe(201);
  });
  afterEach(() => world.admin.query('TRUNCATE dead_letter'));
  afterAll(async () => {
    await service?.close();
    await world?.close();
  });

  const store = async (tenantId: string, payload: string) => {
    const message = {
      consumer: CONSUMERS['automation-hooks'].durable,
      messageKey: newId(),
      sentAt: Date.now(),
      eventId: null,
      subject: 'events.lead.created.7',
      payload: Buffer.from(payload),
      error: 'Error: message of the handler\n    at its line',
      deliveries: 10,
    };
    return (await service.get(Database).transaction(tenantId, (tx) => storeDeadLetter(tx, message))).id;
  };
  const storeEvent = async () => {
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
    return store(tenant.tenantId, JSON.stringify(event));
  };
  const program = async (...args: string[]) => {
    const out: string[] = [];
    const errors: string[] = [];
    const config = world.configure();
    const code = await runDeadLetterProgram(
      config,
      AppModule.with(config),
      args,
      { out: (text) => out.push(text), error: (text) => errors.push(text) },
      { keySource: world.tokens.keySource },
    );
    return { code, out, errors };
  };
  const runs = async () => (await tenant.call<{ data: RunBody[] }>('GET', '/runs')).body.data.length;

  it('lists all waiting dead letters without their contents', async () => {
    const id = await storeEvent();
    for (let index = 0; index < 100; index += 1) await store(NO_TENANT, '{broken');
    const { code, out } = await program();
    expect(code).toBe(0);
    expect(out).toHaveLength(102);
    expect(out[0]).toContain(id);
    expect(out[0]).toContain(tenant.tenantId);
    expect(out[0]).toContain('10 deliveries\tError: message of the handler');
    expect(out[0]).not.toContain('at its line');
    expect(out[0]).not.toContain('Doe');
    expect(out.at(-1)).toBe('101 waiting');
  });

  it('replays a dead letter only once', async () => {
    const before = await runs();
    const id = await storeEvent();
    expect(await program('--replay', id)).toEqual({ code: 0, out: [`${id} replayed`], errors: [] });
    await waitUntil(async () => (await runs()) === before + 1, { describe: 'the event to start its run' });
    expect(await program('--replay', id)).toEqual({ code: 1, out: [], errors: [`${id} does not wait`] });
    expect((await program()).out).toEqual(['0 waiting']);
    expect(await runs()).toBe(before + 1);
  });

  it('replays all dead letters and keeps those that fail again', async () => {
    const before = await runs();
    const broken = await store(NO_TENANT, '{broken');
    await storeEvent();
    await storeEvent();
    const { code, out, errors } = await program('--replay-all');
    expect(code).toBe(1);
    expect(out.at(-1)).toBe('2 replayed, 1 failed');
    expect(errors).toEqual([expect.stringContaining(`${broken} failed again: The body is not JSON`)]);
    expect((await program()).out.at(-1)).toBe('1 waiting');
    expect(await runs()).toBe(before + 2);
  });

  it.each([['--repaly-all'], ['--replay'], ['--replay x'], [`--replay ${NO_TENANT} --replay-all`], ['all']])(
    'does nothing when it does not know the arguments: %s',
    async (args) => {
      const { code, out, errors } = await program(...args.split(' '));
      expect({ code, out }).toEqual({ code: 2, out: [] });
      expect(errors[0]).toContain('--replay <id>');
    },
  );
});
