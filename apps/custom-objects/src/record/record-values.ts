import { foldForSearch, searchText, slotValue } from '@crm/fields';
import type { ObjectModel } from '../object/object-model.js';

/** Canonical values by API name, as formulas and validation see them. */
export type FieldValues = Readonly<Record<string, unknown>>;

/** Longest text kept for the search index, in code units. */
const SEARCH_TEXT_LENGTH = 8_000;

/** Turns stored data, keyed by the fields' keys, into values by API name; a field that was never set is null. */
export function valuesOf(model: ObjectModel, data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of model.object.fields) {
    if (field.type !== 'formula') values[field.apiName] = data[field.key] ?? null;
  }
  return values;
}

/** Turns values by API name into stored data; unset fields take no space. */
export function dataOf(model: ObjectModel, values: FieldValues): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const field of model.object.fields) {
    const value = Object.hasOwn(values, field.apiName) ? values[field.apiName] : null;
    if (field.type !== 'formula' && value !== null) data[field.key] = value;
  }
  return data;
}

/** The typed columns that carry the values for filters, null where a slot is not used. */
export function slotsOf(model: ObjectModel, values: FieldValues): Map<string, string | number | null> {
  const slots = new Map<string, string | number | null>();
  for (const field of model.object.fields) {
    if (field.slot === null) continue;
    const value = slotValue(field, values[field.apiName] ?? null)?.value ?? null;
    // As text: the driver would write a Date in the process's own zone.
    slots.set(field.slot, value instanceof Date ? value.toISOString() : value);
  }
  return slots;
}

/**
 * The text that `q` searches: the values in the order of the fields, so that `ada lovelace` finds a first and a last name. It
 * contains only fields that everyone can read: a match on another field would reveal
 * its value to a caller who cannot read it, one letter at a time.
 */
export function searchTextOf(model: ObjectModel, values: FieldValues): string {
  const parts: string[] = [];
  for (const field of model.object.fields) {
    if (field.type === 'formula' || !model.publicPlan.readable.has(field.apiName)) continue;
    const text = searchText(field, values[field.apiName] ?? null);
    if (text !== null && text !== '') parts.push(foldForSearch(text));
  }
  return parts.join(' ').slice(0, SEARCH_TEXT_LENGTH);
}
