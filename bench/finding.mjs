// What finds records, next to bare Fastify and pg on the same PostgreSQL: pages by each form of filter and sort, questions about deals,
// searches of all objects. One suite of the records group each.
import { FORMS, QUESTIONS } from './found-forms.mjs';
import { alternate, ask, compare, inTurn, requestText, SLOWER_PLAN } from './load.mjs';
import { besideRow, setting } from './measure.mjs';
import { fillDeals, fillFound, RECORDS } from './records-data.mjs';

/** @param {import('./lab.mjs').Lab} lab */
async function startFound(lab) {
  const { admin } = await lab.database('custom-objects');
  await fillFound(admin, lab.tenantId);
  return { lab, admin, ...(await lab.beside('custom-objects', 'CUSTOM_OBJECTS_URL', 'found')) };
}

/** Pages by each form of filter and sort that an index serves. @param {Awaited<ReturnType<typeof startFound>>} subjects */
async function found({ lab, admin, bare, gateway }) {
  const get = (/** @type {string} */ path) => requestText('GET', path, lab.authorization());
  const rows = [];
  for (const [form, { query, filter, after }] of Object.entries(FORMS)) {
    const path = `/api/crm/leads?count=none&${query}`;
    const column = filter ?? (after === 'none' ? 'NULL' : after);
    let pages = [{ ours: path, bare: '' }];
    if (column) {
      const sample = `SELECT id, ${column} AS value FROM bare_found WHERE ${after === 'none' ? 'phone IS NULL' : 'true'} ORDER BY random() LIMIT 500`;
      const records = (await admin.query(sample)).rows;
      const { nextCursor } = filter ? {} : await ask(gateway.port, get(path));
      const mark = nextCursor && JSON.parse(Buffer.from(nextCursor, 'base64url').toString())[0];
      pages = records.map(({ id, value }) => {
        const cursor = Buffer.from(JSON.stringify([mark, value, id])).toString('base64url');
        const bareValue = value === null ? '' : `value=${encodeURIComponent(value)}`;
        return filter
          ? { ours: `${path}&filterValue=${encodeURIComponent(value)}`, bare: bareValue }
          : { ours: `${path}&cursor=${cursor}`, bare: `${bareValue}&id=${id}` };
      });
    }
    const [ours, theirs] = [inTurn(pages), inTurn(pages)];
    const sides = [
      { ...bare, next: () => get(`/found/${encodeURIComponent(form)}?${theirs().bare}`) },
      { ...gateway, next: () => get(ours().ours) },
    ];
    const [baseline, measured = baseline] = await alternate(sides, SLOWER_PLAN);
    const name = `page of 25 of ${RECORDS} leads through the gateway, beside bare Fastify + pg: ${form}`;
    rows.push(besideRow(name, '/s', measured.rates, baseline.rates, { atLeast: 0.3 }));
  }
  return rows;
}

/** @param {import('./lab.mjs').Lab} lab */
async function startQuestions(lab) {
  const { admin } = await lab.database('custom-objects');
  const samples = await fillDeals(admin, lab.tenantId);
  return { lab, samples, ...(await lab.beside('custom-objects', 'CUSTOM_OBJECTS_URL', 'found')) };
}

/** By many users, each of whose searches run one at a time. @param {Awaited<ReturnType<typeof startQuestions>>} subjects */
async function questions({ lab, samples, bare, gateway }) {
  const rows = [];
  for (const [name, { value, ours, isWhole, most = RECORDS }] of Object.entries(QUESTIONS)) {
    if (RECORDS > most) continue;
    const users = inTurn(Array.from({ length: 128 }, () => `authorization: Bearer ${lab.sign()}\r\n`));
    const values = samples.slice(0, 500).map((sample) => value?.(sample, samples) ?? '');
    const [theirs, own] = [inTurn(values), inTurn(values)];
    const path = () => `/found/${encodeURIComponent(name)}?value=${encodeURIComponent(theirs())}`;
    const next = () => requestText('GET', `/api/crm/${ours(own())}`, users());
    const sides = [
      { ...bare, next: () => requestText('GET', path(), '') },
      { ...gateway, next, ...(!isWhole && { atLeast: 0.3 }) },
    ];
    // At most two queries that nothing bounds run at the same time.
    const plan = { ...SLOWER_PLAN, rounds: setting('ROUNDS', 5, 1), ...(isWhole && { connections: 2 }) };
    rows.push(...(await compare(`${RECORDS} deals, ${name}`, sides, plan)));
  }
  return rows;
}

export const finding = [
  { start: startFound, cases: { found } },
  { start: startQuestions, cases: { questions } },
];
