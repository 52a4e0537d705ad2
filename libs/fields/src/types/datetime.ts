import { formatInstant, parseInstant } from '@crm/formula';
import { accept, type FieldType, refuse } from './field-type.js';

export const datetime: FieldType = {
  name: 'datetime',
  slotKind: 'time',
  formulaType: 'datetime',
  allowedRules: [],
  mayBeUnique: true,
  /** Converts to UTC with `Z`; digits beyond the millisecond are dropped. */
  parse(input) {
    if (typeof input !== 'string') return refuse('WRONG_TYPE', 'Must be a date-time as text', { expected: 'string' });
    const instant = parseInstant(input);
    if (instant === null) {
      return refuse('INVALID_DATETIME', 'Must be an RFC 3339 date-time with its offset, as in 2024-02-29T09:30:00Z');
    }
    return accept(formatInstant(instant));
  },
  toSlot: (value) => new Date(value as string),
  toUniqueKey: (value) => value as string,
  toSearchText: () => null,
};
