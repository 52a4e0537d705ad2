import { codePointLength } from '@crm/formula';
import type { FieldDefinition } from './field-definition.js';
import type { SlotKind } from './types/field-type.js';
import { fieldTypes } from './types/index.js';

/** Characters of a text that its typed column holds: at most 800 bytes of the 2,704 that a Postgres index row takes. */
export const SLOT_TEXT_LENGTH = 200;
/** Bytes of a unique key, below the 2,704 of a Postgres index row with room for the ids before it. */
export const UNIQUE_KEY_BYTES = 2400;

const utf8 = new TextEncoder();

export interface SlotValue {
  kind: SlotKind;
  value: string | number | Date;
  /** False when a long text was cut: the column finds candidates, the whole value decides. */
  exact: boolean;
}

/** What a canonical value puts into its typed column; null for an unset value and for a type without a column. */
export function slotValue(field: FieldDefinition, value: unknown): SlotValue | null {
  const type = fieldTypes.get(field.type);
  if (!type?.slotKind || value === null || value === undefined) return null;
  const slot = type.toSlot(value);
  if (typeof slot !== 'string' || slot.length <= SLOT_TEXT_LENGTH || codePointLength(slot) <= SLOT_TEXT_LENGTH) {
    return { kind: type.slotKind, value: slot, exact: true };
  }
  // Twice as many units hold enough code points; cutting by code point leaves no half of a pair.
  const prefix = [...slot.slice(0, SLOT_TEXT_LENGTH * 2)].slice(0, SLOT_TEXT_LENGTH).join('');
  return { kind: type.slotKind, value: prefix, exact: false };
}

/**
 * The key under which a unique field's value is kept: equal keys are the same value. Null for an unset field and for
 * a blank text, which may occur any number of times.
 */
export function uniqueKey(field: FieldDefinition, value: unknown): string | null {
  const type = fieldTypes.get(field.type);
  if (!type || value === null || value === undefined) return null;
  return type.toUniqueKey(value) || null;
}

/** Whether a unique key is too long for its index. */
export function isUniqueKeyTooLong(key: string): boolean {
  return key.length > UNIQUE_KEY_BYTES || utf8.encode(key).length > UNIQUE_KEY_BYTES;
}

/** The searchable text of a canonical value, not folded; null when it is unset or its type is not searched. */
export function searchText(field: FieldDefinition, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return fieldTypes.get(field.type)?.toSearchText(value) ?? null;
}
