import { randomUUID } from 'node:crypto';
import { rpc, SCOPE_NAMES } from '@crm/contracts';
import { answerRpc, findInStream, findInTables, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { DeclaredObject } from '../src/object/object-definition.js';
import { app, call, type Json, reference, type Tenant, text, useCustomObjects } from './custom-objects-service.js';

useCustomObjects();

const LEADS = '/api/crm/leads';
const TASKS = '/api/crm/tasks';
const VISITS = '/api/crm/custom/visit/records';
const STAYS = '/api/crm/custom/stay/records';
const OBJECTS: DeclaredObject[] = [
  {
    apiName: 'visit',
    fields: [
      { apiName: 'subject', type: 'reference', referenceTarget: 'lead' },
      { apiName: 'title', type: 'text', is_unique: true },
      { apiName: 'secret', type: 'text', readRoles: ['admin'] },
    ],
  },
  { apiName: 'stay', fields: [text('title'), reference('guest', 'lead', { onDelete: 'cascade' })] },
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
    expect(await erase(LEADS, lead)).toMatchObject({ status: 200 });
    const events = (await app.events(tenant.id)).filter(({ subject }) => subject === visit.id);
    expect(events.map(({ name }) => name)).toEqual(['record.created', 'record.updated']);
    expect(events[0]?.data).toMatchObject({ record: { title: marker } });
  });

  it('leaves its id: nothing of its content is in a table or in the stream, and its events say that it was erased', async () => {
    const visit = await app.create(VISITS, tenant.admin, { title: marker, secret: marker });
    await call('PATCH', `${VISITS}/${visit.id}`, tenant.admin, { title: `${marker} again` });
    await published();
    expect(Object.keys(await found()).length).toBeGreaterThan(3);

    expect(await erase(VISITS, visit)).toMatchObject({ status: 200 });
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
    expect(await erase(LEADS, lead)).toMatchObject({ status: 200 });
    expect(await found()).toEqual({});
    await gone();
    expect(await call('POST', `${LEADS}/${lead.id}/restore`, tenant.admin)).toMatchObject({ status: 404 });
    expect(await read(TASKS, task)).toMatchObject({ title: 'Call', relatedTo: null });
    const { rows } = await app.admin.query('SELECT 1 FROM cleared_reference WHERE tenant_id = $1', [tenant.id]);
    expect(rows).toEqual([]);
    expect(await erase(LEADS, lead)).toMatchObject({ status: 404 });
  });

  it('takes along what was merged into it, and again into that, unless it was restored', async () => {
    const [winner, loser, earlier, restored] = await Promise.all(
      ['w', 'l', 'e', 'r'].map((name) => app.create(LEADS, tenant.admin, { lastName: `${name} ${marker}` })),
    );
    const merge = (into: Json | undefined, from: Json | undefined) =>
      call('POST', `${LEADS}/${into?.id}/merge`, tenant.member, { loserId: from?.id });
    for (const [into, from] of [
      [loser, earlier],
      [winner, loser],
      [winner, restored],
    ])
      expect(await merge(into, from)).toMatchObject({ status: 200 });
    await call('POST', `${LEADS}/${restored?.id}/restore`, tenant.member);
    await call('PATCH', `${LEADS}/${restored?.id}`, tenant.member, { lastName: 'Another person' });
    await published();

    expect(await erase(LEADS, winner as Json)).toMatchObject({ status: 200, body: { erased: 3 } });
    expect((await call('GET', `${LEADS}?deleted=only`, tenant.admin)).body.data).toEqual([]);
    const ids = [loser, earlier].map((one) => `lead ${one?.id}`).sort();
    const along = (acts.at(-1) as { detail: { along: string[] } }).detail.along;
    expect([...along].sort()).toEqual(ids);
    const last = (await app.events(tenant.id)).filter(({ subject }) => subject !== restored?.id);
    for (const { data, name } of last)
      expect([name, data.record]).toEqual(['lead.deleted', { id: expect.any(String) }]);
    expect(await read(LEADS, restored as Json)).toMatchObject({ lastName: 'Another person' });
  });

  it('takes along what its deletion takes or took, and says how many of these its eraser could read', async () => {
    const onlyLeads = await tenant.sign({ roles: ['admin'], scopes: ['leads'] });
    for (const [isInBin, token, answer] of [
      [false, tenant.admin, 2],
      [true, onlyLeads, 1],
    ] as const) {
      const lead = await app.create(LEADS, tenant.admin, { lastName: marker });
      const stay = await app.create(STAYS, tenant.admin, { title: marker, guest: lead.id });
      if (isInBin) await call('DELETE', `${LEADS}/${lead.id}`, tenant.admin);
      expect((await erase(LEADS, lead, token)).body).toEqual({ erased: answer });
      expect(await found()).toEqual({});
      const detail = { object: 'lead', [isInBin ? 'unseen' : 'along']: [`stay ${stay.id}`] };
      expect(acts.at(-1)).toEqual({ action: 'record.erased', subjectId: lead.id, detail });
      const events = (await app.events(tenant.id)).filter(({ subject }) => subject === stay.id);
      expect(events.at(-1)).toMatchObject({ name: 'record.deleted', data: { record: { id: stay.id }, erased: true } });
    }
    await gone();
  });

  it('has its references cleared as by a deletion', async () => {
    const lead = await app.create(LEADS, tenant.admin, { lastName: marker });
    const task = await app.create(TASKS, tenant.admin, { title: 'Call', relatedTo: lead.id });
    expect(await erase(LEADS, lead)).toMatchObject({ status: 200 });
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
    expect(await erase(LEADS, lead)).toMatchObject({ status: 200 });
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
