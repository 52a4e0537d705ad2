import { type FieldType, refuse } from './field-type.js';

export const formula: FieldType = {
  name: 'formula',
  slotKind: null,
  formulaType: null,
  allowedRules: [],
  mayBeUnique: false,
  parse: () => refuse('FORMULA_NOT_WRITABLE', 'The field is computed and cannot be written'),
  toSlot: (value) => String(value),
  toUniqueKey: (value) => String(value),
  toSearchText: () => null,
};
