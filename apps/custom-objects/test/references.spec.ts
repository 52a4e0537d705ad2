import { randomUUID } from 'node:crypto';
import type { FieldDefinition } from '@crm/fields';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { DeclaredObject } from '../src/object/object-definition.js';
import { type CustomObjectsService, type Json, startCustomObjects, type Tenant } from './custom-objects-service.js';

const VISITS = '/api/crm/custom/visit/records';
const NOTES = '/api/crm/custom/note/records';
const ITEMS = '/api/crm/custom/item/records';

const reference = (apiName: string, more: Partial<FieldDefinition> = {}): FieldDefinition => ({
  apiName,
  type: 'reference',
  referenceTarget: 'lead',
  ...more,
});

const OBJECTS: DeclaredObject[] = [
  {
    apiName: 'visit',
    fields: [
      { apiName: 'title', type: 'text', is_unique: true },
      reference('lead'),
      reference('second_lead'),
      reference('client', { referenceTarget: 'contact', onDelete: 'restrict' }),
      reference('partner', { referenceTarget: 'company', required: false }),
    ],
  },
  {
    apiName: 'note',
    fields: [
      { apiName: 'text', type: 'text' },
      reference('visit', { referenceTarget: 'custom:visit', onDelete: 'cascade' }),
    ],
  },
  {
    apiName: 'item',
    fields: [{ apiName: 'name', type: 'text' }, reference('note', { referenceTarget: 'custom:note', required: true })],
  },
];

const SITES: DeclaredObject[] = [
  { apiName: 'site', fields: [{ apiName: 'name', type: 'text' }] },
  {
    apiName: 'visit',
    fields: [
      { apiName: 'title', type: 'text' },
      { apiName: 'lead', type: 'reference', referenceTarget: 'lead', onDelete: 'restrict' },
      { apiName: 'site', type: 'reference', referenceTarget: 'custom:site' },
    ],
  },
];
const TRIPS: DeclaredObject[] = [
  { apiName: 'trip', fields: [{ apiName: 'site', type: 'reference', referenceTarget: 'custom:site' }] },
];
const SITE = '/api/crm/custom/site/records';
const TRIP = '/api/crm/custom/trip/records';
const LEAD = '/api/crm/leads';
const TASK = '/api/crm/tasks';

let app: CustomObjectsService;
let admin: pg.Client;
beforeAll(async () => {
  app = await startCustomObjects();
  admin = new pg.Client({ connectionString: app.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await app.close();
});

async function workplace() {
  const tenant = await app.tenant('enterprise', OBJECTS);
  const call = await tenant.as('admin');
  const create = (path: string, body: object) => app.create(path, tenant.admin, body);
  return { tenant, call, create };
}

const registered = async ({ id }: Tenant) =>
  (await admin.query('SELECT count(*)::int AS count FROM record_reference WHERE tenant_id = $1', [id])).rows[0].count;

describe('deleting a record that others refer to', () => {
  it('unsets the references, in one version and one event of each record', async () => {
    const { tenant, call, create } = await workplace();
    const lead = await create('/api/crm/leads', { lastName: 'Lovelace' });
    const both = await create(VISITS, { title: 'Both', lead: lead.id, second_lead: lead.id });
    const one = await create(VISITS, { title: 'One', lead: lead.id });
    const task = await create('/api/crm/tasks', { title: 'Call', relatedTo: lead.id });
    expect(await call('DELETE', `/api/crm/leads/${lead.id}`)).toMatchObject({ status: 204 });

    const unset = { version: 2, lead: null, second_lead: null };
    expect(await call('GET', `${VISITS}/${both.id}`)).toMatchObject({ body: { ...unset, title: 'Both' } });
    expect(await call('GET', `${VISITS}/${one.id}`)).toMatchObject({ body: unset });
    expect(await call('GET', `/api/crm/tasks/${task.id}`)).toMatchObject({ body: { version: 2, relatedTo: null } });
    // The index of the field knows it too.
    const found = await call('GET', `${VISITS}?filterField=lead&filterValue=${lead.id}`);
    expect(found.body).toMatchObject({ total: 0 });
    expect(await registered(tenant)).toBe(0);
    const events = (await app.events(tenant.id)).slice(4);
    expect(events.filter(({ name }) => name.endsWith('.updated'))).toHaveLength(3);
    expect(events.find(({ subject }) => subject === both.id)?.data.changed).toEqual(['lead', 'second_lead']);
    expect(events.at(-1)).toMatchObject({ name: 'lead.deleted', subject: lead.id });
  });

  it('is refused where a reference restricts it', async () => {
    const { tenant, call, create } = await workplace();
    const contact = await create('/api/crm/contacts', { lastName: 'Byron' });
    const visit = await create(VISITS, { title: 'A', client: contact.id });
    const refused = await call('DELETE', `/api/crm/contacts/${contact.id}`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(await call('GET', `/api/crm/contacts/${contact.id}`)).toMatchObject({ status: 200 });
    expect(await app.events(tenant.id)).toHaveLength(2);

    await call('PATCH', `${VISITS}/${visit.id}`, { client: null });
    expect(await call('DELETE', `/api/crm/contacts/${contact.id}`)).toMatchObject({ status: 204 });
  });

  it('deletes along what belongs to it, unless something needs that', async () => {
    const { tenant, call, create } = await workplace();
    const visit = await create(VISITS, { title: 'Unique' });
    const note = await create(NOTES, { text: 'n', visit: visit.id });
    const item = await create(ITEMS, { name: 'i', note: note.id });
    expect(await call('DELETE', `${VISITS}/${visit.id}`)).toMatchObject({ status: 409 });

    await call('DELETE', `${ITEMS}/${item.id}`);
    expect(await call('DELETE', `${VISITS}/${visit.id}`)).toMatchObject({ status: 204 });
    expect(await call('GET', `${NOTES}/${note.id}`)).toMatchObject({ status: 404 });
    const deleted = (await app.events(tenant.id)).filter(({ name }) => name === 'record.deleted');
    expect(deleted.map(({ subject }) => subject)).toEqual([item.id, note.id, visit.id]);
    expect(await registered(tenant)).toBe(0);
    // Its unique value is free again.
    await create(VISITS, { title: 'Unique' });
  });

  it('is refused when more than a thousand records refer to it', async () => {
    const { tenant, call, create } = await workplace();
    const lead = await create('/api/crm/leads', { lastName: 'Lovelace' });
    await admin.query(
      `INSERT INTO record_reference (tenant_id, target_id, object_id, record_id, field_key)
       SELECT $1, $2, gen_random_uuid(), gen_random_uuid(), 1 FROM generate_series(1, 1001)`,
      [tenant.id, lead.id],
    );
    expect(await call('DELETE', `/api/crm/leads/${lead.id}`)).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT' },
    });
  });
});

describe('references between concurrent transactions', () => {
  it('never dangle: either the reference is refused, or it is unset', async () => {
    const { tenant, call, create } = await workplace();
    for (let round = 0; round < 8; round += 1) {
      const lead = await create('/api/crm/leads', { lastName: `L${round}` });
      const [created, deleted] = await Promise.all([
        call('POST', VISITS, { title: `V${round}`, lead: lead.id }),
        call('DELETE', `/api/crm/leads/${lead.id}`),
      ]);
      expect(deleted.status).toBe(204);
      if (created.status === 201) {
        expect((await call('GET', `${VISITS}/${created.body.id}`)).body).toMatchObject({ lead: null });
      } else {
        expect(created).toMatchObject({ status: 422, body: { errors: [{ code: 'REFERENCE_NOT_FOUND' }] } });
      }
    }
    expect(await registered(tenant)).toBe(0);
  });

  it('do not keep each other waiting: many records may refer to one', async () => {
    const { create } = await workplace();
    const lead = await create('/api/crm/leads', { lastName: 'Popular' });
    await Promise.all(Array.from({ length: 12 }, (_, index) => create(VISITS, { title: `V${index}`, lead: lead.id })));
  });
});

describe('a reference', () => {
  let tenant: Tenant;
  let lead: string;
  let company: string;
  beforeEach(async () => {
    tenant = await app.tenant('enterprise', SITES);
    lead = await idOf(LEAD, { lastName: 'Lovelace' });
    company = await idOf('/api/crm/companies', { name: 'Acme' });
  });

  const call: CustomObjectsService['call'] = (...request) => app.call(...request);
  const idOf = async (path: string, body: object) => (await app.create(path, tenant.admin, body)).id;
  const appToken = (appKey: string, ...scopes: string[]) => app.appToken(tenant.id, appKey, scopes);
  const shown = ({ status, body }: { status: number; body: Json }) => [status, body.code, body.detail, body.errors];

  it('to a record of a standard object needs the scope to read it, whether the record exists or not', async () => {
    const blind = await appToken('acme-visits', 'custom_objects');
    const visit = await idOf(VISITS, { title: 'x' });
    for (const id of [lead, randomUUID()]) {
      for (const answer of [
        await call('POST', VISITS, blind, { lead: id }),
        await call('PATCH', `${VISITS}/${visit}`, blind, { lead: id }),
      ]) {
        expect(shown(answer)).toEqual([403, 'INSUFFICIENT_SCOPE', 'The scope leads:read is required', undefined]);
      }
    }
    expect((await call('PATCH', `${VISITS}/${visit}`, blind, { lead: null, title: 'y' })).status).toBe(200);
    const reader = await appToken('acme-visits', 'custom_objects', 'leads:read');
    expect((await call('POST', VISITS, reader, { lead })).status).toBe(201);
    expect((await call('POST', VISITS, reader, { lead: randomUUID() })).body.errors).toEqual([
      expect.objectContaining({ pointer: '/lead', code: 'REFERENCE_NOT_FOUND' }),
    ]);
  });

  it('in the session of a user needs what the session is narrowed to', async () => {
    const narrowed = await tenant.sign({ roles: ['member'], scopes: ['custom_objects'] });
    expect((await call('POST', VISITS, narrowed, { lead })).status).toBe(403);
    expect((await call('POST', VISITS, tenant.member, { lead })).status).toBe(201);
  });

  it('that can name records of several objects names those that the scopes allow to read', async () => {
    const write = async (scopes: string[], relatedTo: string) =>
      call('POST', TASK, await appToken('acme-visits', 'tasks', ...scopes), { title: 'x', relatedTo });
    expect((await write([], lead)).body).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' });
    expect((await write(['leads:read'], lead)).status).toBe(201);
    expect(shown(await write(['leads:read'], company))).toEqual(shown(await write(['leads:read'], randomUUID())));
    expect((await write(['leads:read', 'companies'], company)).status).toBe(201);
  });

  it('to an object that an app does not see is refused like one to an unknown record', async () => {
    await app.objects.provision(tenant.id, {
      installationId: randomUUID(),
      appKey: 'trips',
      sandbox: false,
      objects: TRIPS,
    });
    const site = await idOf(SITE, { name: 'Turin' });
    const token = await appToken('trips', 'custom_objects');
    const write = (id: string) => call('POST', TRIP, token, { site: id });
    expect(shown(await write(site))).toEqual(shown(await write(randomUUID())));
    expect((await write(site)).body.errors).toEqual([
      expect.objectContaining({ pointer: '/site', code: 'REFERENCE_NOT_FOUND' }),
    ]);
    expect((await call('POST', TRIP, tenant.member, { site })).status).toBe(201);
    expect((await call('POST', VISITS, await appToken('acme-visits', 'custom_objects'), { site })).status).toBe(201);
    await call('PUT', '/api/crm/custom/site/apps/trips', tenant.admin, { access: 'read' });
    expect((await write(site)).status).toBe(201);
    expect((await write(randomUUID())).status).toBe(422);
  });

  it('that restricts a deletion does not tell an app the name of an object that it does not see', async () => {
    await idOf(VISITS, { lead });
    const refusal = async (token: string) => (await call('DELETE', `${LEAD}/${lead}`, token)).body;
    const [other, own] = [await appToken('trips', 'leads'), await appToken('acme-visits', 'leads')];
    expect(await refusal(other)).toMatchObject({
      status: 409,
      detail: 'Another record refers to this one and needs it',
    });
    for (const token of [own, tenant.admin]) {
      expect(await refusal(token)).toMatchObject({
        status: 409,
        detail: 'A record of visit refers to this one and needs it',
      });
    }
  });
});
