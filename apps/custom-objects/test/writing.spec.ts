import { randomUUID } from 'node:crypto';
import { Database } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DeclaredObject } from '../src/object/object-definition.js';
import {
  app,
  call,
  type Json,
  RECORDS,
  reference,
  SITE_VISIT,
  type Tenant,
  text,
  useCustomObjects,
} from './custom-objects-service.js';

useCustomObjects();

const VISITS = '/api/crm/custom/visit/records';
const NOTES = '/api/crm/custom/note/records';
const ITEMS = '/api/crm/custom/item/records';
const SITES = '/api/crm/custom/site/records';
const TRIPS = '/api/crm/custom/trip/records';
const LEADS = '/api/crm/leads';
const CONTACTS = '/api/crm/contacts';
const COMPANIES = '/api/crm/companies';
const TASKS = '/api/crm/tasks';
const DIARIES = '/api/crm/custom/diary/records';

const NOTES_OF_A_DAY = Array.from({ length: 10 }, (_, index) => `note_${index}`);

const OBJECTS: DeclaredObject[] = [
  SITE_VISIT,
  // Its records can be long.
  {
    apiName: 'diary',
    fields: [text('title', { required: true }), ...NOTES_OF_A_DAY.map((name) => text(name, { type: 'textarea' }))],
  },
  { apiName: 'site', fields: [text('name')] },
  {
    apiName: 'visit',
    fields: [
      text('title', { is_unique: true }),
      reference('lead', 'lead'),
      reference('second_lead', 'lead'),
      reference('client', 'contact', { onDelete: 'restrict' }),
      reference('partner', 'company', { required: false }),
      reference('site', 'custom:site'),
    ],
  },
  { apiName: 'note', fields: [text('text'), reference('visit', 'custom:visit', { onDelete: 'cascade' })] },
  { apiName: 'item', fields: [text('name'), reference('note', 'custom:note', { required: true })] },
];

let tenant: Tenant;
beforeEach(async () => {
  tenant = await app.tenant('enterprise', OBJECTS);
});

const write = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  call(method, path, tenant.admin, body, headers);
const create = (path: string, body: object) => app.create(path, tenant.admin, body);
const events = () => app.events(tenant.id);
const registered = async (): Promise<number> => {
  const sql = 'SELECT count(*)::int AS count FROM record_reference WHERE tenant_id = $1';
  return (await app.admin.query(sql, [tenant.id])).rows[0].count;
};

const LOCK = 'SELECT 1 FROM custom_record WHERE id = $1 FOR UPDATE';

/** More than are written in one batch. */
const MANY = 100;

describe('records that many read and write at the same time', () => {
  const createVisit = (title: string) => create(RECORDS, { title });
  const change = (id: string, body: object, headers?: Record<string, string>) =>
    write('PATCH', `${RECORDS}/${id}`, body, headers);
  const stored = async () => {
    const { rows } = await app.admin.query<{ id: string; title: string; version: number }>(
      `SELECT id, data ->> '1' AS title, version FROM custom_record WHERE tenant_id = $1 ORDER BY id`,
      [tenant.id],
    );
    return rows;
  };
  const titles = Array.from({ length: MANY }, (_, index) => `Visit ${String(index).padStart(3, '0')}`);

  it('are all created, each with its event, the trace of its own request and its search text', async () => {
    const traceOf = (index: number) => index.toString(16).padStart(32, 'a');
    const answers = await Promise.all(
      titles.map((title, index) =>
        write('POST', RECORDS, { title }, { traceparent: `00-${traceOf(index)}-00f067aa0ba902b7-01` }),
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
    const found = await write('GET', `${RECORDS}?q=visit%20042`);
    expect(found.body).toMatchObject({ total: 1, data: [{ title: 'Visit 042' }] });
  });

  it('are all changed: no change of the same record is lost', async () => {
    const { id } = await createVisit('Shared');
    const others = await Promise.all(titles.slice(0, 20).map(createVisit));
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
    const records = await Promise.all(titles.slice(0, 12).map(createVisit));
    const [first, second] = records as [Json, Json];
    await change(first.id, { code: 'taken' });
    const answers = await Promise.all([
      change(randomUUID(), { hours: 1 }),
      change(first.id, { hours: 1 }, { 'if-match': '"1"' }),
      change(second.id, { code: 'taken' }),
      ...records.slice(2).map((record) => change(record.id, { hours: 2 }, { 'if-match': '"1"' })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 412, 409, ...records.slice(2).map(() => 200)]);
    // One of several that expect the same version is the first.
    const third = (records[2] as Json).id;
    const rivals = await Promise.all(
      titles.map((_, hours) => change(third, { hours: hours + 10 }, { 'if-match': '"2"' })),
    );
    expect(rivals.map(({ status }) => status).sort()).toEqual([200, ...titles.slice(1).map(() => 412)]);
  });

  it('do not wait for a record that someone else holds', async () => {
    const [held, ...free] = (await Promise.all(titles.slice(0, 10).map(createVisit))) as [Json, ...Json[]];
    const [waiting] = await app.whileHeld(LOCK, [held.id], async () => {
      const last = change(held.id, { hours: 1 });
      const answers = await Promise.all(free.map(({ id }) => change(id, { hours: 1 })));
      expect(answers.map(({ status }) => status)).toEqual(free.map(() => 200));
      return [last];
    });
    expect((await waiting).body).toMatchObject({ version: 2, hours: 1 });
  });

  it('hold no connection while they wait for a record, so that other workspaces read and write', async () => {
    const neighbour = await app.tenant('enterprise', OBJECTS);
    const visit = await app.create(RECORDS, neighbour.admin, { title: 'Quiet' });
    const { id } = await createVisit('Hot');
    // biome-ignore lint/complexity/useLiteralKeys: the pool is private; the test counts its connections.
    const pool = app.service.get(Database)['runtimePool'];
    const changes = await app.whileHeld(LOCK, [id], async () => {
      const all = titles.slice(0, 60).map((_, hours) => change(id, { hours }));
      const path = `${RECORDS}/${visit.id}`;
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      while ((await app.admin.query(waiting)).rowCount === 0) await call('GET', path, neighbour.admin);
      const answers = await Promise.all([
        ...titles.map(() => call('GET', path, neighbour.admin)),
        ...titles.map((_, hours) => call('PATCH', path, neighbour.admin, { hours })),
      ]);
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      // Others may be given back a moment after their answer.
      await waitUntil(() => pool.totalCount - pool.idleCount === 1);
      return all;
    });
    const versions = (await Promise.all(changes)).map(({ body }) => body.version);
    expect(versions.sort((one, two) => one - two)).toEqual(versions.map((_, index) => index + 2));
  });

  it('are written although the database refuses one of them', async () => {
    const neighbour = await app.tenant('enterprise', OBJECTS);
    await app.whileRefusing(async () => {
      const other = app.create(RECORDS, neighbour.admin, { title: 'Of another workspace' });
      const created = await Promise.all(
        [...titles.slice(0, 9), 'Refused'].map((title) => write('POST', RECORDS, { title })),
      );
      expect((await other).version).toBe(1);
      expect(created.map(({ status }) => status)).toEqual([...titles.slice(0, 9).map(() => 201), 500]);
      expect((await stored()).map(({ title }) => title).sort()).toEqual(titles.slice(0, 9));
      expect(await events()).toHaveLength(9);
      const changed = await Promise.all(
        created.slice(0, 9).map(({ body }, index) => change(body.id, { title: index === 4 ? 'Refused' : 'Changed' })),
      );
      expect(changed.map(({ status }) => status)).toEqual(changed.map((_, index) => (index === 4 ? 500 : 200)));
      expect((await events()).slice(9)).toHaveLength(8);
    });
  });

  it('are refused by the definition in force only', async () => {
    const post = (body: object) => write('POST', DIARIES, body);
    const long = { title: 'Long', ...Object.fromEntries(NOTES_OF_A_DAY.map((name) => [name, 'x'.repeat(92_000)])) };
    expect([(await post({ title: 'Short' })).status, (await post(long)).status]).toEqual([201, 413]);
    // What only administrators may read is in no event.
    await app.redefine(tenant.id, `definition || '{"readRoles": ["admin"]}' WHERE api_name LIKE 'note_%'`);
    expect((await post(long)).status).toBe(201);
  });

  it('are written in several batches when they are long', async () => {
    // More than a batch takes.
    const text = '"<a href=\\"x\\">"'.repeat(2_000);
    const long = (index: number) => ({ title: titles[index], note_0: `${index} ${text}` });
    const answers = await Promise.all(titles.map((_, index) => write('POST', DIARIES, long(index))));
    expect(answers.map(({ status }) => status)).toEqual(titles.map(() => 201));
    const changed = await Promise.all(
      answers.map(({ body }) => write('PATCH', `${DIARIES}/${body.id}`, { title: `${body.title} again` })),
    );
    for (const [index, { body }] of changed.entries()) {
      expect(body.version).toBe(2);
      expect(body.note_0 === long(index).note_0 && body.title === `${titles[index]} again`).toBe(true);
    }
    expect(await events()).toHaveLength(2 * MANY);
  });

  it('are read as each reader may see them, and only those that there are', async () => {
    const [first, second, deleted] = (await Promise.all(titles.slice(0, 3).map(createVisit))) as [Json, Json, Json];
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
    await createVisit('Before');
    const database = app.service.get(Database);
    const together = database.sharedTransaction.bind(database);
    const spy = jest.spyOn(database, 'sharedTransaction').mockImplementation(async (options, work) => {
      await together(options, work);
      throw Object.assign(new Error('read EPROTO'), { code: 'EPROTO' });
    });
    try {
      const answers = await Promise.all(titles.map((title) => write('POST', RECORDS, { title })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([500]));
    } finally {
      spy.mockRestore();
    }
    expect((await stored()).map(({ title }) => title).sort()).toEqual(['Before', ...titles]);
  });

  it('are created once for each Idempotency-Key', async () => {
    const post = (token: string, key: string) =>
      call('POST', RECORDS, token, { title: key }, { 'idempotency-key': key });
    const neighbour = await app.tenant('enterprise', OBJECTS);
    const tokens = [tenant.admin, neighbour.admin];
    const keys = titles.slice(0, 30).map((title) => title.replace(' ', ''));
    const calls = tokens.flatMap((token) => keys.map((key) => ({ token, key, ids: new Set<string>() })));
    const send = (which: typeof calls) =>
      Promise.all(
        which.map(async ({ token, key, ids }) => {
          const { status, body } = await post(token, key);
          if (status === 201) ids.add(body.id);
          return status === 201 ? 'created' : body.code;
        }),
      );
    const atOnce = await send([...calls, ...calls]);
    expect(atOnce.filter((answer) => answer !== 'created' && answer !== 'IDEMPOTENCY_KEY_IN_USE')).toEqual([]);
    expect(await send(calls)).toEqual(calls.map(() => 'created'));
    expect(calls.map(({ ids }) => ids.size)).toEqual(calls.map(() => 1));
    expect(await stored()).toHaveLength(30);
  });

  it('are found by what they have last, whichever of several changes at once has changed it', async () => {
    const path = async (title: string) => `${DIARIES}/${(await create(DIARIES, { title })).id}`;
    const one = await path('One');
    const other = await path('Other');
    await Promise.all([
      // While the first is under way, the others are gathered.
      write('PATCH', other, { note_0: 'Later' }),
      write('PATCH', one, { title: 'Changed' }),
      write('PATCH', one, { note_0: 'Later' }),
      write('PATCH', other, { note_1: 'Later' }),
    ]);
    for (const [title, found] of Object.entries({ One: 0, Changed: 1, Other: 1 })) {
      const { body } = await write('GET', `${DIARIES}?filterField=title&filterValue=${title}`);
      expect([title, body.data.length]).toEqual([title, found]);
    }
    expect((await write('GET', one)).body).toMatchObject({ title: 'Changed', note_0: 'Later', version: 3 });
  });

  it('share a transaction with those of other workspaces, and neither wait for them nor fail with them', async () => {
    const neighbours = await Promise.all([1, 2, 3].map(() => app.tenant('enterprise', OBJECTS)));
    const spy = jest.spyOn(app.service.get(Database), 'sharedTransaction');
    const all = [tenant, ...neighbours];
    /** In each workspace at once. */
    const inEach = <T>(work: (token: string, index: number) => Promise<T>) =>
      Promise.all(all.map(({ admin }, index) => work(admin, index)));
    try {
      const path = (id?: string) => `${RECORDS}/${id}`;
      const created = await inEach((token, index) => app.create(RECORDS, token, { title: titles[index] }));
      const changed = await inEach((token, index) => call('PATCH', path(created[index]?.id), token, { hours: index }));
      const read = await inEach((token, index) => call('GET', path(created[index]?.id), token));
      const written = all.map((_, index) => [titles[index], index]);
      expect(changed.map(({ body }) => [body.title, body.hours])).toEqual(written);
      expect(read.map(({ body }) => body)).toEqual(changed.map(({ body }) => body));
      const kinds = spy.mock.calls.map(([{ kind }]) => kind);
      expect(new Set(kinds)).toEqual(new Set(['creations', 'changes', 'reads']));
      const foreign = await inEach((token, index) => call('GET', path(created[(index + 1) % all.length]?.id), token));
      expect(foreign.map(({ status }) => status)).toEqual(all.map(() => 404));

      const definitions = `SELECT pg_advisory_xact_lock(hashtextextended('custom_object:' || $1::text, 0))`;
      const waiting = await app.whileHeld(definitions, [tenant.id], async () => {
        const some = [
          write('POST', RECORDS, { title: 'Waits' }),
          write('PATCH', path(created[0]?.id), { title: 'Waits too' }),
        ];
        const others = all.slice(1).map(({ admin }) => app.create(RECORDS, admin, { title: 'Does not wait' }));
        expect((await Promise.all(others)).map(({ version }) => version)).toEqual([1, 1, 1]);
        return some;
      });
      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([201, 200]);
      expect((await stored()).map(({ title }) => title)).toEqual(['Waits too', 'Waits']);
    } finally {
      spy.mockRestore();
    }
  });

  it('follow a definition that changes meanwhile', async () => {
    await Promise.all(titles.slice(0, 5).map(createVisit));
    await app.redefine(tenant.id, `definition || '{"writeRoles": ["nobody"]}' WHERE api_name = 'hours'`);
    const values = titles.slice(0, 20).map((title, index) => ({ title, ...(index % 2 === 0 && { hours: 1 }) }));
    const answers = await Promise.all(values.map((body) => write('POST', RECORDS, body)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, index) => (index % 2 === 0 ? 403 : 201)));
    expect(await stored()).toHaveLength(15);
  });
});

describe('deleting a record that others refer to', () => {
  it('unsets the references, in one version and one event of each record', async () => {
    const lead = await create(LEADS, { lastName: 'Lovelace' });
    const both = await create(VISITS, { title: 'Both', lead: lead.id, second_lead: lead.id });
    const one = await create(VISITS, { title: 'One', lead: lead.id });
    const task = await create(TASKS, { title: 'Call', relatedTo: lead.id });
    expect(await write('DELETE', `${LEADS}/${lead.id}`)).toMatchObject({ status: 204 });

    const unset = { version: 2, lead: null, second_lead: null };
    expect(await write('GET', `${VISITS}/${both.id}`)).toMatchObject({ body: { ...unset, title: 'Both' } });
    expect(await write('GET', `${VISITS}/${one.id}`)).toMatchObject({ body: unset });
    expect(await write('GET', `${TASKS}/${task.id}`)).toMatchObject({ body: { version: 2, relatedTo: null } });
    // The index of the field knows it too.
    const found = await write('GET', `${VISITS}?filterField=lead&filterValue=${lead.id}`);
    expect(found.body).toMatchObject({ total: 0 });
    expect(await registered()).toBe(0);
    const published = (await events()).slice(4);
    expect(published.filter(({ name }) => name.endsWith('.updated'))).toHaveLength(3);
    expect(published.find(({ subject }) => subject === both.id)?.data).toMatchObject({
      changed: ['lead', 'second_lead'],
      previous: { lead: lead.id, second_lead: lead.id },
    });
    expect(published.at(-1)).toMatchObject({ name: 'lead.deleted', subject: lead.id });
  });

  it('is refused where a reference restricts it', async () => {
    const contact = await create(CONTACTS, { lastName: 'Byron' });
    const visit = await create(VISITS, { title: 'A', client: contact.id });
    const refused = await write('DELETE', `${CONTACTS}/${contact.id}`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(await write('GET', `${CONTACTS}/${contact.id}`)).toMatchObject({ status: 200 });
    expect(await events()).toHaveLength(2);

    await write('PATCH', `${VISITS}/${visit.id}`, { client: null });
    expect(await write('DELETE', `${CONTACTS}/${contact.id}`)).toMatchObject({ status: 204 });
  });

  it('deletes along what belongs to it, unless something needs that', async () => {
    const visit = await create(VISITS, { title: 'Unique' });
    const note = await create(NOTES, { text: 'n', visit: visit.id });
    const item = await create(ITEMS, { name: 'i', note: note.id });
    expect(await write('DELETE', `${VISITS}/${visit.id}`)).toMatchObject({ status: 409 });

    await write('DELETE', `${ITEMS}/${item.id}`);
    expect(await write('DELETE', `${VISITS}/${visit.id}`)).toMatchObject({ status: 204 });
    expect(await write('GET', `${NOTES}/${note.id}`)).toMatchObject({ status: 404 });
    const deleted = (await events()).filter(({ name }) => name === 'record.deleted');
    expect(deleted.map(({ subject }) => subject)).toEqual([item.id, note.id, visit.id]);
    expect(await registered()).toBe(0);
    // Its unique value is free again.
    await create(VISITS, { title: 'Unique' });
  });

  it('follows the definition, whatever the caller may do with those records, and shows nothing of them', async () => {
    const hidden = { readRoles: ['app:planner'], writeRoles: ['app:planner'] };
    const declared: DeclaredObject[] = [
      { apiName: 'secret', fields: [text('name'), reference('company', 'company', hidden)] },
      { apiName: 'plan', fields: [text('name'), reference('company', 'company', { onDelete: 'cascade' })] },
    ];
    await app.provision(tenant.id, declared, { appKey: 'planner' });
    const [secrets, plans] = ['/api/crm/custom/secret/records', '/api/crm/custom/plan/records'];
    const insider = await app.appToken(tenant.id, 'planner', ['custom_objects', 'companies']);
    const company = await create(COMPANIES, { name: 'Acme' });
    const secret = await app.create(secrets, insider, { name: 'a', company: company.id });
    const plan = await create(plans, { name: 'b', company: company.id });

    const { body } = await write('GET', '/api/crm/custom/plan');
    expect(body.fields).toMatchObject([{ apiName: 'name' }, { apiName: 'company', onDelete: 'cascade' }]);
    expect((body.fields as object[])[0]).not.toHaveProperty('onDelete');
    // An app that sees neither object, and companies alone.
    const outsider = await app.appToken(tenant.id, 'other', ['companies']);
    const answer = await call('DELETE', `${COMPANIES}/${company.id}`, outsider);
    expect([answer.status, answer.body]).toEqual([204, undefined]);
    expect((await call('GET', `${secrets}/${secret.id}`, insider)).body).toMatchObject({ version: 1, company: null });
    expect((await write('GET', `${plans}/${plan.id}`)).status).toBe(404);
    // A new version or an event would tell everybody.
    expect((await events()).filter(({ subject }) => subject === secret.id)).toMatchObject([{ version: 1 }]);
  });

  it('is refused when more than a thousand records refer to it', async () => {
    const lead = await create(LEADS, { lastName: 'Lovelace' });
    await app.referTo(lead, tenant);
    const refused = await write('DELETE', `${LEADS}/${lead.id}`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  });
});

describe('two records that exchange their unique values', () => {
  it('at the same moment are both refused, as one after the other', async () => {
    const visits = await Promise.all(['one', 'two'].map((title) => create(VISITS, { title })));
    // Both changes wait where they claim their new value, until each has begun.
    await app.admin.query(`
      CREATE FUNCTION hold_claims() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_advisory_xact_lock_shared(42); RETURN NEW; END $$;
      CREATE TRIGGER hold_claims BEFORE INSERT ON custom_unique FOR EACH ROW EXECUTE FUNCTION hold_claims()`);
    await app.admin.query('SELECT pg_advisory_lock(42)');
    try {
      const exchanged = Promise.all(
        visits.map(({ id }, index) => write('PATCH', `${VISITS}/${id}`, { title: ['two', 'one'][index] })),
      );
      const waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 42 AND NOT granted";
      await waitUntil(async () => (await app.admin.query(waiting)).rows.length === visits.length);
      await app.admin.query('SELECT pg_advisory_unlock(42)');
      expect((await exchanged).map(({ status, body }) => [status, body.code])).toEqual(
        visits.map(() => [409, 'UNIQUE_VIOLATION']),
      );
    } finally {
      await app.admin.query('SELECT pg_advisory_unlock_all()');
      await app.admin.query('DROP TRIGGER hold_claims ON custom_unique; DROP FUNCTION hold_claims()');
    }
    // A value that is free again is taken at once.
    const [first, second] = visits as [Json, Json];
    expect((await write('PATCH', `${VISITS}/${first.id}`, { title: 'three' })).status).toBe(200);
    expect((await write('PATCH', `${VISITS}/${second.id}`, { title: 'one' })).status).toBe(200);
  });
});

describe('references between concurrent transactions', () => {
  it('never dangle: either the reference is refused, or it is unset', async () => {
    for (let round = 0; round < 8; round += 1) {
      const lead = await create(LEADS, { lastName: `L${round}` });
      const [created, deleted] = await Promise.all([
        write('POST', VISITS, { title: `V${round}`, lead: lead.id }),
        write('DELETE', `${LEADS}/${lead.id}`),
      ]);
      expect(deleted.status).toBe(204);
      if (created.status === 201) {
        expect((await write('GET', `${VISITS}/${created.body.id}`)).body).toMatchObject({ lead: null });
      } else {
        expect(created).toMatchObject({ status: 422, body: { errors: [{ code: 'REFERENCE_NOT_FOUND' }] } });
      }
    }
    expect(await registered()).toBe(0);
  });

  it('do not keep each other waiting: many records may refer to one', async () => {
    const lead = await create(LEADS, { lastName: 'Popular' });
    await Promise.all(Array.from({ length: 12 }, (_, index) => create(VISITS, { title: `V${index}`, lead: lead.id })));
  });
});

describe('a reference', () => {
  let lead: string;
  beforeEach(async () => {
    lead = await idOf(LEADS, { lastName: 'Lovelace' });
  });

  const idOf = async (path: string, body: object) => (await create(path, body)).id;
  const appToken = (appKey: string, ...scopes: string[]) => app.appToken(tenant.id, appKey, scopes);
  const shown = ({ status, body }: { status: number; body: Json }) => [status, body.code, body.detail, body.errors];

  it('has to name a record of the tenant', async () => {
    const { admin } = await app.tenant('business', []);
    const { id: companyId } = await app.create(COMPANIES, admin, { name: 'Foreign' });
    const values = { name: 'A', companyId, contactId: '0190a000-0000-7000-8000-0000000000aa' };
    const { status, body } = await tenant.call('POST', '/api/crm/opportunities', values);
    expect([status, body.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(body.errors).toMatchObject([
      { pointer: '/companyId', code: 'REFERENCE_NOT_FOUND' },
      { pointer: '/contactId', code: 'REFERENCE_NOT_FOUND' },
    ]);
    expect(await events()).toHaveLength(1);
  });

  it('of a task may name a record of any other standard object', async () => {
    const people = [lead, await idOf(CONTACTS, { lastName: 'A' })];
    const others = [await idOf(COMPANIES, { name: 'A' }), await idOf('/api/crm/opportunities', { name: 'A' })];
    for (const relatedTo of [...people, ...others]) {
      const answer = await tenant.call('POST', TASKS, { title: 'Call', relatedTo });
      expect(answer).toMatchObject({ status: 201, body: { relatedTo } });
    }
  });

  it('to a record of a standard object needs the scope to read it, whether the record exists or not', async () => {
    const blind = await appToken('acme-visits', 'custom_objects');
    const visit = await idOf(VISITS, { title: 'x' });
    for (const id of [lead, randomUUID()]) {
      for (const answer of [
        await call('POST', VISITS, blind, { lead: id }),
        await call('PATCH', `${VISITS}/${visit}`, blind, { lead: id }),
      ]) {
        expect(shown(answer)).toEqual([403, 'INSUFFICIENT_SCOPE', 'The token needs the scope leads:read', undefined]);
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
    expect((await tenant.call('POST', VISITS, { lead })).status).toBe(201);
  });

  it('that can name records of several objects names those that the scopes allow to read', async () => {
    const company = await idOf(COMPANIES, { name: 'Acme' });
    const relate = async (scopes: string[], relatedTo: string) =>
      call('POST', TASKS, await appToken('acme-visits', 'tasks', ...scopes), { title: 'x', relatedTo });
    expect((await relate([], lead)).body).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' });
    expect((await relate(['leads:read'], lead)).status).toBe(201);
    expect(shown(await relate(['leads:read'], company))).toEqual(shown(await relate(['leads:read'], randomUUID())));
    expect((await relate(['leads:read', 'companies'], company)).status).toBe(201);
  });

  it('to an object that an app does not see is refused like one to an unknown record', async () => {
    const trip = { apiName: 'trip', fields: [reference('site', 'custom:site')] };
    await app.provision(tenant.id, [trip], { appKey: 'trips' });
    const site = await idOf(SITES, { name: 'Turin' });
    const token = await appToken('trips', 'custom_objects');
    const travel = (id: string) => call('POST', TRIPS, token, { site: id });
    expect(shown(await travel(site))).toEqual(shown(await travel(randomUUID())));
    expect((await travel(site)).body.errors).toEqual([
      expect.objectContaining({ pointer: '/site', code: 'REFERENCE_NOT_FOUND' }),
    ]);
    expect((await tenant.call('POST', TRIPS, { site })).status).toBe(201);
    expect((await call('POST', VISITS, await appToken('acme-visits', 'custom_objects'), { site })).status).toBe(201);
    await call('PUT', '/api/crm/custom/site/apps/trips', tenant.admin, { access: 'read' });
    expect((await travel(site)).status).toBe(201);
    expect((await travel(randomUUID())).status).toBe(422);
  });

  it('that restricts a deletion does not tell the name of an object to who may not read it', async () => {
    const client = await idOf(CONTACTS, { lastName: 'Byron' });
    await idOf(VISITS, { client });
    const blind = [await appToken('trips', 'contacts', 'custom_objects'), await appToken('acme-visits', 'contacts')];
    for (const token of [...blind, await appToken('acme-visits', 'contacts', 'custom_objects:read'), tenant.admin]) {
      const what = blind.includes(token) ? 'Another record' : 'A record of visit';
      const { body } = await call('DELETE', `${CONTACTS}/${client}`, token);
      expect(body).toMatchObject({ status: 409, detail: `${what} requires this record` });
    }
  });
});
