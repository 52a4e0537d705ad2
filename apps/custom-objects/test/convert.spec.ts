import { randomUUID } from 'node:crypto';
import { SCOPE_NAMES } from '@crm/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { app, type Json, type Tenant, useCustomObjects } from './custom-objects-service.js';

useCustomObjects();

const LEAD = {
  ...{ firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', phone: '030 901820' },
  ...{ companyName: 'Analytical Engines', status: 'new', source: 'fair' },
};

let tenant: Tenant;
let owner: string;
beforeEach(async () => {
  tenant = await app.tenant();
  owner = randomUUID();
  app.users.set(tenant.id, new Set([owner]));
});

const crm = (path: string) => `/api/crm/${path}`;
const create = (path: string, body: object) => app.create(crm(path), tenant.admin, body);
const lead = (more: object = {}) => create('leads', { ...LEAD, ownerId: owner, ...more });
const get = async (path: string, id: unknown) => (await tenant.call('GET', crm(`${path}/${id}`))).body;
const convert = (id: string, body: object = {}, headers: Record<string, string> = {}, token = tenant.member) =>
  app.call('POST', crm(`leads/${id}/convert`), token, body, headers);
/** How many records there are of each object. */
const counts = async () => {
  const lists = await Promise.all(
    ['leads', 'contacts', 'companies', 'opportunities'].map((path) => tenant.call('GET', crm(`${path}?count=exact`))),
  );
  return lists.map(({ body }) => body.total);
};
/** The token of an app with these scopes only. */
const narrowed = (...scopes: string[]) => app.appToken(tenant.id, 'acme-visits', scopes);

describe('a lead that is converted', () => {
  it('becomes a contact, a company and an opportunity with its values and owner, and names them', async () => {
    const { id } = await lead();
    const task = await create('tasks', { title: 'Call', relatedTo: id });
    const before = (await app.events(tenant.id)).length;
    const { status, body } = await convert(id, { createOpportunity: { amount: 42000, currency: 'EUR' } });
    const anyId = expect.any(String);
    expect([status, body]).toEqual([200, { contactId: anyId, companyId: anyId, opportunityId: anyId }]);
    const { contactId, companyId, opportunityId } = body;
    expect(await get('contacts', contactId)).toMatchObject({
      ...{ firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', phone: '030 901820' },
      ...{ companyId, ownerId: owner },
    });
    expect(await get('companies', companyId)).toMatchObject({ name: LEAD.companyName, phone: null, ownerId: owner });
    expect(await get('opportunities', opportunityId)).toMatchObject({
      ...{ name: LEAD.companyName, amount: 42000, currency: 'EUR', status: 'open' },
      ...{ companyId, contactId, ownerId: owner },
    });
    expect(await get('leads', id)).toMatchObject({
      ...{ ...LEAD, version: 2, convertedContactId: contactId },
      ...{ convertedCompanyId: companyId, convertedOpportunityId: opportunityId },
    });
    expect(await get('tasks', task.id)).toMatchObject({ relatedTo: id, version: 1 });
    const published = (await app.events(tenant.id)).slice(before).map(({ name }) => name);
    expect(published).toEqual(['company.created', 'contact.created', 'deal.created', 'lead.updated']);
  });

  it.each<[string, object, object | true | undefined, number[]]>([
    ['no company when it names none', { companyName: null }, undefined, [1, 1, 0, 0]],
    ['no opportunity unless one is asked for', {}, undefined, [1, 1, 1, 0]],
    ['an opportunity that is named like the person', { companyName: null }, true, [1, 1, 0, 1]],
  ])('makes %s', async (_, values, createOpportunity, expected) => {
    const { id } = await lead(values);
    const { status, body } = await convert(id, { createOpportunity });
    expect([status, await counts()]).toEqual([200, expected]);
    if (body.opportunityId)
      expect(await get('opportunities', body.opportunityId)).toMatchObject({ name: 'Ada Lovelace' });
  });

  it('can be an existing contact of an existing company, which stay as they are', async () => {
    const company = await create('companies', { name: 'Known' });
    const contact = await create('contacts', { lastName: 'Byron', companyId: company.id });
    const { id } = await lead();
    const given = await convert(id, { contactId: contact.id });
    expect(given.body).toEqual({ contactId: contact.id, companyId: company.id });
    const second = await lead();
    expect((await convert(second.id, { companyId: company.id })).body).toMatchObject({ companyId: company.id });
    expect([await counts(), (await get('contacts', contact.id)).version]).toEqual([[2, 2, 1, 0], 1]);
  });

  it('gives its company to an existing contact that has none', async () => {
    const contact = await create('contacts', { lastName: 'Byron' });
    const { body } = await convert((await lead()).id, { contactId: contact.id });
    expect(await get('contacts', contact.id)).toMatchObject({ companyId: body.companyId, version: 2, email: null });
  });

  it.each<[string, (id: string) => object, string[] | null, number, string]>([
    ['an unknown contact', () => ({ contactId: randomUUID() }), null, 422, '/contactId'],
    ['an unknown company', () => ({ companyId: randomUUID() }), null, 422, '/companyId'],
    ['a record of another object', (id) => ({ contactId: id }), null, 422, '/contactId'],
    ['a wrong amount', () => ({ createOpportunity: { amount: 'much' } }), null, 422, '/createOpportunity/amount'],
    ['a number as opportunity', () => ({ createOpportunity: 3 }), null, 422, '/createOpportunity'],
    ['no scope of contacts', () => ({}), ['leads', 'companies'], 403, ''],
    ['no scope of companies', () => ({}), ['leads', 'contacts'], 403, ''],
    ['only reading of companies', () => ({}), ['leads', 'contacts', 'companies:read'], 403, ''],
    ['no scope of the pipeline', () => ({ createOpportunity: true }), ['leads', 'contacts', 'companies'], 403, ''],
    ['no scope to read the contact', () => ({ contactId: randomUUID() }), ['leads', 'companies'], 403, ''],
    ['no scope of leads', () => ({}), SCOPE_NAMES.filter((scope) => scope !== 'leads'), 403, ''],
  ])('is refused with %s, and nothing is written', async (_, body, scopes, status, pointer) => {
    const { id } = await lead();
    const answer = await convert(id, body(id), {}, scopes ? await narrowed(...scopes) : tenant.member);
    expect(answer.status).toBe(status);
    if (pointer) expect(answer.body.errors?.map((error) => error.pointer)).toEqual([pointer]);
    expect([await counts(), await get('leads', id)]).toEqual([
      [1, 0, 0, 0],
      expect.objectContaining({ version: 1, convertedContactId: null }),
    ]);
  });

  it('needs no scope of what it does not make', async () => {
    const { id } = await lead({ companyName: null });
    expect((await convert(id, {}, {}, await narrowed('leads', 'contacts'))).status).toBe(200);
  });

  it('is written as a whole or not at all: a fault in the last record takes the others back', async () => {
    await app.whileRefusing(async () => {
      const { id } = await lead();
      const events = (await app.events(tenant.id)).length;
      expect((await convert(id, { createOpportunity: { name: 'Refused' } })).status).toBe(500);
      expect([await counts(), (await get('leads', id)).version]).toEqual([[1, 0, 0, 0], 1]);
      expect(await app.events(tenant.id)).toHaveLength(events);
    });
  });

  it('is converted once, also by calls at the same moment', async () => {
    const { id } = await lead();
    const answers = await Promise.all(Array.from({ length: 6 }, () => convert(id, { createOpportunity: true })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect(await convert(id)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(await counts()).toEqual([1, 1, 1, 1]);
  });

  it('carries what a change at the same moment has written, or has the change itself', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id } = await lead();
      const [converted, changed] = await Promise.all([
        convert(id),
        tenant.call('PATCH', crm(`leads/${id}`), { email: 'new@example.com' }),
      ]);
      expect([converted.status, changed.status]).toEqual([200, 200]);
      const { version, email } = await get('leads', id);
      expect([version, email]).toEqual([3, 'new@example.com']);
      // Whichever was first.
      const contact = await get('contacts', converted.body.contactId);
      expect(contact.email).toBe(changed.body.version === 2 ? 'new@example.com' : 'ada@example.com');
    }
  });

  it('answers a repeated call with the same Idempotency-Key as the first one', async () => {
    const { id } = await lead();
    const key = { 'idempotency-key': 'once' };
    const body = { createOpportunity: { amount: 1 } };
    const token = await app.userToken(tenant.id, owner);
    const first = await convert(id, body, key, token);
    expect(first.status).toBe(200);
    expect(await convert(id, body, key, token)).toMatchObject({ status: 200, body: first.body });
    expect(await convert(id, {}, key, token)).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    expect(await counts()).toEqual([1, 1, 1, 1]);
  });

  it('can be converted again when its contact is deleted', async () => {
    const { id } = await lead();
    const { contactId, companyId } = (await convert(id)).body as Json;
    await tenant.call('DELETE', crm(`contacts/${contactId}`));
    expect(await get('leads', id)).toMatchObject({ convertedContactId: null, convertedCompanyId: companyId });
    expect((await convert(id, { companyId })).body).toMatchObject({ companyId });
    expect(await counts()).toEqual([1, 1, 1, 0]);
  });

  it('is marked by its conversion alone', async () => {
    const contact = await create('contacts', { lastName: 'Byron' });
    const { id } = await lead();
    const written = [
      await tenant.call('PATCH', crm(`leads/${id}`), { convertedContactId: contact.id }),
      await app.call('POST', crm('leads'), tenant.admin, { lastName: 'A', convertedContactId: contact.id }),
    ];
    for (const { status, body } of written) expect([status, body.code]).toEqual([403, 'FIELD_ACCESS_DENIED']);
    const { body } = await tenant.call('GET', '/api/crm/objects/lead');
    const fields = body.fields as { apiName: string; writable: boolean }[];
    expect(fields.filter(({ writable }) => !writable).map(({ apiName }) => apiName)).toEqual([
      ...['convertedContactId', 'convertedCompanyId', 'convertedOpportunityId'],
    ]);
  });

  it('is not found in another workspace', async () => {
    const { id } = await lead();
    expect((await convert(id, {}, {}, (await app.tenant()).member)).status).toBe(404);
  });
});
