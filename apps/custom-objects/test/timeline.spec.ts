import { randomUUID } from 'node:crypto';
import { SCOPE_NAMES } from '@crm/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { DeletedRecordSweeper } from '../src/writing/deleted-record.sweeper.js';
import { app, call, RECORDS, type Tenant, useCustomObjects } from './custom-objects-service.js';

useCustomObjects();

let tenant: Tenant;
let ann: string;
let annId: string;
beforeEach(async () => {
  tenant = await app.tenant();
  annId = randomUUID();
  ann = await app.userToken(tenant.id, annId);
});

const visit = (body: object = {}, token = ann) => app.create(RECORDS, token, { title: 'Visit', ...body });
const change = async (id: string, body: object, token = ann) => {
  const answer = await call('PATCH', `${RECORDS}/${id}`, token, body);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};
const read = async (path: string, token: string) => {
  const answer = await call('GET', path, token);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};
const history = async (id: string, token = ann, path = RECORDS) => (await read(`${path}/${id}/history`, token)).data;
const timeline = async (id: string, token = ann, query = '', path = RECORDS) =>
  (await read(`${path}/${id}/timeline${query}`, token)).data;

const was = (from: unknown, to: unknown) => ({ from, to });

describe('the history of a record', () => {
  it('has who changed which field from what to what, the newest first, and begins with the creation', async () => {
    const { id, createdAt } = await visit({ hours: 1 });
    const second = await change(id, { hours: 2, tags: ['a'] });
    const third = await change(id, { title: 'Other', hours: null }, tenant.admin);
    // A version without a change of a value.
    await change(id, { title: 'Other', hours: 0 });
    expect(await history(id)).toMatchObject([
      { version: 4, changes: { hours: { from: null, to: 0 } }, actor: 'user' },
      { version: 3, at: third.updatedAt, changes: { title: was('Visit', 'Other'), hours: was(2, null) } },
      { version: 2, at: second.updatedAt, by: annId, changes: { hours: was(1, 2), tags: was(null, ['a']) } },
      { version: 1, at: createdAt, by: annId, changes: {} },
    ]);
  });

  it('has every change of a batch and each that had to wait, in pages of any size', async () => {
    const { id } = await visit({ code: 'one' });
    const numbers = Array.from({ length: 12 }, (_, index) => index);
    // Unique values and references are written alone, the others together.
    await Promise.all(numbers.map((hours) => change(id, hours % 4 === 0 ? { code: `code ${hours}` } : { hours })));
    const all = await history(id);
    expect(all).toHaveLength(13);
    const values: Record<string, unknown> = { code: 'one', hours: null };
    type Change = { changes: Record<string, { from: unknown; to: unknown }> };
    for (const { changes } of [...all].reverse() as unknown as Change[]) {
      for (const [field, { from, to }] of Object.entries(changes)) {
        expect(from).toEqual(values[field]);
        values[field] = to;
      }
    }
    expect(await read(`${RECORDS}/${id}`, ann)).toMatchObject(values);
    expect(await app.pages(`${RECORDS}/${id}/history?size=5`, ann)).toEqual(all);
  });

  it('has in pages of any size what changed besides its versions, in the order of time', async () => {
    const { id } = await visit({ hours: 1 });
    for (const hours of [2, 3, 4]) await change(id, { hours });
    // At the moments of versions and between them, as concurrent deletions write them: of the version that they saw.
    await app.admin.query(
      `INSERT INTO record_history (tenant_id, object_id, record_id, version, besides_at, at, by, actor, data)
       SELECT h.tenant_id, h.object_id, h.record_id, h.version + s.step, h.at + s.later, h.at + s.later, h.by, h.actor, h.data
         FROM record_history h, (VALUES (0, interval '0'), (-1, interval '0'), (-1, interval '1 ms'), (0, interval '-1 ms')) AS s(step, later)
        WHERE h.tenant_id = $1 AND h.record_id = $2 AND h.version > 1
           ON CONFLICT DO NOTHING`,
      [tenant.id, id],
    );
    const all = await history(id);
    expect(all.length).toBeGreaterThan(10);
    expect(all.map(({ at }) => at)).toEqual([...all.map(({ at }) => String(at))].sort().reverse());
    for (const size of [1, 2, 3]) expect(await app.pages(`${RECORDS}/${id}/history?size=${size}`, ann)).toEqual(all);
  });

  it('says what a deletion has cleared and what comes back, and is gone with the record until then', async () => {
    const parent = await visit();
    const child = await visit({ parent: parent.id });
    expect((await call('DELETE', `${RECORDS}/${parent.id}`, ann)).status).toBe(204);
    expect(await history(child.id)).toMatchObject([
      { version: 2, by: annId, changes: { parent: { from: parent.id, to: null } } },
      { version: 1 },
    ]);
    for (const what of ['history', 'timeline', 'notes']) {
      expect(await call('GET', `${RECORDS}/${parent.id}/${what}`, ann)).toMatchObject({ status: 404 });
    }
    expect((await call('POST', `${RECORDS}/${parent.id}/restore`, ann)).status).toBe(200);
    expect(await history(child.id)).toMatchObject([{ changes: { parent: { from: null, to: parent.id } } }, {}, {}]);
    expect(await history(parent.id)).toMatchObject([{ version: 1 }]);
  });

  it('names the app that made a change', async () => {
    const { id } = await visit();
    await change(id, { hours: 1 }, await app.appToken(tenant.id, 'acme-visits', ['custom_objects']));
    expect(await history(id)).toMatchObject([{ actor: 'app', app: 'acme-visits' }, { by: annId }]);
  });
});

describe('what a caller cannot read', () => {
  /** Two histories of the same versions that differ in hidden fields alone: in values, and in whether they were changed. */
  const pair = async (): Promise<[string, string]> => {
    const one = await visit({ rate: 1, remark: 'secret' }, tenant.admin);
    const other = await visit({}, tenant.admin);
    const changes: [object, object][] = [
      [{ hours: 1, rate: 5 }, { hours: 1 }],
      [{ rate: 6 }, { remark: 'else' }],
      [{ remark: null }, { rate: 7, remark: 'x' }],
      [{ hours: 2 }, { hours: 2, remark: 'y' }],
    ];
    for (const [left, right] of changes) {
      await change(one.id, left, tenant.admin);
      await change(other.id, right, tenant.admin);
    }
    return [one.id, other.id];
  };

  it('changes nothing in what history and timeline answer, nor in their pages', async () => {
    const ids = await pair();
    for (const query of ['history?size=1', 'history?size=2', 'timeline?size=1', 'timeline?size=50&kind=change']) {
      const [left, right] = await Promise.all(
        ids.map(async (id) => {
          const all = await app.pages(`${RECORDS}/${id}/${query}`, ann);
          return all.map(({ at: _at, by: _by, ...entry }) => entry);
        }),
      );
      expect(left).toEqual(right);
      expect(JSON.stringify(left)).not.toMatch(/rate|remark|secret/);
    }
    expect(await history(ids[0])).toMatchObject([
      { version: 5 },
      { version: 2, changes: { hours: { from: null, to: 1 } } },
      {},
    ]);
    expect(await history(ids[0], tenant.admin)).toHaveLength(5);
  });
});

describe('notes', () => {
  const note = async (id: string, body: object = { text: 'Called' }, token = ann) => {
    const answer = await call('POST', `${RECORDS}/${id}/notes`, token, body);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  };

  it('are listed by when it happened, changed by version, and created once for a key', async () => {
    const { id } = await visit();
    const first = await note(id, { kind: 'call', text: '**Hello**', at: '2026-03-02T10:00:00+01:00' });
    expect(first).toEqual({
      ...{ id: expect.any(String), kind: 'call', text: '**Hello**', at: '2026-03-02T09:00:00.000Z' },
      ...{ authorId: annId, changedBy: null, changedAt: null, version: 1, writable: true },
    });
    const key = { 'idempotency-key': 'once' };
    const body = { text: 'Met', kind: 'meeting', at: '2026-03-01T10:00:00Z' };
    const [second, again] = [
      await call('POST', `${RECORDS}/${id}/notes`, ann, body, key),
      await call('POST', `${RECORDS}/${id}/notes`, ann, body, key),
    ];
    expect(again.body).toEqual(second.body);
    expect(await app.pages(`${RECORDS}/${id}/notes?size=1`, ann)).toEqual([first, second.body]);
    const path = `/api/crm/notes/${first.id}`;
    const changed = await call('PATCH', path, ann, { text: 'Bye' }, { 'if-match': '"1"' });
    const byAnn = { changedBy: annId, changedAt: expect.any(String) };
    expect(changed.body).toEqual({ ...first, ...byAnn, text: 'Bye', version: 2 });
    expect(await call('PATCH', path, ann, { text: 'x' }, { 'if-match': '"1"' })).toMatchObject({ status: 412 });
    expect(await call('DELETE', path, ann)).toMatchObject({ status: 204 });
    expect((await read(`${RECORDS}/${id}/notes`, ann)).data).toEqual([second.body]);
    // The record is as it was.
    expect(await read(`${RECORDS}/${id}`, ann)).toMatchObject({ version: 1 });
  });

  it('that an administrator changes say so, beside their author', async () => {
    const { id } = await visit();
    const { id: noteId } = await note(id);
    const boss = randomUUID();
    const bossToken = await app.tokenOf(tenant.id, { sub: boss, roles: ['admin'], scopes: [...SCOPE_NAMES] });
    const before = Date.now();
    const changed = await call('PATCH', `/api/crm/notes/${noteId}`, bossToken, { text: 'Never called' });
    expect(changed.body).toMatchObject({ text: 'Never called', authorId: annId, changedBy: boss });
    expect(Date.parse(String(changed.body.changedAt))).toBeGreaterThanOrEqual(before);
    const shown = { authorId: annId, changedBy: boss, changedAt: changed.body.changedAt };
    expect((await read(`${RECORDS}/${id}/notes`, ann)).data).toMatchObject([shown]);
    expect((await read(`${RECORDS}/${id}/timeline?kind=note`, ann)).data).toMatchObject([{ by: annId, note: shown }]);
  });

  it.each([
    ['say nothing', { text: '' }, '/text'],
    ['are too long', { text: 'x'.repeat(10_001) }, '/text'],
    ['are of another kind', { text: 'x', kind: 'fax' }, '/kind'],
    ['have no time', { text: 'x', at: 'yesterday' }, '/at'],
    ['are of a year that no offset leaves as it is', { text: 'x', at: '0001-01-01T00:00:00+14:00' }, '/at'],
  ])('are refused when they %s', async (_, body, pointer) => {
    const { id } = await visit();
    const answer = await call('POST', `${RECORDS}/${id}/notes`, ann, body);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
  });

  it('have the rights of their record, and belong to their author', async () => {
    const { id } = await visit();
    const { id: noteId } = await note(id);
    const other = await app.userToken(tenant.id, randomUUID());
    const scopes = [...SCOPE_NAMES];
    const callers: [string, string, read: number, add: number, change: number][] = [
      ['another member', other, 200, 201, 403],
      ['a viewer', tenant.viewer, 200, 403, 403],
      ['an administrator', tenant.admin, 200, 201, 200],
      ['a viewer who wrote it', await app.tokenOf(tenant.id, { sub: annId, roles: ['viewer'], scopes }), 200, 403, 403],
      ['the author without the scope', await tenant.sign({ roles: ['member'], scopes: ['leads'] }), 403, 403, 404],
      ['the app of the object', await app.appToken(tenant.id, 'acme-visits', ['custom_objects']), 200, 201, 403],
      ['another app', await app.appToken(tenant.id, 'other', ['custom_objects']), 404, 404, 404],
      ['another workspace', (await app.tenant()).admin, 404, 404, 404],
      ['the author', ann, 200, 201, 200],
    ];
    for (const [who, token, reads, adds, changes] of callers) {
      const outcome = [
        (await call('GET', `${RECORDS}/${id}/notes`, token)).status,
        (await call('GET', `${RECORDS}/${id}/timeline`, token)).status,
        (await call('POST', `${RECORDS}/${id}/notes`, token, { text: who })).status,
        (await call('PATCH', `/api/crm/notes/${noteId}`, token, { kind: 'call' })).status,
      ];
      expect([who, ...outcome]).toEqual([who, reads, reads, adds, changes]);
    }
    expect((await read(`${RECORDS}/${id}/notes`, other)).data.map(({ writable }) => writable)).toContain(true);
  });

  it('of a deleted record are out of reach, come back with it, and go for good with it', async () => {
    const { id } = await visit();
    const { id: noteId } = await note(id);
    await call('DELETE', `${RECORDS}/${id}`, ann);
    expect(await call('PATCH', `/api/crm/notes/${noteId}`, ann, { text: 'x' })).toMatchObject({ status: 404 });
    await call('POST', `${RECORDS}/${id}/restore`, ann);
    expect((await read(`${RECORDS}/${id}/notes`, ann)).data).toMatchObject([{ id: noteId, text: 'Called' }]);

    const kept = await visit();
    await note(kept.id);
    for (const hours of [1, 2]) for (const one of [id, kept.id]) await change(one, { hours });
    await call('DELETE', `${RECORDS}/${id}`, ann);
    await app.admin.query(`UPDATE custom_record SET deleted_at = now() - interval '31 days' WHERE id = $1`, [id]);
    const aYearAgo = `UPDATE record_history SET at = now() - interval '366 days' WHERE record_id = $1 AND version = 2`;
    await app.admin.query(aYearAgo, [kept.id]);
    await app.service.get(DeletedRecordSweeper).sweep();
    const left = async (table: string) =>
      (await app.admin.query(`SELECT record_id FROM ${table} WHERE tenant_id = $1`, [tenant.id])).rows;
    for (const table of ['record_note', 'record_history']) expect(await left(table)).toEqual([{ record_id: kept.id }]);
    expect(await history(kept.id)).toMatchObject([{ version: 3 }, { version: 1 }]);
  });
});

describe('the timeline of a record', () => {
  it('has notes, changes, tasks that relate to it and its creation, the newest first, by kind and in pages', async () => {
    const lead = await app.create('/api/crm/leads', ann, { lastName: 'Lovelace' });
    const path = `/api/crm/leads/${lead.id}`;
    await call('PATCH', path, ann, { status: 'contacted' });
    const task = await app.create('/api/crm/tasks', ann, { title: 'Call', relatedTo: lead.id });
    await app.create('/api/crm/tasks', ann, { title: 'Something else' });
    await call('POST', `${path}/notes`, ann, { text: 'Met', kind: 'meeting', at: '2001-01-01T00:00:00Z' });
    await call('POST', `${path}/notes`, ann, { text: 'Later', at: '2900-01-01T00:00:00Z' });
    const all = await timeline(lead.id, ann, '', '/api/crm/leads');
    const shown = { id: task.id, title: 'Call', status: 'open', dueAt: null };
    expect(all).toMatchObject([
      { kind: 'note', by: annId, note: { text: 'Later' } },
      { kind: 'task', by: annId, at: task.createdAt, task: shown },
      { kind: 'change', by: annId, version: 2, changes: { status: { from: null, to: 'contacted' } } },
      { kind: 'created', by: annId, at: lead.createdAt },
      { kind: 'note', note: { kind: 'meeting' } },
    ]);
    for (const size of [1, 2, 3]) expect(await app.pages(`${path}/timeline?size=${size}`, ann)).toEqual(all);
    expect(await timeline(lead.id, ann, '?kind=note&kind=task', '/api/crm/leads')).toEqual(
      all.filter(({ kind }) => kind === 'note' || kind === 'task'),
    );
    // To which object a record belongs that one of several may have.
    const related = await read(`/api/crm/tasks/${task.id}?expand=relatedTo`, ann);
    expect(related).toEqual({
      ...task,
      expanded: { relatedTo: expect.objectContaining({ object: 'lead', id: lead.id }) },
    });
    const withoutTasks = await app.tokenOf(tenant.id, { sub: annId, roles: ['member'], scopes: ['leads'] });
    expect(await timeline(lead.id, withoutTasks, '', '/api/crm/leads')).toEqual(
      all.filter(({ kind }) => kind !== 'task'),
    );
    expect(await call('GET', `${path}/timeline?cursor=x`, ann)).toMatchObject({ status: 400 });
  });
});
