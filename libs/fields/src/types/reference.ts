import { isUuid } from '@crm/contracts';
import { accept, type FieldType, refuse } from './field-type.js';

export const reference: FieldType = {
  name: 'reference',
  slotKind: 'text',
  formulaType: 'text',
  allowedRules: [],
  mayBeUnique: true,
  /** Converts the id to lower case. The service checks whether the record exists. */
  parse(input) {
    if (typeof input !== 'string') return refuse('WRONG_TYPE', 'Must be the id of a record', { expected: 'string' });
    return isUuid(input)
      ? accept(input.toLowerCase())
      : refuse('INVALID_REFERENCE', 'Must be the id of a record (a UUID)');
  },
  toSlot: (value) => value as string,
  toUniqueKey: (value) => value as string,
  toSearchText: () => null,
};
