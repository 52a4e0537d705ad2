import { randomBytes } from 'node:crypto';
import { CONSUMERS } from '@crm/contracts';
import { Database, NO_TENANT, newId, storeDeadLetter } from '@crm/database';
import { runReencrypt, unlistedColumns } from '@crm/encryption';
import { runDeadLetterProgram } from '@crm/runtime';
import { waitUntil } from '@crm/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppModule } from '../src/app.module.js';
import { sealedColumns } from '../src/hook/hook.service.js';
import { eventOf, useAutomations } from './automations-service.js';

const { world, service, tenant, newTenant, startAnother } = useAutomations();

describe('the dead letter program', () => {
  beforeEach(() => tenant.onEvent('lead.created'));
  afterEach(() => world.sql('TRUNCATE dead_letter'));

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
    const event = eventOf('lead.created', tenant.tenantId, { record: { id: newId(), lastName: 'Doe' } });
    return store(tenant.tenantId, JSON.stringify(event));
  };
  const program = async (...args: string[]) => {
    const out: string[] = [];
    const errors: string[] = [];
    const config = world.configure();
    const output = { out: (text: string) => out.push(text), error: (text: string) => errors.push(text) };
    const { keySource } = world.tokens;
    const code = await runDeadLetterProgram(config, AppModule.with(config), args, output, { keySource });
    return { code, out, errors };
  };
  const runs = async () => (await tenant.runs()).length;

  it('lists all waiting dead letters without their contents', async () => {
    const id = await storeEvent();
    for (let index = 0; index < 100; index += 1) await store(NO_TENANT, '{broken');
    const { code, out } = await program();
    expect([code, out.length]).toEqual([0, 102]);
    expect(out[0]).toContain(id);
    expect(out[0]).toContain(tenant.tenantId);
    expect(out[0]).toContain('10 deliveries\tError: message of the handler');
    expect(out[0]).not.toContain('at its line');
    expect(out[0]).not.toContain('Doe');
    expect(out.at(-1)).toBe('101 waiting');
  });

  it('replays a dead letter only once', async () => {
    const id = await storeEvent();
    expect(await program('--replay', id)).toEqual({ code: 0, out: [`${id} replayed`], errors: [] });
    await waitUntil(async () => (await runs()) === 1, { describe: 'the event to start its run' });
    expect(await program('--replay', id)).toEqual({ code: 1, out: [], errors: [`${id} does not wait`] });
    expect((await program()).out).toEqual(['0 waiting']);
    expect(await runs()).toBe(1);
  });

  it('replays all dead letters and keeps those that fail again', async () => {
    const broken = await store(NO_TENANT, '{broken');
    await storeEvent();
    await storeEvent();
    const { code, out, errors } = await program('--replay-all');
    expect(code).toBe(1);
    expect(out.at(-1)).toBe('2 replayed, 1 failed');
    expect(errors).toEqual([expect.stringContaining(`${broken} failed again: The body is not JSON`)]);
    expect((await program()).out.at(-1)).toBe('1 waiting');
    expect(await runs()).toBe(2);
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

it('the encryption key is replaced, and administrators see the URLs of their hooks as before', async () => {
  const tenants = [await newTenant(), await newTenant()];
  const hooks = await Promise.all(tenants.map(async (tenant) => ({ tenant, ...(await tenant.hooked()) })));
  const NEW = `new:${randomBytes(32).toString('base64')}`;
  const { database, encryptionKey } = world.configure();
  const withKeys = (keys: string) => startAnother({}, { encryptionKey: keys });
  await expect(withKeys(NEW)).rejects.toThrow('the key without a name is missing');

  const [out, errors]: [string[], string[]] = [[], []];
  const program = { database, keys: `${NEW},old:${encryptionKey}`, columns: sealedColumns };
  const output = { out: (text: string) => out.push(text), error: (text: string) => errors.push(text) };
  const code = await runReencrypt(program, [], output);
  expect([code, errors, out.at(-1)]).toEqual([0, [], 'may be taken out of the ring: old']);

  const restarted = await withKeys(NEW);
  for (const { id, path, tenant } of hooks) {
    const again = await tenant.on(restarted);
    const { body } = await again.call<{ hookUrl: string }>('GET', `/workflows/${id}/hook`);
    expect(new URL(body.hookUrl).pathname).toBe(path);
  }
});

it('every sealed column of automation-hooks is listed', async () => {
  const problems = await service.get(Database).crossTenant((tx) => unlistedColumns(tx, sealedColumns));
  expect(problems).toEqual({ unlisted: [], unknown: [] });
});
