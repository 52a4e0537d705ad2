import { findInStream, waitUntil, withoutTestNats } from '@crm/testing';
import { expect, it } from '@jest/globals';
import { app, useCustomObjects } from './custom-objects-service.js';

useCustomObjects();

it('is ready without its broker, creates and reads records, and their events arrive when it is back', async () => {
  const { member } = await app.tenant();
  const readiness = async () => (await fetch(`${app.service.operationsUrl}/readyz`)).json();
  const created = { status: 'ready', checks: { Database: { status: 'ok' }, Revocations: { status: 'ok' } } };
  let id = '';
  await withoutTestNats(async () => {
    expect(await readiness()).toMatchObject(created);
    ({ id } = await app.create('/api/crm/leads', member, { lastName: 'Lovelace' }));
    expect((await app.call('GET', `/api/crm/leads/${id}`, member)).status).toBe(200);
    expect(await readiness()).toMatchObject(created);
  });
  const isPublished = async () => (await findInStream(id)).length === 1;
  await waitUntil(isPublished, { describe: 'the event of the lead', timeoutMs: 10_000 });
});
