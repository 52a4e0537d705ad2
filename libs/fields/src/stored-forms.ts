import { codePointLength } from '@crm/formula';
import type { FieldDefinition } from './field-definition.js';
import type { SlotKind } from './types/field-type.js';
import { fieldTypes } from './types/index.js';

/** Characters of a text in its typed column: at most 800 bytes of the 2,704 that a Postgres index row can have. */
export const SLOT_TEXT_LENGTH = 200;
/** Maximum bytes of a unique key: a Postgres index row of 2,704 bytes also contains the ids before it. */
export const UNIQUE_KEY_BYTES = 2400;

const utf8 = new TextEncoder();

export interface SlotValue {
  kind: SlotKind;
  value: string | number | Date;
  /** False when a long text was truncated: the column finds candidates, the whole value decides. */
  exact: boolean;
}

/**
 * What typed columns have of a record without a value: it comes after every value, so that one index has all records of the
 * object in order and finds those without a value too. No field takes U+10FFFF, a noncharacter, and none infinity.
 */
export const UNSET_SLOTS: Readonly<Record<SlotKind, string>> = {
  text: '\u{10FFFF}',
  number: 'infinity',
  time: 'infinity',
};

/** The value of the typed column for a canonical value; null for an unset value and for a type without a column. */
export function slotValue(field: FieldDefinition, value: unknown): SlotValue | null {
  const type = fieldTypes.get(field.type);
  if (!type?.slotKind || value === null || value === undefined) return null;
  const slot = type.toSlot(value);
  if (typeof slot !== 'string' || slot.length <= SLOT_TEXT_LENGTH || codePointLength(slot) <= SLOT_TEXT_LENGTH) {
    return { kind: type.slotKind, value: slot, exact: true };
  }
  // Twice as many units contain enough code points; truncating by code point does not split a surrogate pair.
  const prefix = [...slot.slice(0, SLOT_TEXT_LENGTH * 2)].slice(0, SLOT_TEXT_LENGTH).join('');
  return { kind: type.slotKind, value: prefix, exact: false };
}

/**
 * The key of a unique field's value: equal keys mean equal values. Null for an unset field and for a blank text, which
 * may occur any number of times.
 */
export function uniqueKey(field: FieldDefinition, value: unknown): string | null {
  const type = fieldTypes.get(field.type);
  if (!type || value === null || value === undefined) return null;
  return type.toUniqueKey(value) || null;
}

export function isUniqueKeyTooLong(key: string): boolean {
  return key.length > UNIQUE_KEY_BYTES || utf8.encode(key).length > UNIQUE_KEY_BYTES;
}

/** The searchable text of a canonical value, not folded; null when it is unset or its type is not searched. */
export function searchText(field: FieldDefinition, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return fieldTypes.get(field.type)?.toSearchText(value) ?? null;
}
