import { randomUUID } from 'node:crypto';
import { rpc, SCOPE_NAMES } from '@crm/contracts';
import { answerRpc, findInStream, findInTables, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { DeclaredObject } from '../src/object/object-definition.js';
import { app, call, type Json, type Tenant, useCustomObjects } from './custom-objects-service.js';

useCustomObjects();

const LEADS = '/api/crm/leads';
const TASKS = '/api/crm/tasks';
const VISITS = '/api/crm/custom/visit/records';
const OBJECTS: DeclaredObject[] = [
  {
    apiName: 'visit',
    fields: [
      { apiName: 'subject', type: 'reference', referenceTarget: 'lead' },
      { apiName: 'title', type: 'text', is_unique: true },
      { apiName: 'secret', type: 'text', readRoles: ['admin'] },
    ],
  },
];

const acts: unknown[] = [];
let trail: Awaited<ReturnType<typeof answerRpc>>;
let tenant: Tenant;
/** Is in everything that is known of the record. */
let marker: string;
beforeAll(async () => {
  trail = await answerRpc(rpc.identity.recordAct, (act) => {
    acts.push(act);
    return {};
  });
});
afterAll(() => trail?.close());
beforeEach(async () => {
  tenant = await app.tenant('enterprise', OBJECTS);
  marker = `marker-${randomUUID()}`;
});

const erase = (path: string, { id }: Json, token = tenant.admin) => call('POST', `${path}/${id}/erase`, token);
const read = async (path: string, { id }: Json) => (await call('GET', `${path}/${id}`, tenant.admin)).body;
const found = () => findInTables(app.adminUrl, marker);
const published = () =>
  waitUntil(async () => (await findInStream(marker)).length > 0, { describe: 'the events are in the stream' });
const gone = () =>
  waitUntil(async () => (await findInStream(marker)).length === 0, {
    describe: 'the stream has nothing of it',
    timeoutMs: 20_000,
  });

describe('an erased record', () => {
  it('takes nothing from the events of another one that names it in a field called subject', async () => {
    const lead = await app.create(LEADS, tenant.admin, { lastName: 'Ada' });
    const visit = await app.create(VISITS, tenant.admin, { title: marker, subject: lead.id });
    expect(await erase(LEADS, lead)).toMatchObject({ status: 204 });
    const events = (await app.events(tenant.id)).filter(({ subject }) => subject === visit.id);
    expect(events.map(({ name }) => name)).toEqual(['record.created', 'record.updated']);
    expect(events[0]?.data).toMatchObject({ record: { title: marker } });
  });

  it('leaves its id: nothing of its content is in a table or in the stream, and its events say that it was erased', async () => {
    const visit = await app.create(VISITS, tenant.admin, { title: marker, secret: marker });
    await call('PATCH', `${VISITS}/${visit.id}`, tenant.admin, { title: `${marker} again` });
    await published();
    expect(Object.keys(await found()).length).toBeGreaterThan(3);

    expect(await erase(VISITS, visit)).toMatchObject({ status: 204 });
    expect(await found()).toEqual({});
    expect(await read(VISITS, visit)).toMatchObject({ code: 'NOT_FOUND' });
    expect((await call('GET', `${VISITS}?deleted=only`, tenant.admin)).body.data).toEqual([]);
    await gone();
    expect(acts.at(-1)).toEqual({ action: 'record.erased', subjectId: visit.id, detail: { object: 'visit' } });
    const event = { subject: visit.id, data: { object: 'visit', record: { id: visit.id }, erased: true } };
    expect(await app.events(tenant.id)).toMatchObject(
      [1, 2, 3].map((version) => ({ ...event, name: 'record.deleted', version })),
    );
    // The stream was not taken for one that has lost its events.
    expect(await app.create(VISITS, tenant.admin, { title: marker })).toMatchObject({ version: 1 });
  });

  it('is erased from the bin too, with what its deletion remembers', async () => {
    const lead = await app.create(LEADS, tenant.admin, { lastName: marker });
    const task = await app.create(TASKS, tenant.admin, { title: 'Call', relatedTo: lead.id });
    await call('DELETE', `${LEADS}/${lead.id}`, tenant.admin);
    await published();
    expect(await erase(LEADS, lead)).toMatchObject({ status: 204 });
    expect(await found()).toEqual({});
    await gone();
    expect(await call('POST', `${LEADS}/${lead.id}/restore`, tenant.admin)).toMatchObject({ status: 404 });
    expect(await read(TASKS, task)).toMatchObject({ title: 'Call', relatedTo: null });
    const { rows } = await app.admin.query('SELECT 1 FROM cleared_reference WHERE tenant_id = $1', [tenant.id]);
    expect(rows).toEqual([]);
    expect(await erase(LEADS, lead)).toMatchObject({ status: 404 });
  });

  it('has its references cleared as by a deletion', async () => {
    const lead = await app.create(LEADS, tenant.admin, { lastName: marker });
    const task = await app.create(TASKS, tenant.admin, { title: 'Call', relatedTo: lead.id });
    expect(await erase(LEADS, lead)).toMatchObject({ status: 204 });
    expect(await read(TASKS, task)).toMatchObject({ relatedTo: null, version: 2 });
    expect(await found()).toEqual({});
  });

  it('is published by its id alone when its events had not been published yet', async () => {
    const relay = new pg.Client({ connectionString: app.adminUrl });
    await relay.connect();
    // The relay publishes what it has claimed, and then waits to mark it.
    await relay.query('BEGIN');
    await relay.query('LOCK TABLE outbox_position');
    const first = await app.create(LEADS, tenant.admin, { lastName: `first ${marker}` });
    await published();
    const lead = await app.create(LEADS, tenant.admin, { lastName: marker });
    expect(await erase(LEADS, lead)).toMatchObject({ status: 204 });
    await erase(LEADS, first);
    await relay.query('COMMIT');
    await relay.end();
    await gone();
    // A cluster's relay may have had the first in hand, and published it as it was: then it was removed.
    const erasure = 'the erasure is published';
    await waitUntil(async () => (await findInStream(lead.id)).length > 0, { describe: erasure, timeoutMs: 20_000 });
    for (const subject of await findInStream(lead.id)) expect(subject).toMatch(/lead.deleted/);
  });

  it.each([
    ['a member', () => tenant.member],
    ['an app', () => app.appToken(tenant.id, 'acme-visits', ['leads'])],
    [
      'the key of an administrator, whatever its scopes',
      () => app.tokenOf(tenant.id, { roles: ['admin'], scopes: [...SCOPE_NAMES], api_key: true, sid: randomUUID() }),
    ],
  ])('is not erased by %s', async (_who, token) => {
    const lead = await app.create(LEADS, tenant.admin, { lastName: marker });
    expect(await erase(LEADS, lead, await token())).toMatchObject({ status: 403 });
    expect(await read(LEADS, lead)).toMatchObject({ lastName: marker });
  });
});
