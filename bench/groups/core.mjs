// The pure parts: formulas, validation of records, the address policy, certification of packages.
import { checkAddress, checkHostname, checkUrl } from '@crm/address-policy';
import { validateRecord } from '@crm/fields';
import { checkFormula, compileFormula } from '@crm/formula';
import { certify, certifySources, JsonSource } from '@crm/manifest';
import { FIELDS, INPUTS, validateByHand } from '../core/fields.mjs';
import { BY_HAND, DEAL_FIELDS, DEALS, NOW } from '../core/formulas.mjs';
import { manifest } from '../core/manifest.mjs';
import { inRounds, median, processorClock, setting, timesOf } from '../measure.mjs';

const CERTIFICATIONS = setting('ROUNDS', 31, 3);
/** A service certifies with warm code; the first runs pay for the compiler. */
const WARM_UP_CERTIFICATIONS = setting('WARM_UP_CERTIFICATIONS', 40, 2);

/** Public and refused ones in turn; a public IPv4 address is compared with every range. */
const ADDRESSES = [
  ...['93.184.215.14', '10.1.2.3', '8.8.8.8', '255.255.255.255', '2606:4700:4700::1111', 'fe80::1'],
  ...['2a00:1450:4001:0830:0000:0000:0000:200e', '::ffff:169.254.169.254'],
];
const NAMES = ['hooks.acme.example.com', 'localhost', 'metadata.google.internal', 'api.eu-central-1.acme.io'];
const URLS = [
  'https://hooks.acme.example.com/in/7?x=1',
  'https://2130706433/',
  'https://[::1]:8443/',
  'https://bücher.de/',
];

function addressPolicy() {
  /** @type {readonly [string, readonly string[], (input: string) => unknown, number][]} */
  const judges = [
    ['an address', ADDRESSES, checkAddress, 5],
    ['a host name', NAMES, (name) => checkHostname(name), 5],
    ['a URL', URLS, (url) => checkUrl(url), 20],
  ];
  return judges.map(([what, given, judge, atMost]) => {
    const [ours = 0] = timesOf((index) => judge(String(given[index % given.length])));
    return { name: `address policy: ${what}`, unit: 'µs', ours: ours / 1000, atMost };
  });
}

function formulas() {
  const context = { now: NOW, timeZone: 'UTC' };
  return Object.entries(BY_HAND).map(([source, byHand]) => {
    const { evaluate } = compileFormula(source, DEAL_FIELDS);
    for (const record of DEALS) {
      const [ours, theirs] = [evaluate({ ...record }, context), byHand(record)];
      if (ours !== theirs) throw new Error(`${source}: ${ours} is not ${theirs} for ${JSON.stringify(record)}`);
    }
    const at = (/** @type {number} */ index) => /** @type {any} */ (DEALS[index % DEALS.length]);
    const [ours = 0, baseline] = timesOf(
      (index) => evaluate(at(index), context),
      (index) => byHand(at(index)),
    );
    return { name: `\`${source}\``, unit: 'ns', ours, baseline, atMost: 5 };
  });
}

/** Parsing and checking a formula of exactly 500 nodes, the most that are allowed. */
function largestFormula() {
  // IF, &&, ==, stage, literal, won, *, amount, literal; with the `+` that joins it, or the first minus, ten nodes a term.
  const term = 'IF(stage=="a"&&won,amount*2)';
  const source = `-${term}${`+${term}`.repeat(49)}`;
  const { ok, errors } = checkFormula(source, DEAL_FIELDS);
  if (!ok) throw new Error(`The formula does not pass: ${errors[0]?.message}`);
  if (checkFormula(`-${source}`, DEAL_FIELDS).ok) throw new Error('The formula is not of the largest size');
  const [ours = 0] = timesOf(() => checkFormula(source, DEAL_FIELDS));
  return [{ name: 'parse and check a formula of 500 nodes', unit: 'ms', ours: ours / 1e6, atMost: 5 }];
}

function fields() {
  for (const record of INPUTS) {
    const { values, problems } = validateRecord(FIELDS, record, 'create');
    const theirs = validateByHand(record);
    if (problems.length > 0 || theirs.wrong.length > 0) throw new Error(JSON.stringify([problems, theirs.wrong]));
    if (JSON.stringify(values) !== JSON.stringify(theirs.values)) throw new Error('The validators differ');
  }
  const bare = INPUTS.map((record) => ({ ...record, code: null, email: null, phone: null, website: null }));
  const without = 'the same without e-mail, phone, link and pattern, which libraries judge';
  return /** @type {const} */ ([
    ['validate a record of 20 fields', INPUTS],
    [without, bare],
  ]).map(([name, records]) => {
    const at = (/** @type {number} */ index) => /** @type {typeof records[0]} */ (records[index % records.length]);
    const [ours = 0, baseline = 0] = timesOf(
      (index) => validateRecord(FIELDS, at(index), 'create'),
      (index) => validateByHand(at(index)),
    );
    return { name, unit: 'µs', ours: ours / 1000, baseline: baseline / 1000, atMost: 4 };
  });
}

/** Milliseconds of CPU that certification takes of the document, and of its text of 0.9 MB, indented as people do. */
async function certification() {
  const text = JSON.stringify(manifest, null, 2);
  const options = /** @type {const} */ ({ mode: 'certification' });
  const what = 'certify 100 objects with 2,000 fields';
  const ofDocument = () => certify(manifest, options);
  const ofText = async () => (await certifySources({ manifest: new JsonSource(text) }, options)).certification;
  const rows = [];
  for (const [name, atMost, run] of /** @type {const} */ ([
    [what, 50, ofDocument],
    [`${what}, from their text`, 75, ofText],
  ])) {
    const times = await inRounds(WARM_UP_CERTIFICATIONS + CERTIFICATIONS, async () => {
      const spent = processorClock();
      if (!(await run()).passed) throw new Error('The package does not pass');
      return spent() / 1000;
    });
    rows.push({ name, unit: 'ms of CPU', ours: median(times.slice(WARM_UP_CERTIFICATIONS)), atMost });
  }
  return rows;
}

export const suites = [
  { cases: { 'address-policy': addressPolicy } },
  { cases: { formulas } },
  { cases: { 'largest-formula': largestFormula } },
  { cases: { fields } },
  { cases: { certification } },
];
