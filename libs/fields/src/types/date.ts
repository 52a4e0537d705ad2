import { parseDate } from '@crm/formula';
import { accept, type FieldType, refuse } from './field-type.js';

export const date: FieldType = {
  name: 'date',
  slotKind: 'time',
  formulaType: 'date',
  allowedRules: [],
  mayBeUnique: true,
  parse(input) {
    if (typeof input !== 'string') return refuse('WRONG_TYPE', 'Must be a date as text', { expected: 'string' });
    if (parseDate(input) === null) return refuse('INVALID_DATE', 'Must be a real date written YYYY-MM-DD');
    return accept(input);
  },
  /** Midnight UTC, because the column is a timestamp. */
  toSlot: (value) => new Date(`${value as string}T00:00:00Z`),
  toUniqueKey: (value) => value as string,
  toSearchText: () => null,
};
