import { Database, type TenantTransaction } from '@crm/database';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DeclaredObject } from '../src/object/object-definition.js';
import { BinRepository } from '../src/writing/bin.repository.js';
import { DeletedRecordSweeper } from '../src/writing/deleted-record.sweeper.js';
import { app, call, type Json, reference, type Tenant, text, useCustomObjects } from './custom-objects-service.js';

useCustomObjects();

const VISITS = '/api/crm/custom/visit/records';
const NOTES = '/api/crm/custom/note/records';
const PROFILES = '/api/crm/custom/profile/records';
const BADGES = '/api/crm/custom/badge/records';
const FILES = '/api/crm/custom/file/records';
const LEADS = '/api/crm/leads';
const TASKS = '/api/crm/tasks';
const DEALS = '/api/crm/opportunities';
const COMPANIES = '/api/crm/companies';

const OBJECTS: DeclaredObject[] = [
  { apiName: 'visit', fields: [text('title', { is_unique: true }), reference('lead', 'lead')] },
  {
    apiName: 'note',
    fields: [text('text'), reference('visit', 'custom:visit', { required: true, onDelete: 'cascade' })],
  },
  { apiName: 'profile', fields: [reference('lead', 'lead', { is_unique: true })] },
  {
    apiName: 'file',
    fields: [
      text('name'),
      reference('lead', 'lead'),
      reference('suspect', 'lead', { readRoles: ['admin'], writeRoles: ['admin'] }),
    ],
  },
  { apiName: 'badge', fields: [text('name'), text('secret', { is_unique: true, readRoles: ['admin'] })] },
];

let tenant: Tenant;
beforeEach(async () => {
  tenant = await app.tenant('enterprise', OBJECTS);
});

const write = (method: string, path: string, body?: unknown, token = tenant.admin) => call(method, path, token, body);
const create = (path: string, body: object) => app.create(path, tenant.admin, body);
const remove = (path: string, { id }: Json) => write('DELETE', `${path}/${id}`);
const restore = (path: string, { id }: Json, token = tenant.admin) =>
  write('POST', `${path}/${id}/restore`, undefined, token);
const read = async (path: string, { id }: Json) => (await write('GET', `${path}/${id}`)).body;
const bin = async (path: string, query = '') => (await write('GET', `${path}?deleted=only${query}`)).body;

describe('a deleted record', () => {
  it('comes back as it was, in lists and searches too, and is announced as restored', async () => {
    const deal = await create(DEALS, { name: 'Seats', amount: 12.5, status: 'won' });
    await remove(DEALS, deal);
    expect((await write('GET', `${DEALS}?q=seats`)).body).toMatchObject({ total: 0 });

    const restored = await restore(DEALS, deal);
    expect(restored).toMatchObject({ status: 200, body: { id: deal.id, name: 'Seats', amount: 12.5, version: 3 } });
    expect(restored.headers.get('etag')).toMatch(/^"3\./);
    for (const query of ['q=seats', 'filterField=name&filterValue=Seats']) {
      expect((await write('GET', `${DEALS}?${query}`)).body).toMatchObject({ total: 1, data: [{ id: deal.id }] });
    }
    const events = (await app.events(tenant.id)).map(({ name, version }) => `${name} ${version}`);
    expect(events).toEqual(['deal.created 1', 'deal.won 1', 'deal.deleted 2', 'deal.restored 3']);
    expect(await restore(DEALS, deal)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it('brings back the references that its deletion cleared, where they are still empty', async () => {
    const [lead, other] = [await create(LEADS, { lastName: 'Ada' }), await create(LEADS, { lastName: 'Other' })];
    const [task, changed] = await Promise.all(['a', 'b'].map((title) => create(TASKS, { title, relatedTo: lead.id })));
    const visit = await create(VISITS, { title: 'V', lead: lead.id });
    await remove(LEADS, lead);
    await write('PATCH', `${TASKS}/${changed?.id}`, { relatedTo: other.id });

    expect(await restore(LEADS, lead)).toMatchObject({ status: 200 });
    expect(await read(TASKS, task as Json)).toMatchObject({ relatedTo: lead.id, version: 3 });
    expect(await read(VISITS, visit)).toMatchObject({ lead: lead.id });
    expect(await read(TASKS, changed as Json)).toMatchObject({ relatedTo: other.id });
    // They are references like any other: the next deletion clears them again.
    await remove(LEADS, lead);
    expect(await read(TASKS, task as Json)).toMatchObject({ relatedTo: null });
  });

  it('brings back a unique reference that its deletion cleared', async () => {
    const lead = await create(LEADS, { lastName: 'Ada' });
    const profile = await create(PROFILES, { lead: lead.id });
    await remove(LEADS, lead);
    expect(await read(PROFILES, profile)).toMatchObject({ lead: null });
    expect(await restore(LEADS, lead)).toMatchObject({ status: 200 });
    expect(await read(PROFILES, profile)).toMatchObject({ lead: lead.id });
    expect(await write('POST', PROFILES, { lead: lead.id })).toMatchObject({ status: 409 });
  });

  it('brings back what was deleted along with it, and not what had been deleted before', async () => {
    const visit = await create(VISITS, { title: 'V' });
    const before = await create(NOTES, { text: 'before', visit: visit.id });
    const along = await create(NOTES, { text: 'along', visit: visit.id });
    await remove(NOTES, before);
    await remove(VISITS, visit);
    expect(await restore(NOTES, along)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });

    expect(await restore(VISITS, visit)).toMatchObject({ status: 200 });
    expect(await read(NOTES, along)).toMatchObject({ text: 'along', visit: visit.id, version: 3 });
    expect((await bin(NOTES)).data.map(({ id }) => id)).toEqual([before.id]);
    expect(await restore(NOTES, before)).toMatchObject({ status: 200 });
  });

  it('stays in the bin when another record has its unique value meanwhile', async () => {
    const visit = await create(VISITS, { title: 'Taken' });
    await remove(VISITS, visit);
    const taker = await create(VISITS, { title: 'Taken' });
    expect(await restore(VISITS, visit)).toMatchObject({ status: 409, body: { code: 'UNIQUE_VIOLATION' } });
    expect((await bin(VISITS)).data).toMatchObject([{ id: visit.id }]);

    await write('PATCH', `${VISITS}/${taker.id}`, { title: 'Free' });
    expect(await restore(VISITS, visit)).toMatchObject({ status: 200, body: { title: 'Taken' } });
    expect(await write('POST', VISITS, { title: 'Taken' })).toMatchObject({ status: 409 });
  });

  it('loses a reference to what is gone, and has it again when that comes back', async () => {
    const company = await create(COMPANIES, { name: 'Engines' });
    const deal = await create(DEALS, { name: 'Seats', companyId: company.id });
    await remove(DEALS, deal);
    await remove(COMPANIES, company);
    expect(await restore(DEALS, deal)).toMatchObject({ status: 200, body: { companyId: null } });
    expect(await restore(COMPANIES, company)).toMatchObject({ status: 200 });
    expect(await read(DEALS, deal)).toMatchObject({ companyId: company.id });
  });

  describe('to which a record refers by a field that not all its readers see', () => {
    const historyOf = async ({ id }: Json, token = tenant.admin) =>
      (await call('GET', `${FILES}/${id}/history`, token)).body.data.map(({ version, changes }) => [version, changes]);
    const seen = async ({ id }: Json, token: string) => {
      const { body, headers } = await call('GET', `${FILES}/${id}`, token);
      const counted = await call('GET', `${FILES}?filterField=name&filterValue=F&count=exact`, token);
      const history = await call('GET', `${FILES}/${id}/history`, token);
      const events = (await app.events(tenant.id)).filter(({ subject }) => subject === id);
      return { etag: headers.get('etag'), body, total: counted.body.total, history: history.body.data, events };
    };
    const purge = async () => {
      for (const [table, column] of Object.entries({ custom_record: 'deleted_at', cleared_reference: 'cleared_at' })) {
        const past = `UPDATE ${table} SET ${column} = ${column} - interval '31 days' WHERE tenant_id = $1 AND ${column} IS NOT NULL`;
        await app.admin.query(past, [tenant.id]);
      }
      await app.service.get(DeletedRecordSweeper).sweep();
    };
    const suspects = async (op: string, value?: string) =>
      (await write('GET', `${FILES}?filterField=suspect&filterOp=${op}${value ? `&filterValue=${value}` : ''}`)).body
        .total;

    it('tells nobody else that it was deleted, restored, merged and purged, and those who see it at once', async () => {
      const lead = await create(LEADS, { lastName: 'Moriarty' });
      const other = await create(LEADS, { lastName: 'Moran' });
      const file = await create(FILES, { name: 'F', suspect: lead.id });
      const byMember = await seen(file, tenant.member);
      const etags = [(await seen(file, tenant.admin)).etag];
      const expectUnseen = async (what: string, suspect: string | null) => {
        expect([what, await seen(file, tenant.member)]).toEqual([what, byMember]);
        const { body, etag } = await seen(file, tenant.admin);
        expect([what, body.suspect, body.version]).toEqual([what, suspect, 1]);
        expect([what, await suspects('empty')]).toEqual([what, suspect === null ? 1 : 0]);
        if (suspect) expect([what, await suspects('eq', suspect)]).toEqual([what, 1]);
        etags.push(etag);
      };

      await write('DELETE', `${LEADS}/${lead.id}`, undefined, tenant.member);
      await expectUnseen('deleted', null);
      expect(await historyOf(file)).toEqual([[1, {}]]);
      expect(await restore(LEADS, lead, tenant.member)).toMatchObject({ status: 200 });
      await expectUnseen('restored', lead.id);
      await call('POST', `${LEADS}/${other.id}/merge`, tenant.member, { loserId: lead.id });
      await expectUnseen('merged', other.id);
      const merged = [1, { suspect: { from: lead.id, to: other.id } }];
      expect(await historyOf(file)).toEqual([merged, [1, {}]]);
      await remove(LEADS, other);
      await purge();
      await expectUnseen('purged', null);
      const told = await historyOf(file);
      expect(told).toHaveLength(3);
      expect(told).toEqual(expect.arrayContaining([merged, [1, { suspect: { from: other.id, to: null } }]]));
      // The tag is another whenever the answer is another, like with TODAY.
      const [first, deleted, restored, afterMerge, purged] = etags;
      expect([restored, purged]).toEqual([first, deleted]);
      expect(new Set([first, deleted, afterMerge]).size).toBe(3);
      const changed = await call(
        'PATCH',
        `${FILES}/${file.id}`,
        tenant.admin,
        { name: 'G' },
        { 'if-match': String(first) },
      );
      expect(changed).toMatchObject({ status: 200, body: { version: 2 } });
    });

    it('refers to it again although its record was deleted and restored meanwhile', async () => {
      const lead = await create(LEADS, { lastName: 'Moriarty' });
      const file = await create(FILES, { name: 'F', suspect: lead.id });
      await remove(FILES, file);
      await remove(LEADS, lead);
      expect(await restore(FILES, file)).toMatchObject({ status: 200, body: { suspect: null, version: 3 } });
      expect(await historyOf(file)).toEqual([[1, {}]]);
      await restore(LEADS, lead);
      expect(await read(FILES, file)).toMatchObject({ suspect: lead.id, version: 3 });
      // A reference like any other.
      await write('PATCH', `${FILES}/${file.id}`, { suspect: null });
      await remove(LEADS, lead);
      expect(await restore(LEADS, lead)).toMatchObject({ status: 200 });
      expect(await read(FILES, file)).toMatchObject({ suspect: null, version: 4 });
    });

    it('tells by pages of any size what it lost when it came back and what all see at the same moment', async () => {
      const [lead, suspect] = [
        await create(LEADS, { lastName: 'Moran' }),
        await create(LEADS, { lastName: 'Moriarty' }),
      ];
      const file = await create(FILES, { name: 'F', lead: lead.id, suspect: suspect.id });
      for (const [path, one] of [
        [FILES, file],
        [LEADS, lead],
        [LEADS, suspect],
      ] as const) {
        await remove(path, one);
      }
      expect((await restore(FILES, file)).status).toBe(200);
      // What erasing does.
      const tell = (tx: TenantTransaction) => app.service.get(BinRepository).tellCleared(tx, [suspect.id]);
      await app.service.get(Database).transaction(tenant.id, tell);
      const all = await historyOf(file);
      expect(all).toEqual([
        [3, { suspect: { from: suspect.id, to: null } }],
        [3, { lead: { from: lead.id, to: null } }],
        [1, {}],
      ]);
      for (const what of ['history', 'timeline']) {
        const pages = await app.pages(`${FILES}/${file.id}/${what}?size=1`, tenant.admin);
        expect(pages.map(({ version = 1, changes = {} }) => [version, changes])).toEqual(all);
      }
    });

    it('is not counted among those that a deletion can change', async () => {
      const lead = await create(LEADS, { lastName: 'Moriarty' });
      const file = await create(FILES, { name: 'F', suspect: lead.id });
      await app.admin.query(
        `WITH copied AS (
           INSERT INTO custom_record (tenant_id, object_id, id, version, created_at, updated_at, data)
           SELECT tenant_id, object_id, overlay(id::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, 1, now(), now(), data
             FROM custom_record, generate_series(1, 1001) AS n WHERE tenant_id = $1 AND id = $2 RETURNING tenant_id, object_id, id)
         INSERT INTO record_reference (tenant_id, target_id, object_id, record_id, field_key)
         SELECT c.tenant_id, r.target_id, c.object_id, c.id, r.field_key
           FROM copied c JOIN record_reference r ON r.tenant_id = c.tenant_id AND r.record_id = $2`,
        [tenant.id, file.id],
      );
      expect(await write('DELETE', `${LEADS}/${lead.id}`, undefined, tenant.member)).toMatchObject({ status: 204 });
      expect(await suspects('empty')).toBe(1002);
      expect(await restore(LEADS, lead, tenant.member)).toMatchObject({ status: 200 });
      expect(await suspects('eq', lead.id)).toBe(1002);
    });
  });

  it('is brought back once by two calls at the same time', async () => {
    const visit = await create(VISITS, { title: 'V' });
    await remove(VISITS, visit);
    const answers = await Promise.all([restore(VISITS, visit), restore(VISITS, visit)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await app.events(tenant.id)).filter(({ name }) => name === 'record.restored')).toHaveLength(1);
  });

  it('is gone with what its deletion cleared after thirty days', async () => {
    const lead = await create(LEADS, { lastName: 'Ada' });
    await create(TASKS, { title: 'a', relatedTo: lead.id });
    await remove(LEADS, lead);
    const cleared = 'SELECT count(*)::int AS rows FROM cleared_reference WHERE tenant_id = $1';
    expect((await app.admin.query(cleared, [tenant.id])).rows).toEqual([{ rows: 1 }]);
    for (const [table, column] of Object.entries({ custom_record: 'deleted_at', cleared_reference: 'cleared_at' })) {
      const past = `UPDATE ${table} SET ${column} = now() - interval '31 days' WHERE tenant_id = $1 AND ${column} IS NOT NULL`;
      await app.admin.query(past, [tenant.id]);
    }
    await app.service.get(DeletedRecordSweeper).sweep();
    expect((await app.admin.query(cleared, [tenant.id])).rows).toEqual([{ rows: 0 }]);
    expect(await restore(LEADS, lead)).toMatchObject({ status: 404 });
  });
});

describe('the bin', () => {
  it('lists what was deleted, the last first, page by page, and says by whom', async () => {
    const leads: Json[] = [];
    for (const lastName of ['a', 'b', 'c']) leads.push(await create(LEADS, { lastName }));
    for (const lead of leads) await remove(LEADS, lead);
    const first = await bin(LEADS, '&size=2');
    expect(first.data.map(({ lastName }) => lastName)).toEqual(['c', 'b']);
    const deleted = { at: expect.stringMatching(/^\d{4}-.*Z$/), by: expect.stringMatching(/^[0-9a-f-]{36}$/) };
    expect(first).toMatchObject({ total: null, hasMore: true, data: [{ version: 2, deleted }, {}] });
    const second = await bin(LEADS, `&size=2&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ hasMore: false, data: [{ lastName: 'a' }] });
  });

  it.each(['q=a', 'sort=lastName', 'filterField=lastName', 'fields=lastName', 'expand=ownerId'])(
    'is not listed with %s',
    async (query) => {
      const refused = await write('GET', `${LEADS}?deleted=only&${query}`);
      expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_QUERY' } });
    },
  );

  it('shows and gives back only what the caller could read, write and see in conflict', async () => {
    const badge = await create(BADGES, { name: 'b', secret: 's' });
    await remove(BADGES, badge);
    const { data } = (await tenant.call('GET', `${BADGES}?deleted=only`)).body;
    expect(data).toMatchObject([{ name: 'b' }]);
    expect(data[0]).not.toHaveProperty('secret');
    expect(await restore(BADGES, badge, tenant.viewer)).toMatchObject({ status: 403 });
    // That the value is taken would tell that another record has it.
    const denied = { status: 403, body: { code: 'FIELD_ACCESS_DENIED' } };
    expect(await restore(BADGES, badge, tenant.member)).toMatchObject(denied);
    const foreign = await app.tenant('enterprise', OBJECTS);
    expect(await restore(BADGES, badge, foreign.admin)).toMatchObject({ status: 404 });
    expect(await restore(BADGES, badge)).toMatchObject({ status: 200 });
  });
});
