import { optionIndex } from '../options.js';
import { accept, type FieldType, refuse } from './field-type.js';

export const picklist: FieldType = {
  name: 'picklist',
  slotKind: 'text',
  formulaType: 'text',
  allowedRules: [],
  mayBeUnique: true,
  parse(input, field) {
    if (typeof input !== 'string') return refuse('WRONG_TYPE', 'Must be an option as text', { expected: 'string' });
    const options = optionIndex(field);
    return options.has(input)
      ? accept(input)
      : refuse('NOT_AN_OPTION', 'Must be one of the options', { options: [...options.keys()] });
  },
  toSlot: (value) => value as string,
  toUniqueKey: (value) => value as string,
  toSearchText: (value) => value as string,
};
