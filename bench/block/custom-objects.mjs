// What one workspace can make of the record service with the largest objects, picklists, pipelines, records and queries.
import { MAX_OPTION, rpc } from '@crm/contracts';
import { newId } from '@crm/database';
import { MAX_PAGE_SIZE } from '@crm/http';
import { headers } from '@nats-io/transport-node';
import { blockRows, caller, watched } from './blocks.mjs';
import { limitOf } from './limits.mjs';
import { choice, formula, largestObjects, plain, SLOW_LENGTH, slow } from './packages.mjs';

/** @typedef {import('../lab.mjs').Lab} Lab */

const limit = (/** @type {string} */ file, /** @type {string} */ name) => limitOf(`custom-objects/src/${file}`, name);
const MAX_OPTIONS = await limit('object/picklist.dto.ts', 'MAX_OPTIONS');
const MAX_PIPELINES = await limit('object/picklist.dto.ts', 'MAX_PIPELINES');
const MAX_STAGES = await limit('object/picklist.dto.ts', 'MAX_STAGES');
const MAX_CONDITIONS = await limit('finding/record-filter.ts', 'MAX_CONDITIONS');
const MAX_VALUES = await limit('finding/record-filter.ts', 'MAX_VALUES');
const MAX_BULK = await limit('record/record-bulk.dto.ts', 'MAX_BULK');
const MAX_VIEWS = await limit('view/saved-view.service.ts', 'MAX_VIEWS');
const LONGEST_NOTE = await limit('timeline/note.dto.ts', 'maxLength');

const long = (/** @type {string} */ start) => start.padEnd(MAX_OPTION, '.');
const option = (/** @type {string} */ value) => ({ value: long(value), label: long(value) });
const MEANINGS = ['won', 'lost', 'open'];
const stages = (/** @type {unknown} */ pipeline) =>
  Array.from({ length: Math.floor(MAX_STAGES / MAX_PIPELINES) - 1 }, (_, index) => ({
    ...option(`${pipeline}.${index}`),
    probability: 50,
    meaning: MEANINGS[index] ?? 'open',
  }));
const options = () => Array.from({ length: MAX_OPTIONS }, (_, index) => option(`o${index}`));

/** A workspace with these objects of an app. @param {Lab} lab @param {readonly object[]} [objects] */
async function workspace(lab, objects) {
  const tenantId = newId();
  const send = caller(lab, tenantId);
  if (!objects) return { tenantId, send };
  const nats = await lab.nats('marketplace-certification');
  const { subject } = rpc.customObjects.provisionObjects;
  const provision = async () => {
    const sent = headers();
    sent.set('Authorization', `Bearer ${lab.sign(tenantId)}`);
    const request = { installationId: newId(), appKey: 'acme', sandbox: false, objects };
    const reply = (
      await nats.connection.request(subject, JSON.stringify(request), { headers: sent, timeout: 60_000 })
    ).json();
    if (!(/** @type {any} */ (reply).ok)) throw new Error(JSON.stringify(reply));
  };
  await provision();
  return { tenantId, send };
}

/** @param {string} path @param {Record<string, string | number>} query */
const list = (path, query) => `${path}?${new URLSearchParams(/** @type {Record<string, string>} */ (query))}`;
const filterOf = (/** @type {object} */ filter) => ({ filter: JSON.stringify(filter) });

/** Changes that the object meets anew. @param {import('pg').Pool} admin @param {string} tenantId */
const touch = (admin, tenantId) =>
  admin.query('UPDATE custom_object SET revision = revision + 1 WHERE tenant_id = $1', [tenantId]);

/** @param {Lab} lab */
export async function customObjects(lab) {
  const { environment, admin } = await lab.database('custom-objects');
  await lab.playIdentity();
  const service = await watched(lab, 'custom-objects', environment);
  return [...(await ofStandardObjects(lab, service)), ...(await ofPackages(lab, service, admin))];
}

/** @param {Lab} lab @param {import('./blocks.mjs').Watched} service */
async function ofStandardObjects(lab, service) {
  const { send } = await workspace(lab);
  const [first] = (await send(service, { path: '/api/crm/pipelines' })).data;
  const ids = [first.id];
  for (let count = 1; count < MAX_PIPELINES; count++) {
    const body = { name: `Pipeline ${count}`, stages: stages(count) };
    ids.push((await send(service, { method: 'POST', path: '/api/crm/pipelines', body })).id);
  }
  const picklist = '/api/crm/objects/lead/fields/source/options';
  const lead = await send(service, { method: 'POST', path: '/api/crm/leads', body: { lastName: 'Lovelace' } });
  for (let count = 0; count < MAX_PAGE_SIZE; count += MAX_BULK) {
    const records = Array.from({ length: MAX_BULK }, (_, turn) => ({
      lastName: `Lead ${turn}`,
      description: 'x'.repeat(4000),
    }));
    await send(service, { method: 'POST', path: '/api/crm/leads/bulk', body: { operation: 'create', records } });
  }
  let view = { id: '' };
  for (let count = 0; count < MAX_VIEWS; count++) {
    view = await send(service, {
      method: 'POST',
      path: '/api/crm/views',
      body: {
        object: 'lead',
        name: `View ${count}`,
        filter: { and: [{ field: 'lastName', op: 'contains', value: 'x'.repeat(4000) }] },
      },
    });
  }
  const conditions = Array.from({ length: MAX_CONDITIONS }, (_, index) => ({
    field: 'lastName',
    op: 'contains',
    value: `${index}`.padEnd(400, 'x'),
  }));
  const values = Array.from({ length: MAX_VALUES }, (_, index) => `${index}`.padEnd(40, 'x'));
  const note = { text: '**1.'.repeat(LONGEST_NOTE / 4) };
  return blockRows(service, send, {
    'a pipeline of the most stages changed': (round) => ({
      method: 'PATCH',
      path: `/api/crm/pipelines/${ids[1]}`,
      body: { stages: stages(1).toReversed(), name: `Name ${round}` },
    }),
    'the most options replaced': () => ({ method: 'PUT', path: picklist, body: { options: options() } }),
    'options listed': () => ({ path: picklist }),
    'pipelines listed': () => ({ path: '/api/crm/pipelines' }),
    'objects, the most pipelines, stages and options': () => ({ path: '/api/crm/objects' }),
    'one object, the same': () => ({ path: '/api/crm/objects/opportunity' }),
    'a lead read': () => ({ path: `/api/crm/leads/${lead.id}` }),
    'a deal made': (round) => ({
      method: 'POST',
      path: '/api/crm/opportunities',
      body: { name: `Deal ${round}`, stage: long('1.5') },
    }),
    'a list of the most records': () => ({ path: list('/api/crm/leads', { size: MAX_PAGE_SIZE }) }),
    'a list of the most conditions': () => ({ path: list('/api/crm/leads', filterOf({ and: conditions })) }),
    'a list of the most values': () => ({
      path: list('/api/crm/leads', filterOf({ and: [{ field: 'lastName', op: 'in', value: values }] })),
    }),
    'an aggregate': () => ({
      path: list('/api/crm/leads/aggregate', { groupBy: 'lastName,createdAt:day', metrics: 'count' }),
    }),
    'a search of the longest text': () => ({ path: list('/api/crm/search', { q: 'lovelace '.repeat(22) }) }),
    'the most records made at once, each with long texts': () => ({
      method: 'POST',
      path: '/api/crm/leads/bulk',
      body: {
        operation: 'create',
        records: Array.from({ length: MAX_BULK }, () => ({ lastName: 'x'.repeat(80), description: 'y'.repeat(4500) })),
      },
    }),
    'the most records refused': () => ({
      method: 'POST',
      path: '/api/crm/leads/bulk',
      body: {
        operation: 'create',
        records: Array.from({ length: MAX_BULK }, () =>
          Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`n${index}`, 1])),
        ),
      },
    }),
    'a note': () => ({ method: 'POST', path: `/api/crm/leads/${lead.id}/notes`, body: note }),
    'a timeline': () => ({ path: `/api/crm/leads/${lead.id}/timeline?size=100` }),
    'a view of the longest filter': (round) => ({
      method: 'PATCH',
      path: `/api/crm/views/${view.id}`,
      body: { name: `View ${round}`, filter: { and: conditions } },
    }),
    'views listed': () => ({ path: '/api/crm/views?object=lead' }),
  });
}

/** @param {Lab} lab @param {import('./blocks.mjs').Watched} service */
async function ofPatterns(lab, service) {
  const fields = Array.from({ length: 10 }, (_, index) => slow(index));
  const { send } = await workspace(lab, [{ apiName: 'slow', nameField: 'p0', fields }]);
  // Another text each time: what the engine has learned of one does not help it with the next.
  const text = () =>
    Array.from({ length: SLOW_LENGTH }, (_, index) => (index % 3 === 0 || Math.random() < 0.5 ? 'b' : 'c')).join('');
  const record = () => Object.fromEntries(fields.map(({ apiName }) => [apiName, `${text().slice(1)}c`]));
  const path = '/api/crm/custom/slow/records';
  const records = () => Array.from({ length: 10 }, record);
  return blockRows(service, send, {
    'a record of the slowest patterns': () => ({ method: 'POST', path, body: record(), status: 422 }),
    'ten of them': () => ({ method: 'POST', path: `${path}/bulk`, body: { operation: 'create', records: records() } }),
  });
}

/** @param {Lab} lab @param {import('./blocks.mjs').Watched} service @param {import('pg').Pool} admin */
async function ofPackages(lab, service, admin) {
  const rows = await ofPatterns(lab, service);
  for (const [what, field] of /** @type {const} */ ([
    ['formulas', formula],
    ['fields', plain],
    ['options', choice],
  ])) {
    const made = largestObjects(field);
    process.stderr.write(`${what}: ${made.length} objects of ${made[0]?.fields.length} fields\n`);
    const { send, tenantId } = await workspace(lab, made);
    const records = '/api/crm/custom/object_0/records';
    /** @param {string} path */
    const anew = (path) => ({ path });
    rows.push(
      ...(await blockRows(service, send, {
        [`objects, the most ${what}`]: () => ({ path: '/api/crm/objects' }),
        [`one object, the most ${what}`]: () => ({ path: '/api/crm/objects/object_0' }),
        [`a record made, the most ${what}`]: (round) => ({
          method: 'POST',
          path: records,
          body: { title: `Record ${round}` },
        }),
        [`a list, the most ${what}`]: () => ({ path: `${records}?size=${MAX_PAGE_SIZE}` }),
      })),
    );
    await touch(admin, tenantId);
    rows.push(
      ...(await blockRows(
        service,
        async (to, call) => {
          await touch(admin, tenantId);
          return send(to, call);
        },
        {
          [`objects after a change, the most ${what}`]: () => anew('/api/crm/objects'),
          [`a list after a change, the most ${what}`]: () => anew(`${records}?size=1`),
        },
      )),
    );
    if (field !== choice) continue;
    const wrong = Array.from({ length: MAX_BULK }, () => ({
      c0: Array.from({ length: 400 }, (_, index) => `x${index}`),
    }));
    rows.push(
      ...(await blockRows(service, send, {
        'the most wrong options': () => ({
          method: 'POST',
          path: `${records}/bulk`,
          body: { operation: 'create', records: wrong },
        }),
      })),
    );
  }
  return rows;
}
