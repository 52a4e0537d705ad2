import { type FieldDefinition, fieldTypes, type SlotKind } from '@crm/fields';

/** Columns of each kind that a record row offers. */
const SLOTS: Readonly<Record<SlotKind, { prefix: string; count: number }>> = {
  text: { prefix: 's', count: 8 },
  number: { prefix: 'n', count: 8 },
  time: { prefix: 't', count: 4 },
};

/**
 * Assigns a typed column to each filterable field, in the order of the declaration. A field beyond the last column of its
 * kind can be filtered too, without an index.
 * @returns column by api-name, null for a field that has none
 */
export function assignSlots(fields: readonly FieldDefinition[]): Map<string, string | null> {
  const taken: Record<SlotKind, number> = { text: 0, number: 0, time: 0 };
  return new Map(
    fields.map((field) => {
      const kind = fieldTypes.get(field.type)?.slotKind ?? null;
      if (kind === null || taken[kind] >= SLOTS[kind].count) return [field.apiName, null];
      taken[kind] += 1;
      return [field.apiName, `${SLOTS[kind].prefix}${taken[kind]}`];
    }),
  );
}
