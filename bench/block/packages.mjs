// The objects of the largest packages that the limits allow.
import { CUSTOM_OBJECT_LIMITS } from '@crm/contracts';
import { MAX_EXPRESSIONS, MAX_FIELD_OPTIONS, MAX_FIELDS } from '@crm/fields';
import { LIMITS } from '@crm/formula';
import { DEFAULT_BODY_LIMIT } from '@crm/http';
import { MAX_NODES } from '@crm/manifest';

const OBJECTS = Math.max(...Object.values(CUSTOM_OBJECT_LIMITS));
/** For the rest of a package, and of the call that brings it. */
const REST = 20_000;

/** Values of a JSON document. @param {unknown} value @returns {number} */
const nodesOf = (value) =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce((/** @type {number} */ sum, one) => sum + nodesOf(one), 0)
    : 1;

/** Objects that together have as many of such fields as a package may. @param {(index: number) => { apiName: string, expression?: string }} field */
export function largestObjects(field) {
  const last = field(10_000);
  const most = Math.min(
    (DEFAULT_BODY_LIMIT - REST) / (JSON.stringify(last).length + 1),
    (MAX_NODES - 1000) / nodesOf(last),
    MAX_FIELDS * OBJECTS,
    (MAX_EXPRESSIONS / (last.expression?.length ?? 1)) * OBJECTS,
  );
  const count = Math.floor(most / OBJECTS) - 1;
  return Array.from({ length: OBJECTS }, (_, index) => ({
    apiName: `object_${index}`,
    nameField: 'title',
    fields: [{ apiName: 'title', type: 'text' }, ...Array.from({ length: count }, (_, index) => field(index))],
  }));
}

/** A package of such objects, which passes certification. @param {(index: number) => { apiName: string, expression?: string }} field @param {string} key */
export function largestPackage(field, key) {
  const named = (/** @type {{ apiName: string }} */ { apiName }) => ({ label: apiName });
  const objects = largestObjects((index) => ({ ...field(index), ...named(field(index)) })).map((object) => ({
    ...object,
    ...named(object),
    pluralLabel: object.apiName,
    fields: object.fields.map((one) => ({ ...one, ...named(one) })),
  }));
  const site = 'https://acme.example';
  const publisher = { name: 'Acme', supportEmail: 'a@acme.example', privacyUrl: site, termsUrl: site };
  const permissions = [{ scope: 'custom_objects', purpose: 'Keeps the records.' }];
  const listing = { summary: 'Very many records', categories: ['operations'] };
  return { key, name: 'Large', version: '1.0.0', kind: 'industry_app', publisher, listing, permissions, objects };
}

/** The longest formula that says whether something holds, over such a name. */
export const longestCondition = (/** @type {string} */ name) => `${sum.slice(2)}+LEN(${name})>0`;

const sum = Array.from({ length: LIMITS.nodes / 2 - 1 }, () => '1').join('+');
/** Every formula has as many nodes as one may. */
export const formula = (/** @type {number} */ index) => ({
  apiName: `f${index}`,
  type: 'formula',
  expression: `${sum}+${index}`,
});

export const plain = (/** @type {number} */ index) => ({ apiName: `t${index}`, type: 'text' });

/** The slowest pattern for the longest value that it may have. */
export const SLOW_LENGTH = 240;
export const slow = (/** @type {number} */ index) => ({
  apiName: `p${index}`,
  type: 'text',
  validationRules: [
    { type: 'regex', value: `^(?:b|.b|..b|...b){${200 - index}}$` },
    { type: 'maxLength', value: SLOW_LENGTH },
  ],
});

export const choice = (/** @type {number} */ index) => ({
  apiName: `c${index}`,
  type: 'multi_select',
  options: Array.from({ length: MAX_FIELD_OPTIONS }, (_, option) => `o${option}`),
});
