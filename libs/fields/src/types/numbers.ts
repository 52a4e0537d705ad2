import { decimalText, formatInstant, parseDate, parseInstant } from '@crm/formula';
import { accept, type FieldType, NUMBER_RULES, PLAIN, refuse } from './field-type.js';

/** Upper limit of a number's magnitude: below it a float64 represents every integer, with at most 15 digits. */
const NUMBER_BOUND = 1e15;

/** The largest double below it. */
const LARGEST_NUMBER = 999_999_999_999_999.9;

export const number: FieldType = {
  ...PLAIN,
  summary: 'a finite number below 10^15',
  examples: [1200.5, 0, -3],
  schema: { type: 'number' },
  storage: 'number',
  slotKind: 'number',
  formulaType: 'number',
  allowedRules: NUMBER_RULES,
  bound: LARGEST_NUMBER,
  parse(input) {
    if (typeof input !== 'number') return refuse('WRONG_TYPE', 'Must be a number', { expected: 'number' });
    if (!(Math.abs(input) < NUMBER_BOUND)) {
      return refuse('OUT_OF_RANGE', 'Must be between -10^15 and 10^15', { bound: NUMBER_BOUND });
    }
    // -0 becomes 0: JSON writes both as 0.
    return accept(input + 0);
  },
  toSlot: (value) => value as number,
  toUniqueKey: (value) => decimalText(value as number),
};

export const checkbox: FieldType = {
  ...PLAIN,
  summary: 'true or false',
  examples: [true, false],
  schema: { type: 'boolean' },
  slotKind: 'number',
  formulaType: 'boolean',
  mayBeUnique: false,
  parse: (input) =>
    typeof input === 'boolean' ? accept(input) : refuse('WRONG_TYPE', 'Must be true or false', { expected: 'boolean' }),
  toSlot: (value) => (value ? 1 : 0),
  toUniqueKey: (value) => String(value),
};

export const date: FieldType = {
  ...PLAIN,
  summary: 'a day',
  examples: ['2026-03-01', '1999-12-31'],
  invalid: 'Not a real date written YYYY-MM-DD',
  schema: { type: 'string', format: 'date' },
  slotKind: 'time',
  formulaType: 'date',
  parse(input) {
    if (typeof input !== 'string') return refuse('WRONG_TYPE', 'Must be a date in a string', { expected: 'string' });
    if (parseDate(input) === null) return refuse('INVALID_DATE', 'Must be an existing date such as 2026-03-01');
    return accept(input);
  },
  /** Midnight UTC, because the column is a timestamp. */
  toSlot: (value) => new Date(`${value as string}T00:00:00Z`),
};

export const datetime: FieldType = {
  ...PLAIN,
  summary: 'a date and time (RFC 3339), stored as UTC with milliseconds',
  examples: ['2026-03-01T09:30:00Z', '1999-12-31T22:30:00Z'],
  invalid: 'Not an RFC 3339 date-time',
  schema: { type: 'string', format: 'date-time' },
  slotKind: 'time',
  formulaType: 'datetime',
  /** Converts to UTC with `Z`; digits beyond the millisecond are dropped. */
  parse(input) {
    if (typeof input !== 'string')
      return refuse('WRONG_TYPE', 'Must be a date and time in a string', { expected: 'string' });
    const instant = parseInstant(input);
    if (instant === null) {
      return refuse(
        'INVALID_DATETIME',
        'Must be an RFC 3339 date and time with an offset, such as 2024-02-29T09:30:00Z',
      );
    }
    return accept(formatInstant(instant));
  },
  toSlot: (value) => new Date(value as string),
};

export const formula: FieldType = {
  ...PLAIN,
  summary: 'computed; its type follows from the expression',
  examples: [],
  schema: { type: 'string' },
  slotKind: null,
  formulaType: null,
  mayBeUnique: false,
  parse: () => refuse('FORMULA_NOT_WRITABLE', "Formulas are computed and can't be written"),
  toSlot: (value) => String(value),
  toUniqueKey: (value) => String(value),
};
