// A record of 20 fields, and for each a check written by hand, with the same libraries for e-mail addresses, links, phone numbers
// and patterns.
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { RE2JS } from 're2js';
import validator from 'validator';

/** The canonical value, or undefined when it is wrong. @typedef {(value: any) => unknown} ByHand */
/** @typedef {Record<string, unknown>} Input */

const STAGES = ['New', 'Qualified', 'Proposal', 'Won', 'Lost'];
const INTERESTS = ['Golf', 'Sailing', 'Chess', 'Opera'];
const PATTERN = '^[A-Z]{2}-[0-9]{4}$';
const CODE = RE2JS.compile(PATTERN);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATETIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const UNSTORABLE = /[\0\p{Cs}]/u;

/** @param {any} value @param {number} limit */
const isText = (value, limit) => typeof value === 'string' && value.length <= limit && !UNSTORABLE.test(value);
const isLine = (/** @type {any} */ value) => isText(value, 4000) && !/[\n\v\f\r\u0085\u2028\u2029]/.test(value);
const isNumber = (/** @type {any} */ value) => typeof value === 'number' && Math.abs(value) < 1e15;
const isDate = (/** @type {any} */ value) => {
  const [text, year, month, date] = (typeof value === 'string' && DATE.exec(value)) || [];
  return Boolean(
    text && new Date(Date.UTC(Number(year), Number(month) - 1, Number(date))).toISOString().startsWith(text),
  );
};

/** For values that are canonical when they are right. @param {(value: any) => boolean} isRight @returns {ByHand} */
const only = (isRight) => (value) => (isRight(value) ? value : undefined);
/** @type {ByHand} */
const datetime = (value) => {
  if (typeof value !== 'string' || !DATETIME.test(value)) return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/\.?0*Z$/, 'Z');
};
/** @type {ByHand} */
const phone = (value) => {
  const parsed = isLine(value) ? parsePhoneNumberFromString(value, { extract: false }) : undefined;
  return parsed?.isValid() ? parsed.number : undefined;
};
const isLink = (/** @type {string} */ value) =>
  validator.isURL(value, { protocols: ['https'], require_protocol: true });
/** @type {ByHand} */
const options = (value) =>
  Array.isArray(value) && value.every((option) => INTERESTS.includes(option)) ? [...new Set(value)] : undefined;
/** @type {ByHand} */
const reference = (value) => (typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : undefined);

const day = (/** @type {number} */ index) => String((index % 28) + 1).padStart(2, '0');
const id = () => '0193c1a0-7b5e-7c3e-9f00-0123456789ab';

/** @type {readonly (readonly [name: string, type: string, value: (index: number) => unknown, byHand: ByHand])[]} */
const TABLE = [
  ['name', 'text', (i) => `Deal number ${i}`, only((value) => isLine(value) && [...value].length <= 120)],
  ['code', 'text', (i) => `AB-${1000 + i}`, only((value) => isLine(value) && CODE.matcher(value).find())],
  ['street', 'text', (i) => `${i} Main Street`, only(isLine)],
  ['city', 'text', () => 'Springfield', only((value) => isLine(value) && [...value].length >= 2)],
  ['notes', 'textarea', () => 'Called twice.\nWants an offer until Friday.', only((value) => isText(value, 100_000))],
  ['quantity', 'number', (i) => (i % 12) + 1, only((value) => isNumber(value) && value >= 1 && value <= 1000)],
  ['weight', 'number', (i) => i / 8, only(isNumber)],
  ['amount', 'currency', (i) => i * 100.25, only((value) => isNumber(value) && value >= 0)],
  ['discount', 'percent', (i) => i % 30, only((value) => isNumber(value) && value <= 100)],
  ['startDate', 'date', (i) => `2024-01-${day(i)}`, only(isDate)],
  ['closeDate', 'date', (i) => `2025-03-${day(i)}`, only(isDate)],
  ['meetingAt', 'datetime', (i) => `2025-02-${day(i)}T09:30:00Z`, datetime],
  ['email', 'email', (i) => `person${i}@example.com`, only((value) => isLine(value) && validator.isEmail(value))],
  ['phone', 'phone', (i) => `+49 30 1234${String(i).padStart(2, '0')}`, phone],
  ['website', 'url', (i) => `https://example.com/deals/${i}`, only((value) => isLine(value) && isLink(value))],
  ['stage', 'picklist', (i) => STAGES[i % STAGES.length], only((value) => STAGES.includes(value))],
  ['interests', 'multi_select', () => ['Golf', 'Chess'], options],
  ['active', 'checkbox', (i) => i % 2 === 0, only((value) => typeof value === 'boolean')],
  ['companyId', 'reference', id, reference],
  ['contactId', 'reference', id, reference],
];
const NAMES = new Set(TABLE.map(([name]) => name));
const REQUIRED = ['name', 'amount', 'closeDate', 'stage'];
const rule = (/** @type {string} */ type, /** @type {number | string} */ value) => ({ type, value });
/** @type {Readonly<Record<string, object>>} */
const MORE = {
  name: { validationRules: [rule('maxLength', 120)] },
  code: { validationRules: [rule('regex', PATTERN)] },
  city: { validationRules: [rule('minLength', 2)] },
  quantity: { validationRules: [rule('min', 1), rule('max', 1000)] },
  amount: { validationRules: [rule('min', 0)] },
  discount: { validationRules: [rule('max', 100)] },
  stage: { options: STAGES },
  interests: { options: INTERESTS },
  companyId: { referenceTarget: 'company' },
  contactId: { referenceTarget: 'contact' },
};

export const FIELDS = TABLE.map(([apiName, type]) => {
  const field = { apiName, type, required: REQUIRED.includes(apiName), ...MORE[apiName] };
  return /** @type {import('@crm/fields').FieldDefinition} */ (field);
});

/** @type {readonly Input[]} */
export const INPUTS = Array.from({ length: 64 }, (_, index) =>
  Object.fromEntries(TABLE.map(([name, _type, value]) => [name, value(index)])),
);

const CHECKS = TABLE.map(([name, _type, _value, byHand]) => ({ name, byHand, required: REQUIRED.includes(name) }));

/** The record in canonical form and the names of the fields that are wrong. @param {Input} input */
export function validateByHand(input) {
  /** @type {string[]} */
  const wrong = [];
  /** @type {Input} */
  const values = {};
  for (const { name, byHand, required } of CHECKS) {
    const value = input[name] ?? null;
    const parsed = value === null ? null : byHand(value);
    if (parsed === undefined || (required && (parsed === null || parsed === ''))) wrong.push(name);
    else values[name] = parsed;
  }
  for (const name of Object.keys(input)) if (!NAMES.has(name)) wrong.push(name);
  return { values, wrong };
}
