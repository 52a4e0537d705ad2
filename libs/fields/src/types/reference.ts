import { accept, type FieldType, refuse } from './field-type.js';

/** A UUID of any version, as RFC 9562 writes it. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const reference: FieldType = {
  name: 'reference',
  slotKind: 'text',
  formulaType: 'text',
  allowedRules: [],
  mayBeUnique: true,
  /** Converts the id to lower case. The service checks whether the record exists. */
  parse(input) {
    if (typeof input !== 'string') return refuse('WRONG_TYPE', 'Must be the id of a record', { expected: 'string' });
    return UUID.test(input)
      ? accept(input.toLowerCase())
      : refuse('INVALID_REFERENCE', 'Must be the id of a record (a UUID)');
  },
  present: (value) => value,
  toSlot: (value) => value as string,
  toUniqueKey: (value) => value as string,
  toSearchText: () => null,
};
