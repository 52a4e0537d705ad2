// A package with 100 objects and 2,000 fields.

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

export const manifest = {
  key: 'acme-large',
  name: 'Acme Large',
  version: '1.0.0',
  kind: 'industry_app',
  permissions: [{ scope: 'custom_objects', purpose: 'Keeps the records.' }],
  objects: largeObjects(),
};
