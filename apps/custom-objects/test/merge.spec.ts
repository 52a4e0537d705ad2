import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { app, type Json, reference, type Tenant, text, useCustomObjects } from './custom-objects-service.js';

useCustomObjects();

const PLANT = {
  apiName: 'plant',
  fields: [
    text('name'),
    text('code', { is_unique: true }),
    text('secret', { readRoles: ['admin'], writeRoles: ['admin'] }),
    text('fixed', { writeRoles: ['admin'] }),
    reference('parent', 'custom:plant'),
    reference('client', 'contact', { onDelete: 'restrict' }),
    reference('agent', 'contact', { onDelete: 'cascade' }),
  ],
};
const PLANTS = '/api/crm/custom/plant/records';
const CONTACTS = '/api/crm/contacts';
const TASKS = '/api/crm/tasks';
const LEADS = '/api/crm/leads';
const DEALS = '/api/crm/opportunities';

let tenant: Tenant;
beforeEach(async () => {
  tenant = await app.tenant('business', [PLANT]);
});

const create = (path: string, body: object) => app.create(path, tenant.admin, body);
const get = (path: string, id: string, token = tenant.admin) => app.call('GET', `${path}/${id}`, token);
const bodyOf = async (path: string, id: string) => (await get(path, id)).body;
const merge = (path: string, winner: Json, loser: Json, more: object = {}, headers = {}, token = tenant.admin) =>
  app.call('POST', `${path}/${winner.id}/merge`, token, { loserId: loser.id, ...more }, headers);

const ADA = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' };

describe('two records that are merged', () => {
  it('become the first: it takes what it lacks and what was chosen, and the other is in the bin', async () => {
    const winner = await create(CONTACTS, ADA);
    const loser = await create(CONTACTS, { lastName: 'Byron', email: 'byron@example.com', phone: '030 901820' });
    const before = (await app.events(tenant.id)).length;
    const { status, body, headers } = await merge(CONTACTS, winner, loser, { fields: ['email'] });
    expect([status, headers.get('etag')]).toEqual([200, '"2.0"']);
    expect(body).toMatchObject({ ...ADA, id: winner.id, email: 'byron@example.com', phone: '030 901820', version: 2 });
    expect(await bodyOf(CONTACTS, winner.id)).toEqual(body);
    expect((await get(CONTACTS, loser.id)).status).toBe(404);
    const bin = await tenant.call('GET', `${CONTACTS}?deleted=only`);
    expect(bin.body.data.map(({ id, lastName }) => [id, lastName])).toEqual([[loser.id, 'Byron']]);
    const published = (await app.events(tenant.id)).slice(before).map(({ name, subject }) => [name, subject]);
    expect(published).toEqual([
      ['contact.updated', winner.id],
      ['contact.deleted', loser.id],
    ]);
  });

  it('have the references of both, whatever deleting one would have done, and no record is deleted along', async () => {
    const winner = await create(CONTACTS, ADA);
    const loser = await create(CONTACTS, { lastName: 'Byron' });
    const task = await create(TASKS, { title: 'Call', relatedTo: loser.id });
    const deal = await create(DEALS, { name: 'Seats', contactId: loser.id });
    const plant = await create(PLANTS, { name: 'P', client: loser.id, agent: loser.id });
    const own = await create(TASKS, { title: 'Own', relatedTo: winner.id });
    const before = (await app.events(tenant.id)).length;
    // Who merges needs no right to what refers to the loser.
    const token = await app.appToken(tenant.id, 'somebody-else', ['contacts']);
    expect((await merge(CONTACTS, winner, loser, {}, {}, token)).status).toBe(200);
    expect(await bodyOf(TASKS, task.id)).toMatchObject({ relatedTo: winner.id, version: 2 });
    expect(await bodyOf(DEALS, deal.id)).toMatchObject({ contactId: winner.id, version: 2 });
    expect(await bodyOf(PLANTS, plant.id)).toMatchObject({ client: winner.id, agent: winner.id, version: 2 });
    expect(await bodyOf(TASKS, own.id)).toMatchObject({ relatedTo: winner.id, version: 1 });
    const published = (await app.events(tenant.id)).slice(before).map(({ name }) => name);
    expect(published.sort()).toEqual(['contact.deleted', 'deal.updated', 'record.updated', 'task.updated']);
    // The references are registered: deleting the winner is restricted by what the loser had.
    expect((await app.call('DELETE', `${CONTACTS}/${winner.id}`, tenant.admin)).status).toBe(409);
  });

  it('have the notes of both, and the status that a stage means which was chosen', async () => {
    const winner = await create(DEALS, { name: 'Seats', stage: 'proposal' });
    const loser = await create(DEALS, { name: 'Seats again', stage: 'won' });
    await create(`${DEALS}/${winner.id}/notes`, { text: 'mine' });
    await create(`${DEALS}/${loser.id}/notes`, { text: 'theirs' });
    const merged = await merge(DEALS, winner, loser, { fields: ['stage'] });
    expect(merged).toMatchObject({ status: 200, body: { name: 'Seats', stage: 'won', status: 'won' } });
    const notes = await app.call('GET', `${DEALS}/${winner.id}/notes`, tenant.admin);
    expect(notes.body.data.map((note) => note.text)).toEqual(['theirs', 'mine']);
  });

  it('keep a retired option of the other, and what a converted lead has become', async () => {
    const options = '/api/crm/objects/lead/fields/source/options';
    const winner = await create(LEADS, { lastName: 'Ada' });
    const loser = await create(LEADS, { lastName: 'Ada', source: 'fair' });
    const { body } = await app.call('GET', options, tenant.admin);
    const listed = (body as unknown as { options: { value: string }[] }).options;
    const retired = listed.map((option) => ({ ...option, active: option.value !== 'fair' }));
    expect(await app.call('PUT', options, tenant.admin, { options: retired })).toMatchObject({ status: 200 });
    const converted = await app.call('POST', `${LEADS}/${loser.id}/convert`, tenant.admin, {});
    const { contactId } = converted.body as unknown as { contactId: string };
    const merged = await merge(LEADS, winner, loser);
    expect(merged).toMatchObject({ status: 200, body: { source: 'fair', convertedContactId: contactId } });
    const again = await app.call('POST', `${LEADS}/${winner.id}/convert`, tenant.admin, {});
    expect(again).toMatchObject({ status: 409 });
  });

  it('keep a unique value, which moves, and the loser cannot come back beside it', async () => {
    const winner = await create(PLANTS, { name: 'A' });
    const loser = await create(PLANTS, { name: 'B', code: 'X-1' });
    expect((await merge(PLANTS, winner, loser)).body).toMatchObject({ name: 'A', code: 'X-1' });
    const again = await app.call('POST', PLANTS, tenant.admin, { code: 'X-1' });
    expect(again).toMatchObject({ status: 409, body: { code: 'UNIQUE_VIOLATION' } });
    expect((await app.call('POST', `${PLANTS}/${loser.id}/restore`, tenant.admin)).status).toBe(409);
    await app.call('PATCH', `${PLANTS}/${winner.id}`, tenant.admin, { code: null });
    expect((await app.call('POST', `${PLANTS}/${loser.id}/restore`, tenant.admin)).body).toMatchObject({ code: 'X-1' });
  });

  it('do not refer to themselves when they referred to each other', async () => {
    const winner = await create(PLANTS, { name: 'A' });
    const loser = await create(PLANTS, { name: 'B', parent: winner.id });
    await app.call('PATCH', `${PLANTS}/${winner.id}`, tenant.admin, { parent: loser.id });
    expect((await merge(PLANTS, winner, loser)).body).toMatchObject({ parent: null });
  });

  it('keep what the caller cannot read or write as the winner has it', async () => {
    const hidden = { secret: 'of the loser', fixed: 'of the loser' };
    const [bare, full] = [await create(PLANTS, { name: 'A' }), await create(PLANTS, { secret: 'own', fixed: 'own' })];
    for (const winner of [bare, full]) {
      const loser = await create(PLANTS, { name: 'B', ...hidden });
      const { body } = await merge(PLANTS, winner, loser, {}, {}, tenant.member);
      expect(JSON.stringify(body)).not.toMatch(/secret|of the loser/);
      expect(await bodyOf(PLANTS, winner.id)).toMatchObject({ secret: winner.secret, fixed: winner.fixed });
    }
    const loser = await create(PLANTS, hidden);
    const chosen = await merge(PLANTS, bare, loser, { fields: ['secret'] }, {}, tenant.member);
    expect(chosen).toMatchObject({ status: 403, body: { code: 'FIELD_ACCESS_DENIED' } });
    expect((await merge(PLANTS, bare, loser, { fields: ['secret'] })).body).toMatchObject(hidden);
  });

  it.each<[string, (ids: { id: string; other: string }) => object, object, number]>([
    ['the record itself', ({ id }) => ({ loserId: id }), {}, 422],
    ['a record that does not exist', () => ({ loserId: randomUUID() }), {}, 422],
    ['a record of another object', ({ other }) => ({ loserId: other }), {}, 422],
    ['no other record', () => ({}), {}, 422],
    ['an unknown field', () => ({ fields: ['nothing'] }), {}, 422],
    ['another version', () => ({}), { 'if-match': '"7"' }, 412],
  ])('are refused with %s, and stay two', async (what, input, headers, status) => {
    const [winner, loser] = [await create(CONTACTS, ADA), await create(CONTACTS, { lastName: 'Byron' })];
    const other = await create(TASKS, { title: 'A' });
    const own = input({ id: winner.id, other: other.id });
    const body = what === 'no other record' ? {} : { loserId: loser.id, ...own };
    const answer = await app.call('POST', `${CONTACTS}/${winner.id}/merge`, tenant.admin, body, headers as never);
    expect(answer.status).toBe(status);
    expect([await bodyOf(CONTACTS, winner.id), await bodyOf(CONTACTS, loser.id)]).toEqual([winner, loser]);
  });

  it('are refused when more than a thousand records refer to the loser', async () => {
    const [winner, loser] = [await create(CONTACTS, ADA), await create(CONTACTS, { lastName: 'Byron' })];
    await app.referTo(loser, tenant);
    expect(await merge(CONTACTS, winner, loser)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect((await get(CONTACTS, loser.id)).status).toBe(200);
  });

  it('are not found in another workspace, nor without the scope', async () => {
    const [winner, loser] = [await create(CONTACTS, ADA), await create(CONTACTS, { lastName: 'Byron' })];
    const stranger = (await app.tenant()).admin;
    expect((await merge(CONTACTS, winner, loser, {}, {}, stranger)).status).toBe(404);
    const unscoped = await app.appToken(tenant.id, 'acme-visits', ['leads', 'contacts:read']);
    expect((await merge(CONTACTS, winner, loser, {}, {}, unscoped)).status).toBe(403);
    expect((await merge(CONTACTS, winner, loser, {}, {}, tenant.viewer)).status).toBe(403);
  });
});

describe('a merge at the same moment as', () => {
  const pair = async (): Promise<[Json, Json, Json]> => {
    const one = await create(CONTACTS, ADA);
    const other = await create(CONTACTS, { lastName: 'Byron', phone: '030 1234' });
    return [one, other, await create(TASKS, { title: 'Call', relatedTo: other.id })];
  };
  const remove = (id: string) => app.call('DELETE', `${CONTACTS}/${id}`, tenant.admin);
  const ROUNDS = Array.from({ length: 6 }, (_, index) => index);

  it('the opposite merge: one of them is carried out, and one record is left with the references', async () => {
    for (const round of ROUNDS) {
      const [one, other, task] = await pair();
      const both = [merge(CONTACTS, one, other), merge(CONTACTS, other, one)];
      const answers = await Promise.all(round % 2 === 0 ? both : both.reverse());
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect([404, 422]).toContain(answers.find(({ status }) => status !== 200)?.status);
      const left = answers.find(({ status }) => status === 200)?.body.id;
      expect(await bodyOf(TASKS, task.id)).toMatchObject({ relatedTo: left });
    }
  });

  it('the deletion of the loser: either is first, and no reference dangles', async () => {
    for (const _ of ROUNDS) {
      const [one, other, task] = await pair();
      const [merged, deleted] = await Promise.all([merge(CONTACTS, one, other), remove(other.id)]);
      const { relatedTo } = await bodyOf(TASKS, task.id);
      const expected = merged.status === 200 ? [200, 404, one.id] : [422, 204, null];
      expect([merged.status, deleted.status, relatedTo]).toEqual(expected);
    }
  });

  it('the deletion of the winner: the loser goes with it or stays', async () => {
    for (const _ of ROUNDS) {
      const [one, other, task] = await pair();
      const [merged, deleted] = await Promise.all([merge(CONTACTS, one, other), remove(one.id)]);
      const { relatedTo } = await bodyOf(TASKS, task.id);
      const expected = merged.status === 200 ? [200, 204, null] : [404, 204, other.id];
      expect([merged.status, deleted.status, relatedTo]).toEqual(expected);
    }
  });

  it('changes of the winner and of what refers to the loser, loses none of them', async () => {
    for (const _ of ROUNDS) {
      const [one, other, task] = await pair();
      const answers = await Promise.all([
        app.call('PATCH', `${CONTACTS}/${one.id}`, tenant.admin, { firstName: 'Augusta' }),
        merge(CONTACTS, one, other),
        app.call('PATCH', `${TASKS}/${task.id}`, tenant.admin, { title: 'Changed' }),
        app.call('POST', TASKS, tenant.admin, { title: 'New', relatedTo: one.id }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 201]);
      expect(await bodyOf(CONTACTS, one.id)).toMatchObject({ firstName: 'Augusta', phone: '030 1234', version: 3 });
      expect(await bodyOf(TASKS, task.id)).toMatchObject({ title: 'Changed', relatedTo: one.id, version: 3 });
    }
  });

  it('a task that moves from the loser to the winner by itself waits for it, and fails with nothing', async () => {
    for (const _ of ROUNDS) {
      const [one, other, task] = await pair();
      const [merged, moved] = await Promise.all([
        merge(CONTACTS, one, other),
        app.call('PATCH', `${TASKS}/${task.id}`, tenant.admin, { relatedTo: one.id }),
      ]);
      expect([merged.status, moved.status]).toEqual([200, 200]);
      expect(await bodyOf(TASKS, task.id)).toMatchObject({ relatedTo: one.id });
    }
  });
});
