import { decimalText } from '@crm/formula';
import { accept, type FieldType, NUMBER_RULES, refuse } from './field-type.js';

/** Upper limit of a number's magnitude: below it a float64 represents every integer, with at most 15 digits. */
export const NUMBER_BOUND = 1e15;

/** The largest double below it. */
const LARGEST_NUMBER = 999_999_999_999_999.9;

export const number: FieldType = {
  name: 'number',
  slotKind: 'number',
  formulaType: 'number',
  allowedRules: NUMBER_RULES,
  bound: LARGEST_NUMBER,
  mayBeUnique: true,
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
  toSearchText: () => null,
};
