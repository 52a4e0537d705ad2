// A record of 20 fields, and a validator written by hand for them, with the same libraries for e-mail addresses, links, phone
// numbers and patterns.
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { RE2JS } from 're2js';
import validator from 'validator';

const STAGES = ['New', 'Qualified', 'Proposal', 'Won', 'Lost'];
const INTERESTS = ['Golf', 'Sailing', 'Chess', 'Opera'];

/** @type {import('@crm/fields').ValidationRule[]} */
const QUANTITY = [
  { type: 'min', value: 1 },
  { type: 'max', value: 1000 },
];

/** @type {import('@crm/fields').FieldDefinition[]} */
export const FIELDS = [
  { apiName: 'name', type: 'text', required: true, validationRules: [{ type: 'maxLength', value: 120 }] },
  { apiName: 'code', type: 'text', validationRules: [{ type: 'regex', value: '^[A-Z]{2}-[0-9]{4}$' }] },
  { apiName: 'street', type: 'text' },
  { apiName: 'city', type: 'text', validationRules: [{ type: 'minLength', value: 2 }] },
  { apiName: 'notes', type: 'textarea' },
  { apiName: 'quantity', type: 'number', validationRules: QUANTITY },
  { apiName: 'weight', type: 'number' },
  { apiName: 'amount', type: 'currency', required: true, validationRules: [{ type: 'min', value: 0 }] },
  { apiName: 'discount', type: 'percent', validationRules: [{ type: 'max', value: 100 }] },
  { apiName: 'startDate', type: 'date' },
  { apiName: 'closeDate', type: 'date', required: true },
  { apiName: 'meetingAt', type: 'datetime' },
  { apiName: 'email', type: 'email' },
  { apiName: 'phone', type: 'phone' },
  { apiName: 'website', type: 'url' },
  { apiName: 'stage', type: 'picklist', options: STAGES, required: true },
  { apiName: 'interests', type: 'multi_select', options: INTERESTS },
  { apiName: 'active', type: 'checkbox' },
  { apiName: 'companyId', type: 'reference', referenceTarget: 'company' },
  { apiName: 'contactId', type: 'reference', referenceTarget: 'contact' },
];

/** @typedef {Record<string, unknown>} Input */

const day = (/** @type {number} */ index) => String((index % 28) + 1).padStart(2, '0');

/** @type {readonly Input[]} */
export const INPUTS = Array.from({ length: 64 }, (_, index) => ({
  name: `Deal number ${index}`,
  code: `AB-${1000 + index}`,
  street: `${index} Main Street`,
  city: 'Springfield',
  notes: 'Called twice.\nWants an offer until Friday.',
  quantity: (index % 12) + 1,
  weight: index / 8,
  amount: index * 100.25,
  discount: index % 30,
  startDate: `2024-01-${day(index)}`,
  closeDate: `2025-03-${day(index)}`,
  meetingAt: `2025-02-${day(index)}T09:30:00Z`,
  email: `person${index}@example.com`,
  phone: `+49 30 1234${String(index).padStart(2, '0')}`,
  website: `https://example.com/deals/${index}`,
  stage: STAGES[index % STAGES.length],
  interests: ['Golf', 'Chess'],
  active: index % 2 === 0,
  companyId: '0193c1a0-7b5e-7c3e-9f00-0123456789ab',
  contactId: '0193c1a0-7b5e-7c3e-9f00-0123456789ac',
}));

const CODE = RE2JS.compile('^[A-Z]{2}-[0-9]{4}$');
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATETIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const UNSTORABLE = /[\0\p{Cs}]/u;
const NAMES = new Set(FIELDS.map(({ apiName }) => apiName));

/** @param {unknown} value @param {number} limit @returns {value is string} */
const isText = (value, limit) => typeof value === 'string' && value.length <= limit && !UNSTORABLE.test(value);
/** @param {unknown} value @returns {value is string} */
const isLine = (value) => isText(value, 4000) && !/[\n\v\f\r\u0085\u2028\u2029]/.test(value);
/** @param {unknown} value @returns {value is number} */
const isNumber = (value) => typeof value === 'number' && Math.abs(value) < 1e15;
/** @param {unknown} value */
const isDate = (value) => {
  const [text, year, month, date] = (typeof value === 'string' && DATE.exec(value)) || [];
  return text && new Date(Date.UTC(Number(year), Number(month) - 1, Number(date))).toISOString().startsWith(text);
};

/** The record in canonical form and the names of the fields that are wrong. @param {Input} input */
export function validateByHand(input) {
  /** @type {string[]} */
  const wrong = [];
  /** @type {Input} */
  const values = {};
  /** @param {string} name @param {boolean} required @param {(value: unknown) => unknown} parse undefined when wrong */
  const take = (name, required, parse) => {
    const value = input[name] ?? null;
    const parsed = value === null ? null : parse(value);
    if (parsed === undefined || (required && (parsed === null || parsed === ''))) wrong.push(name);
    else values[name] = parsed;
  };
  take('name', true, (value) => (isLine(value) && [...value].length <= 120 ? value : undefined));
  take('code', false, (value) => (isLine(value) && CODE.matcher(value).find() ? value : undefined));
  take('street', false, (value) => (isLine(value) ? value : undefined));
  take('city', false, (value) => (isLine(value) && [...value].length >= 2 ? value : undefined));
  take('notes', false, (value) => (isText(value, 100_000) ? value : undefined));
  take('quantity', false, (value) => (isNumber(value) && value >= 1 && value <= 1000 ? value : undefined));
  take('weight', false, (value) => (isNumber(value) ? value : undefined));
  take('amount', true, (value) => (isNumber(value) && value >= 0 ? value : undefined));
  take('discount', false, (value) => (isNumber(value) && value <= 100 ? value : undefined));
  take('startDate', false, (value) => (isDate(value) ? value : undefined));
  take('closeDate', true, (value) => (isDate(value) ? value : undefined));
  take('meetingAt', false, (value) => {
    if (typeof value !== 'string' || !DATETIME.test(value)) return undefined;
    const date = new Date(value);
    return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/\.?0*Z$/, 'Z');
  });
  take('email', false, (value) => (isLine(value) && validator.isEmail(value) ? value : undefined));
  take('phone', false, (value) => {
    const phone = isLine(value) ? parsePhoneNumberFromString(value, { extract: false }) : undefined;
    return phone?.isValid() ? phone.number : undefined;
  });
  take('website', false, (value) =>
    isLine(value) && validator.isURL(value, { protocols: ['https'], require_protocol: true }) ? value : undefined,
  );
  take('stage', true, (value) => (STAGES.includes(/** @type {string} */ (value)) ? value : undefined));
  take('interests', false, (value) =>
    Array.isArray(value) && value.every((option) => INTERESTS.includes(option)) ? [...new Set(value)] : undefined,
  );
  take('active', false, (value) => (typeof value === 'boolean' ? value : undefined));
  for (const name of ['companyId', 'contactId']) {
    take(name, false, (value) => (typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : undefined));
  }
  for (const name of Object.keys(input)) if (!NAMES.has(name)) wrong.push(name);
  return { values, wrong };
}
