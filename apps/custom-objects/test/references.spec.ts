import type { FieldDefinition } from '@crm/fields';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { DeclaredObject } from '../src/object/object-definition.js';
import { type CustomObjectsService, startCustomObjects, type Tenant } from './custom-objects-service.js';

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

type Body = Record<string, unknown> & { id: string };

async function workplace() {
  const tenant = await app.tenant('enterprise', OBJECTS);
  const call = (method: string, path: string, body?: unknown) =>
    app.service.request(method, path, { token: tenant.admin, body }) as Promise<{ status: number; body: Body }>;
  const create = async (path: string, body: unknown) => {
    const answer = await call('POST', path, body);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  };
  return { tenant, call, create };
}

const eventsOf = async ({ id }: Tenant) =>
  (
    await admin.query<{ name: string; subject: string; data: { changed?: string[] } }>(
      `SELECT name, envelope::jsonb->>'subject' AS subject, envelope::jsonb->'data' AS data
         FROM outbox WHERE tenant_id = $1 ORDER BY seq`,
      [id],
    )
  ).rows;

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
    const events = (await eventsOf(tenant)).slice(4);
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
    expect(await eventsOf(tenant)).toHaveLength(2);

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
    const deleted = (await eventsOf(tenant)).filter(({ name }) => name === 'record.deleted');
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
