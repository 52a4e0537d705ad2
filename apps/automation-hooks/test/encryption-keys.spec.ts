import { randomBytes } from 'node:crypto';
import { Database } from '@crm/database';
import { runReencrypt, unlistedColumns } from '@crm/encryption';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sealedColumns } from '../src/hook/hook.service.js';
import { type Service, startWorld, tenantOn, type World } from './automations-service.js';

const NEW = `new:${randomBytes(32).toString('base64')}`;

let world: World;
let service: Service;
beforeAll(async () => {
  world = await startWorld();
  service = await world.start();
});
afterAll(async () => {
  await service?.close();
  await world?.close();
});

it('the encryption key is replaced, and administrators see the URLs of their hooks as before', async () => {
  const tenants = [await tenantOn(world, service), await tenantOn(world, service)];
  const hooks = [];
  for (const tenant of tenants)
    hooks.push(
      await tenant
        .hooked({ actions: [{ type: 'create_task', title: 'Call' }] })
        .then(({ id, path }) => ({ id, path, tenant })),
    );
  const { database, encryptionKey } = world.configure();
  const withKeys = (keys: string) => world.start({}, 10_000, 200, { encryptionKey: keys });
  await expect(withKeys(NEW)).rejects.toThrow('the key without a name is missing');

  const [out, errors]: [string[], string[]] = [[], []];
  const code = await runReencrypt({ database, keys: `${NEW},old:${encryptionKey}`, columns: sealedColumns }, [], {
    out: (text) => out.push(text),
    error: (text) => errors.push(text),
  });
  expect([code, errors, out.at(-1)]).toEqual([0, [], 'may be taken out of the ring: old']);

  const restarted = await withKeys(NEW);
  for (const { id, path, tenant } of hooks) {
    const again = await tenant.on(restarted);
    const { body } = await again.call<{ hookUrl: string }>('GET', `/workflows/${id}/hook`);
    expect(new URL(body.hookUrl).pathname).toBe(path);
  }
  await restarted.close();
});

it('every sealed column of automation-hooks is listed', async () => {
  const problems = await service.get(Database).crossTenant((tx) => unlistedColumns(tx, sealedColumns));
  expect(problems).toEqual({ unlisted: [], unknown: [] });
});
