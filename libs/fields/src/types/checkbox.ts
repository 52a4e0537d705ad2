import { accept, type FieldType, refuse } from './field-type.js';

export const checkbox: FieldType = {
  name: 'checkbox',
  slotKind: 'number',
  formulaType: 'boolean',
  allowedRules: [],
  mayBeUnique: false,
  parse: (input) =>
    typeof input === 'boolean' ? accept(input) : refuse('WRONG_TYPE', 'Must be true or false', { expected: 'boolean' }),
  toSlot: (value) => (value ? 1 : 0),
  toUniqueKey: (value) => String(value),
  toSearchText: () => null,
};
