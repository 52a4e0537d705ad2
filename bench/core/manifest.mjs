// A package with 100 objects and 2,000 fields, as packages are: labels, descriptions, rules, options, restricted fields, references,
// formulas that read formulas.

/** @param {string} apiName @param {string} type @param {object} [more] */
const field = (apiName, type, more) => ({ apiName, label: `Field ${apiName}`, type, ...more });

const TITLE = field('title', 'text', { required: true, validationRules: [{ type: 'maxLength', value: 120 }] });
const STAGE = field('stage', 'picklist', { options: ['open', 'done', 'lost'], default: 'open' });
const ADMINISTERED = { readRoles: ['admin'], writeRoles: ['admin'] };
const POSITIVE = { validationRules: [{ type: 'min', value: 0, message: 'It cannot be negative.' }] };

/** @param {number} i */
const fieldsOf = (i) => [
  TITLE,
  field('code', 'text', { validationRules: [{ type: 'regex', value: `^OBJ${i}-[0-9]{4,8}$` }] }),
  STAGE,
  field('due', 'date'),
  field('parent', 'reference', { referenceTarget: `custom:object_${(i + 1) % 100}` }),
  ...Array.from({ length: 10 }, (_, j) =>
    field(`amount_${j}`, 'number', { ...(j % 3 === 0 && ADMINISTERED), ...POSITIVE }),
  ),
  field('total_0', 'formula', { expression: `amount_0 * 2 + ${i}` }),
  ...[1, 2, 3, 4].map((j) =>
    field(`total_${j}`, 'formula', { expression: `IF(amount_${j} > 10, total_${j - 1} + amount_${j}, 0)` }),
  ),
];

export const manifest = {
  key: 'acme-large',
  name: 'Acme Large',
  version: '1.0.0',
  kind: 'industry_app',
  permissions: [{ scope: 'custom_objects', purpose: 'Keeps the records.' }],
  objects: Array.from({ length: 100 }, (_, i) => ({
    apiName: `object_${i}`,
    label: `Object ${i}`,
    pluralLabel: `Objects ${i}`,
    description: 'An object of a package with very many of them.',
    nameField: 'title',
    fields: fieldsOf(i),
  })),
};
