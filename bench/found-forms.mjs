// What is asked of records, as our API has it, and as the bare server asks for it: each form of filter and sort that an index
// serves, then questions about deals and searches of all objects.

/** query: of our API; where: of bare_found, with the value as $1, or $1 and the id $2 of the record after which a page begins;
 * after: the column of the value, 'none' when that record has none.
 * @typedef {{ query: string, where: string, filter?: string, after?: string }} Form */
/** @type {Readonly<Record<string, Form>>} */
export const FORMS = {
  'equal, few, newest first': {
    query: 'filterField=companyName',
    filter: 'company',
    where: 'company = $1 ORDER BY id DESC',
  },
  'equal, a third, newest first': {
    query: 'filterField=status',
    filter: 'status',
    where: 'status = $1 ORDER BY id DESC',
  },
  'equal, few, by another field': {
    query: 'filterField=companyName&sort=lastName',
    filter: 'company',
    where: 'company = $1 ORDER BY last_name, id',
  },
  'equal, few, and one of two others': {
    query: `filterField=companyName&filter=${encodeURIComponent('{"field":"status","op":"in","value":["contacted","qualified"]}')}`,
    filter: 'company',
    where: "company = $1 AND status IN ('contacted', 'qualified') ORDER BY id DESC",
  },
  'equal, few, by two other fields': {
    query: 'filterField=companyName&sort=-status,lastName',
    filter: 'company',
    where: 'company = $1 ORDER BY status DESC NULLS LAST, last_name, id',
  },
  ascending: { query: 'sort=lastName', where: 'true ORDER BY last_name, id' },
  descending: { query: 'sort=-lastName', where: 'true ORDER BY last_name DESC, id DESC' },
  'ascending, from the middle': {
    query: 'sort=lastName',
    after: 'last_name',
    where: '(last_name, id) > ($1, $2::uuid) ORDER BY last_name, id',
  },
  'descending, from the middle': {
    query: 'sort=-lastName',
    after: 'last_name',
    where: '(last_name, id) < ($1, $2::uuid) ORDER BY last_name DESC, id DESC',
  },
  'ascending, among those without a value': {
    query: 'sort=phone',
    after: 'none',
    where: 'phone IS NULL AND $1::text IS NULL AND id > $2::uuid ORDER BY id',
  },
  'descending, among those without a value': {
    query: 'sort=-phone',
    after: 'none',
    where: 'phone IS NULL AND $1::text IS NULL AND id < $2::uuid ORDER BY id DESC',
  },
};

const IN_STAGE = { field: 'stage', value: 'proposal' };
const IS_LARGE = { field: 'amount', op: 'gt', value: 800 };
const NEXT_WEEK = { field: 'closeDate', value: { relative: 'nextWeek' } };
const IN_NEXT_WEEK = `close_date >= (date_trunc('week', now()) + '7 days')::date::text AND close_date < (date_trunc('week', now()) + '14 days')::date::text`;
const conditionsOf = (/** @type {object} */ filter) => `&filter=${encodeURIComponent(JSON.stringify(filter))}`;

/** owner: of some 300 deals; lead: its number. @typedef {{ id: string, owner: string, lead: number }} Sample */
/** ours: a path of our API; sql: of the bare server, with the value as $1; hasPlans: planned anew for each value; isWhole: no index bounds it; most: of more
 * records it takes over two seconds and is refused.
 * @typedef {{ value?: (sample: Sample, samples: readonly Sample[]) => string, ours: (value: string) => string, sql: string, hasPlans?: true, isWhole?: true, most?: number }} Question */
const owner = (/** @type {Sample} */ sample) => sample.owner;
const ofOwner = (/** @type {string} */ id) => `&filterField=ownerId&filterValue=${id}`;
const LIST = 'opportunities?count=none';
const SUMS = 'opportunities/aggregate?groupBy=stage,currency&metrics=count,sum:amount';

/** @type {Readonly<Record<string, Question>>} */
const DEALS = {
  'page of 25 of 300: an equality, and one of two conditions': {
    value: owner,
    ours: (value) => LIST + ofOwner(value) + conditionsOf({ or: [IN_STAGE, IS_LARGE] }),
    sql: `SELECT body FROM bare_deal WHERE owner = $1 AND (stage = 'proposal' OR amount > 800) ORDER BY id DESC LIMIT 25`,
  },
  'page of 25: a period relative to today, by its date': {
    ours: () => `${LIST}&sort=closeDate${conditionsOf(NEXT_WEEK)}`,
    sql: `SELECT body FROM bare_deal WHERE ${IN_NEXT_WEEK} ORDER BY close_date, id LIMIT 25`,
  },
  'page of 25: one of 200 ids': {
    value: ({ lead }, samples) => Array.from({ length: 200 }, (_, at) => samples[(lead + at) % 500]?.id).join(),
    ours: (value) => LIST + conditionsOf({ field: 'id', op: 'in', value: value.split(',') }),
    sql: `SELECT body FROM bare_deal WHERE id = ANY (string_to_array($1, ',')::uuid[]) ORDER BY id DESC LIMIT 25`,
  },
  'page of 25 of 300, with the company of each': {
    value: owner,
    ours: (value) => `${LIST}&expand=companyId${ofOwner(value)}`,
    sql: `SELECT d.body || jsonb_build_object('expanded', jsonb_build_object('companyId', c.body)) AS body
            FROM bare_deal d LEFT JOIN bare_company c ON c.id = d.company::uuid WHERE d.owner = $1 ORDER BY d.id DESC LIMIT 25`,
  },
  '300 added up by stage and currency': {
    value: owner,
    ours: (value) => SUMS + ofOwner(value),
    sql: 'SELECT stage, currency, count(*), sum(amount) FROM bare_deal WHERE owner = $1 GROUP BY 1, 2 ORDER BY 3 DESC',
  },
  'all counted by stage': {
    ours: () => 'opportunities/aggregate?groupBy=stage',
    sql: 'SELECT stage, count(*) FROM bare_deal GROUP BY 1 ORDER BY 2 DESC',
    isWhole: true,
  },
  'all counted by month': {
    ours: () => 'opportunities/aggregate?groupBy=closeDate:month',
    sql: 'SELECT left(close_date, 7), count(*) FROM bare_deal GROUP BY 1 ORDER BY 2 DESC',
    isWhole: true,
  },
  'all added up by stage and currency': {
    ours: () => SUMS,
    sql: 'SELECT stage, currency, count(*), sum(amount) FROM bare_deal GROUP BY 1, 2 ORDER BY 3 DESC',
    isWhole: true,
    most: 100_000,
  },
};

/** What is searched in all objects; the bare server has their texts in one table. @type {Readonly<Record<string, (sample: Sample) => string>>} */
const SEARCHES = {
  'a name of one lead': ({ lead }) => `lovelace ${lead}`,
  'a name of every lead': () => 'lovelace',
  'a mail address': ({ lead }) => `lead${lead}@example.com`,
  'digits of a phone number': ({ lead }) => `030${1_000_000 + lead}`,
};
const sql = `SELECT object, id, title, matched FROM bare_hit WHERE text LIKE '%' || ltrim($1, '0') || '%' ORDER BY id DESC LIMIT 20`;
const ours = (/** @type {string} */ q) => `search?q=${encodeURIComponent(q)}`;
const searches = Object.entries(SEARCHES).map(([name, value]) => {
  return /** @type {const} */ ([`search of all objects: ${name}`, { value, ours, sql, hasPlans: true }]);
});

/** @type {Readonly<Record<string, Question>>} */
export const QUESTIONS = { ...DEALS, ...Object.fromEntries(searches) };
