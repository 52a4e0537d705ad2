import { rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { answerRpc, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { StorageLimit } from '../src/storage/storage-limit.service.js';
import { StorageUseRepository } from '../src/storage/storage-use.repository.js';
import { DeletedRecordSweeper } from '../src/writing/deleted-record.sweeper.js';
import { app, call, type Json, RECORDS, SITE_VISIT, type Tenant, useCustomObjects } from './custom-objects-service.js';

useCustomObjects();

const LEADS = '/api/crm/leads';
const UNBOUNDED = { records: 1e9, bytes: 1e12, users: 1e6 };

const told: { tenantId: string; records: number; bytes: number }[] = [];
const ends: { close(): Promise<unknown> }[] = [];
let tenant: Tenant;
beforeAll(async () => {
  ends.push(
    await answerRpc(rpc.identity.recordAct, () => ({})),
    await answerRpc(rpc.identity.noteStorageUse, (use) => {
      told.push(use);
      return {};
    }),
  );
});
afterAll(async () => {
  for (const end of ends) await end.close();
});
beforeEach(async () => {
  tenant = await app.tenant();
});

const use = () => app.service.get(StorageUseRepository).read(app.service.get(Database), tenant.id);
/** What the tables say, whatever was counted. */
async function stored() {
  const { rows } = await app.admin.query(
    `SELECT count(*)::int AS records,
            (coalesce(sum(octet_length(data::text)), 0) + (SELECT coalesce(sum(octet_length(text)), 0) FROM record_note WHERE tenant_id = $1))::int AS bytes
       FROM custom_record r WHERE tenant_id = $1
        AND NOT EXISTS (SELECT FROM custom_object o WHERE o.tenant_id = $1 AND o.id = r.object_id AND o.state = 'removed')`,
    [tenant.id],
  );
  return rows[0];
}
async function limit(changes: Partial<typeof UNBOUNDED>): Promise<void> {
  tenant = { ...tenant, ...(await app.tenant('business', [])) };
  app.limits.set(tenant.id, { ...UNBOUNDED, ...changes });
}
const create = (lastName: string): Promise<Json> => app.create(LEADS, tenant.admin, { lastName });
const bulk = (operation: string, records: object[], atomic = false) =>
  call('POST', `${LEADS}/bulk`, tenant.admin, { operation, atomic, records });

describe('what a workspace stores', () => {
  it('is counted with every kind of write: what is counted is what the tables have', async () => {
    const [first, second, third] = [await create('Müller'), await create('Smith'), await create('Ali')];
    await Promise.all(Array.from({ length: 12 }, (_, index) => create(`At once ${index}`)));
    await call('PATCH', `${LEADS}/${first.id}`, tenant.admin, { lastName: 'Müller-Lüdenscheidt', company: 'Acme' });
    const { body } = await bulk('create', [{ lastName: 'One' }, { lastName: 'Two' }], true);
    const [row] = body.results as { id: string }[];
    await bulk('update', [
      { id: row?.id, lastName: 'Shorter' },
      { id: second.id, title: 'Dr' },
    ]);
    const task = await app.create('/api/crm/tasks', tenant.admin, { title: 'Call', relatedTo: first.id });
    const note = await call('POST', `${LEADS}/${second.id}/notes`, tenant.admin, { text: 'Très long' });
    await call('PATCH', `/api/crm/notes/${note.body.id}`, tenant.admin, { text: 'short' });
    await call('POST', `${LEADS}/${first.id}/notes`, tenant.admin, { text: 'goes along' });
    expect(await use()).toEqual(await stored());
    // It clears the reference of the task, and stays in the bin.
    await call('DELETE', `${LEADS}/${first.id}`, tenant.admin);
    await call('POST', `${LEADS}/${second.id}/merge`, tenant.admin, { loserId: third.id });
    expect(await use()).toEqual(await stored());
    await call('POST', `${LEADS}/${first.id}/restore`, tenant.admin);
    expect((await call('POST', `${LEADS}/${first.id}/erase`, tenant.admin)).status).toBe(200);
    expect(await use()).toEqual(await stored());
    await app.admin.query(
      `UPDATE custom_record SET deleted_at = now() - interval '31 days' WHERE tenant_id = $1 AND id = ANY ($2)`,
      [tenant.id, [second.id, task.id]],
    );
    await app.service.get(DeletedRecordSweeper).sweep();
    const left = await use();
    expect(left).toEqual(await stored());
    expect(left.records).toBeLessThan(16);
  });

  it('is without what an uninstalled app left', async () => {
    const installationId = '019ca8e0-4b7a-7d13-9c58-1e6f2a8d0b94';
    tenant = await app.tenant('business', []);
    await app.provision(tenant.id, [SITE_VISIT], { installationId });
    await app.create(RECORDS, tenant.admin, { title: 'Left' });
    expect(await use()).toMatchObject({ records: 1 });
    await app.objects.remove(tenant.id, installationId, false);
    expect(await use()).toEqual({ records: 0, bytes: 0 });
  });
});

describe('a workspace that stores as much as it may', () => {
  it('is refused another record by every call that makes one, and told how much it has; what frees space goes on', async () => {
    await limit({ records: 2 });
    const [first] = [await create('One'), await create('Two')];
    expect(await call('POST', LEADS, tenant.admin, { lastName: 'Three' })).toMatchObject({
      status: 422,
      body: { code: 'STORAGE_LIMIT_REACHED', kind: 'records', used: 2, limit: 2 },
    });
    expect((await bulk('create', [{ lastName: 'Three' }])).body).toMatchObject({
      succeeded: 0,
      results: [{ status: 'failed', error: { code: 'STORAGE_LIMIT_REACHED' } }],
    });
    expect((await bulk('create', [{ lastName: 'Three' }], true)).status).toBe(422);
    expect((await call('POST', `${LEADS}/${first.id}/convert`, tenant.admin, {})).body.code).toBe(
      'STORAGE_LIMIT_REACHED',
    );
    expect((await call('PATCH', `${LEADS}/${first.id}`, tenant.admin, { lastName: 'Longer than before' })).status).toBe(
      200,
    );
    expect((await call('GET', LEADS, tenant.admin)).body.data).toHaveLength(2);
    // The bin counts.
    expect((await call('DELETE', `${LEADS}/${first.id}`, tenant.admin)).status).toBe(204);
    expect((await call('POST', LEADS, tenant.admin, { lastName: 'Three' })).status).toBe(422);
    expect((await call('POST', `${LEADS}/${first.id}/erase`, tenant.admin)).status).toBe(200);
    await create('Three');
  });

  it('is refused longer values and notes, and not shorter ones', async () => {
    await limit({ bytes: 2_000 });
    const lead = await app.create(LEADS, tenant.admin, { lastName: 'Ada', description: 'x'.repeat(1_500) });
    const change = (description: string) => call('PATCH', `${LEADS}/${lead.id}`, tenant.admin, { description });
    const note = (text: string) => call('POST', `${LEADS}/${lead.id}/notes`, tenant.admin, { text });
    expect((await change('x'.repeat(2_500))).body).toMatchObject({ code: 'STORAGE_LIMIT_REACHED', kind: 'bytes' });
    expect((await note('x'.repeat(1_000))).body.code).toBe('STORAGE_LIMIT_REACHED');
    expect((await note('x'.repeat(100))).status).toBe(201);
    expect((await change('x'.repeat(10))).status).toBe(200);
  });

  it('is refused a merge that makes the winner longer, and not one that does not; restoring goes on', async () => {
    const long = 'x'.repeat(1_500);
    await limit({ bytes: 4_100 });
    const [winner, loser, brief] = [await create('Ada'), await create('Ada'), await create('Ada')];
    const task = await app.create('/api/crm/tasks', tenant.admin, { title: 'Call', relatedTo: loser.id });
    await call('PATCH', `${LEADS}/${loser.id}`, tenant.admin, { description: long });
    const note = (text: string) => call('POST', `${LEADS}/${winner.id}/notes`, tenant.admin, { text });
    expect((await note(long)).status).toBe(201);
    const merge = (loserId: string) => call('POST', `${LEADS}/${winner.id}/merge`, tenant.admin, { loserId });
    expect(await merge(loser.id)).toMatchObject({
      status: 422,
      body: { code: 'STORAGE_LIMIT_REACHED', kind: 'bytes', limit: 4_100 },
    });
    expect((await call('GET', `${LEADS}/${loser.id}`, tenant.admin)).body).toMatchObject({ description: long });
    expect((await merge(brief.id)).status).toBe(200);
    // Its deletion frees space, which something else takes meanwhile.
    expect((await call('DELETE', `${LEADS}/${loser.id}`, tenant.admin)).status).toBe(204);
    app.service.get(StorageLimit).readAnew(tenant.id);
    const left = 4_100 - (await use()).bytes;
    expect((await note('x'.repeat(left))).status).toBe(201);
    expect((await call('POST', `${LEADS}/${loser.id}/restore`, tenant.admin)).status).toBe(200);
    expect((await call('GET', `/api/crm/tasks/${task.id}`, tenant.admin)).body).toMatchObject({ relatedTo: loser.id });
    expect((await call('POST', `${LEADS}/${loser.id}/erase`, tenant.admin)).status).toBe(200);
  });

  it('has told identity before, from four fifths on', async () => {
    await limit({ records: 5 });
    for (const name of ['One', 'Two', 'Three', 'Four']) await create(name);
    app.service.get(StorageLimit).readAnew(tenant.id);
    await create('Five');
    await waitUntil(async () => told.some(({ tenantId, records }) => tenantId === tenant.id && records === 4), {
      describe: 'identity is told',
    });
  });
});
