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
  return Array.from({ length: OBJECTS }, (_, place) => ({
    apiName: `object_${place}`,
    nameField: 'title',
    fields: [{ apiName: 'title', type: 'text' }, ...Array.from({ length: count }, (_, index) => field(index))],
  }));
}

const sum = Array.from({ length: LIMITS.nodes / 2 - 1 }, () => '1').join('+');
/** Every formula has as many nodes as one may. */
export const formula = (/** @type {number} */ index) => ({
  apiName: `f${index}`,
  type: 'formula',
  expression: `${sum}+${index}`,
});

export const plain = (/** @type {number} */ index) => ({ apiName: `t${index}`, type: 'text' });

export const choice = (/** @type {number} */ index) => ({
  apiName: `c${index}`,
  type: 'multi_select',
  options: Array.from({ length: MAX_FIELD_OPTIONS }, (_, option) => `o${option}`),
});
