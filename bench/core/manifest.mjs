// Certification of a package with 100 objects and 2,000 fields.
import { certify, certifySources, JsonSource } from '@crm/manifest';
import { median } from '../measure.mjs';

const RUNS = 31;

/** A service certifies with warm code; the first runs pay for the compiler. */
const WARM_UP_RUNS = 40;

/** The milliseconds of CPU that the document may take. */
const TARGET = 50;

/** The same with reading its text of 0.9 MB, indented as people do, with the place of every value. */
const TEXT_TARGET = 75;

/** As packages are: labels, descriptions, rules, options, restricted fields, references, formulas that read formulas. */
function largeObjects() {
  return Array.from({ length: 100 }, (_, i) => ({
    apiName: `object_${i}`,
    label: `Object ${i}`,
    pluralLabel: `Objects ${i}`,
    description: 'An object of a package with very many of them.',
    nameField: 'title',
    fields: [
      {
        apiName: 'title',
        label: 'Title',
        type: 'text',
        required: true,
        validationRules: [{ type: 'maxLength', value: 120 }],
      },
      {
        apiName: 'code',
        label: 'Code',
        type: 'text',
        validationRules: [{ type: 'regex', value: `^OBJ${i}-[0-9]{4,8}$` }],
      },
      { apiName: 'stage', label: 'Stage', type: 'picklist', options: ['open', 'done', 'lost'], default: 'open' },
      { apiName: 'due', label: 'Due', type: 'date' },
      { apiName: 'parent', label: 'Parent', type: 'reference', referenceTarget: `custom:object_${(i + 1) % 100}` },
      ...Array.from({ length: 10 }, (_, j) => ({
        apiName: `amount_${j}`,
        label: `Amount ${j}`,
        type: 'number',
        ...(j % 3 === 0 && { readRoles: ['admin'], writeRoles: ['admin'] }),
        validationRules: [{ type: 'min', value: 0, message: 'It cannot be negative.' }],
      })),
      ...Array.from({ length: 5 }, (_, j) => ({
        apiName: `total_${j}`,
        label: `Total ${j}`,
        type: 'formula',
        expression: j === 0 ? `amount_0 * 2 + ${i}` : `IF(amount_${j} > 10, total_${j - 1} + amount_${j}, 0)`,
      })),
    ],
  }));
}

const manifest = {
  key: 'acme-large',
  name: 'Acme Large',
  version: '1.0.0',
  kind: 'industry_app',
  permissions: [{ scope: 'custom_objects', purpose: 'Keeps the records.' }],
  objects: largeObjects(),
};

/** @param {() => Promise<boolean>} passes */
async function cpuMillisecondsOf(passes) {
  const times = [];
  for (let run = 0; run < WARM_UP_RUNS + RUNS; run++) {
    const before = process.cpuUsage();
    if (!(await passes())) throw new Error('The package does not pass');
    const { user, system } = process.cpuUsage(before);
    if (run >= WARM_UP_RUNS) times.push((user + system) / 1000);
  }
  return median(times);
}

export async function measure() {
  const text = JSON.stringify(manifest, null, 2);
  const options = /** @type {const} */ ({ mode: 'certification' });
  const ofValue = await cpuMillisecondsOf(async () => (await certify(manifest, options)).passed);
  const ofText = await cpuMillisecondsOf(async () => {
    const { certification } = await certifySources({ manifest: new JsonSource(text) }, options);
    return certification.passed;
  });
  const what = 'certify 100 objects with 2,000 fields';
  return [
    { name: what, unit: 'ms of CPU', ours: ofValue, atMost: TARGET },
    { name: `${what}, from their text`, unit: 'ms of CPU', ours: ofText, atMost: TEXT_TARGET },
  ];
}
