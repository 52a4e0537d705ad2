import { randomUUID } from 'node:crypto';
import { Database, type TenantTransaction, type TransactionOrigin } from '@crm/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import type { DeclaredObject } from '../src/object/object-definition.js';
import {
  type CustomObjectsService,
  type Json,
  RECORDS,
  startCustomObjects,
  type Tenant,
} from './custom-objects-service.js';

const NOTES = Array.from({ length: 10 }, (_, index) => `note_${index}`);
/** An object whose records can be long. */
const DIARY: DeclaredObject = {
  apiName: 'diary',
  label: 'Diary',
  pluralLabel: 'Diaries',
  nameField: 'title',
  fields: [
    { apiName: 'title', label: 'Title', type: 'text', required: true },
    ...NOTES.map((apiName) => ({ apiName, label: apiName, type: 'textarea' as const })),
  ],
};
const DIARIES = '/api/crm/custom/diary/records';

/** More than are written in one batch. */
const MANY = 100;

describe('records that many read and write at the same time', () => {
  let app: CustomObjectsService;
  let admin: pg.Client;
  let tenant: Tenant;
  beforeAll(async () => {
    app = await startCustomObjects();
    admin = new pg.Client({ connectionString: app.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin?.end();
    await app?.close();
  });
  beforeEach(async () => {
    tenant = await app.tenant();
  });

  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    app.call(method, path, tenant.admin, body, headers);
  const create = async (title: string) => (await call('POST', RECORDS, { title })).body;
  const change = (id: string, body: object, headers?: Record<string, string>) =>
    call('PATCH', `${RECORDS}/${id}`, body, headers);
  const stored = async () => {
    const { rows } = await admin.query<{ id: string; title: string; version: number }>(
      `SELECT id, data ->> '1' AS title, version FROM custom_record WHERE tenant_id = $1 ORDER BY id`,
      [tenant.id],
    );
    return rows;
  };
  const events = () => app.events(tenant.id);
  const titles = Array.from({ length: MANY }, (_, index) => `Visit ${String(index).padStart(3, '0')}`);

  it('are all created, each with its event, the trace of its own request and its search text', async () => {
    const traceOf = (index: number) => index.toString(16).padStart(32, 'a');
    const answers = await Promise.all(
      titles.map((title, index) =>
        call('POST', RECORDS, { title }, { traceparent: `00-${traceOf(index)}-00f067aa0ba902b7-01` }),
      ),
    );
    expect(answers.map(({ status, body }) => [status, body.title, body.version])).toEqual(
      titles.map((title) => [201, title, 1]),
    );
    expect((await stored()).map(({ title }) => title).sort()).toEqual(titles);
    const published = await events();
    expect(published).toHaveLength(MANY);
    for (const [index, { body }] of answers.entries()) {
      const event = published.find(({ subject }) => subject === body.id);
      expect(event?.data).toMatchObject({ record: { title: titles[index] } });
      expect(event?.traceparent.split('-')[1]).toBe(traceOf(index));
    }
    const found = await call('GET', `${RECORDS}?q=visit%20042`);
    expect(found.body).toMatchObject({ total: 1, data: [{ title: 'Visit 042' }] });
  });

  it('are all changed: no change of the same record is lost', async () => {
    const { id } = await create('Shared');
    const others = await Promise.all(titles.slice(0, 20).map(create));
    const answers = await Promise.all([
      ...titles.map((_, index) => change(id, { hours: index + 1 })),
      ...others.map((other) => change(other.id, { hours: 1 })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const versions = answers.slice(0, MANY).map(({ body }) => body.version);
    expect([...versions].sort((one, two) => one - two)).toEqual(titles.map((_, index) => index + 2));
    const ofShared = (await events()).filter(({ subject }) => subject === id).map((event) => event.version);
    expect(ofShared).toEqual(Array.from({ length: MANY + 1 }, (_, index) => index + 1));
    expect((await stored()).find((record) => record.id === id)?.version).toBe(MANY + 1);
  });

  it('have an answer each: a wrong version, a missing record and a conflict hurt nobody else', async () => {
    const records = await Promise.all(titles.slice(0, 12).map(create));
    const [first, second] = records as [Json, Json];
    await change(first.id, { code: 'taken' });
    const answers = await Promise.all([
      change(randomUUID(), { hours: 1 }),
      change(first.id, { hours: 1 }, { 'if-match': '"1"' }),
      change(second.id, { code: 'taken' }),
      ...records.slice(2).map((record) => change(record.id, { hours: 2 }, { 'if-match': '"1"' })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 412, 409, ...records.slice(2).map(() => 200)]);
    // Of several that expect the same version, one is the first.
    const third = (records[2] as Json).id;
    const rivals = await Promise.all(
      titles.map((_, hours) => change(third, { hours: hours + 10 }, { 'if-match': '"2"' })),
    );
    expect(rivals.map(({ status }) => status).sort()).toEqual([200, ...titles.slice(1).map(() => 412)]);
  });

  it('do not wait for a record that somebody else holds', async () => {
    const [held, ...free] = (await Promise.all(titles.slice(0, 10).map(create))) as [Json, ...Json[]];
    await admin.query('BEGIN');
    await admin.query('SELECT 1 FROM custom_record WHERE id = $1 FOR UPDATE', [held.id]);
    const waiting = change(held.id, { hours: 1 });
    const answers = await Promise.all(free.map(({ id }) => change(id, { hours: 1 })));
    expect(answers.map(({ status }) => status)).toEqual(free.map(() => 200));
    await admin.query('COMMIT');
    expect((await waiting).body).toMatchObject({ version: 2, hours: 1 });
  });

  it('are written although the database refuses one of them', async () => {
    await admin.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.data ->> '1' = 'Refused' THEN RAISE EXCEPTION 'refused'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON custom_record FOR EACH ROW EXECUTE FUNCTION refuse()`);
    try {
      const created = await Promise.all(
        [...titles.slice(0, 9), 'Refused'].map((title) => call('POST', RECORDS, { title })),
      );
      expect(created.map(({ status }) => status)).toEqual([...titles.slice(0, 9).map(() => 201), 500]);
      expect((await stored()).map(({ title }) => title).sort()).toEqual(titles.slice(0, 9));
      expect(await events()).toHaveLength(9);
      const changed = await Promise.all(
        created.slice(0, 9).map(({ body }, index) => change(body.id, { title: index === 4 ? 'Refused' : 'Changed' })),
      );
      expect(changed.map(({ status }) => status)).toEqual(changed.map((_, index) => (index === 4 ? 500 : 200)));
      expect((await events()).slice(9)).toHaveLength(8);
    } finally {
      await admin.query('DROP TRIGGER refuse ON custom_record; DROP FUNCTION refuse()');
    }
  });

  it('are refused by the definition in force only', async () => {
    tenant = await app.tenant('business', [DIARY]);
    const post = (body: object) => call('POST', DIARIES, body);
    const long = { title: 'Long', ...Object.fromEntries(NOTES.map((name) => [name, 'x'.repeat(92_000)])) };
    expect([(await post({ title: 'Short' })).status, (await post(long)).status]).toEqual([201, 413]);
    // What only administrators may read is in no event.
    await app.redefine(tenant.id, `definition || '{"readRoles": ["admin"]}' WHERE api_name LIKE 'note%'`);
    expect((await post(long)).status).toBe(201);
  });

  it('are written in several batches when they are long', async () => {
    tenant = await app.tenant('business', [DIARY]);
    // More than a batch takes.
    const long = (index: number) => ({
      title: titles[index],
      note_0: `${index} ${'"<a href=\\"x\\">"'.repeat(2_000)}`,
    });
    const answers = await Promise.all(titles.map((_, index) => call('POST', DIARIES, long(index))));
    expect(answers.map(({ status }) => status)).toEqual(titles.map(() => 201));
    const changed = await Promise.all(
      answers.map(({ body }) => call('PATCH', `${DIARIES}/${body.id}`, { title: `${body.title} again` })),
    );
    for (const [index, { body }] of changed.entries()) {
      expect(body.version).toBe(2);
      expect(body.note_0 === long(index).note_0 && body.title === `${titles[index]} again`).toBe(true);
    }
    expect(await events()).toHaveLength(2 * MANY);
  });

  it('are read as each reader may see them, and only those that there are', async () => {
    const [first, second, deleted] = (await Promise.all(titles.slice(0, 3).map(create))) as [Json, Json, Json];
    await change(first.id, { rate: 50, hours: 2 });
    await app.service.request('DELETE', `${RECORDS}/${deleted.id}`, { token: tenant.admin });
    const other = await app.tenant();
    const read = (id: string, token: string) => app.service.request<Json>('GET', `${RECORDS}/${id}`, { token });
    const wanted = Array.from({ length: 20 }, () => [
      read(first.id, tenant.admin),
      read(first.id, tenant.member),
      read(second.id, tenant.member),
      read(deleted.id, tenant.admin),
      read(randomUUID(), tenant.admin),
      read(first.id, other.admin),
    ]);
    for (const round of wanted) {
      const [all, some, another, ...none] = await Promise.all(round);
      expect([all?.body.rate, all?.body.total, all?.body.hours]).toEqual([50, 100, 2]);
      expect([some?.body.title, some?.body.hours]).toEqual([titles[0], 2]);
      expect(some?.body).not.toHaveProperty('rate');
      expect(another?.body.id).toBe(second.id);
      expect(none.map(({ status }) => status)).toEqual([404, 404, 404]);
    }
  });

  it('are not written twice when nobody hears that they have been committed', async () => {
    await create('Before');
    const database = app.service.get(Database);
    const transaction = database.transaction.bind(database);
    const spy = jest
      .spyOn(database, 'transaction')
      .mockImplementation(
        async <T>(origin: string | TransactionOrigin, work: (tx: TenantTransaction) => Promise<T>) => {
          await transaction(origin, work);
          throw Object.assign(new Error('read EPROTO'), { code: 'EPROTO' });
        },
      );
    try {
      const answers = await Promise.all(titles.map((title) => call('POST', RECORDS, { title })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([500]));
    } finally {
      spy.mockRestore();
    }
    expect((await stored()).map(({ title }) => title).sort()).toEqual(['Before', ...titles]);
  });

  it('follow a definition that changes meanwhile', async () => {
    await Promise.all(titles.slice(0, 5).map(create));
    await app.redefine(tenant.id, `definition || '{"writeRoles": ["nobody"]}' WHERE api_name = 'hours'`);
    const answers = await Promise.all(
      titles.slice(0, 20).map((title, index) => call('POST', RECORDS, { title, ...(index % 2 === 0 && { hours: 1 }) })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, index) => (index % 2 === 0 ? 403 : 201)));
    expect(await stored()).toHaveLength(15);
  });
});
