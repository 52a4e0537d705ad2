import { type FieldDefinition, fieldTypes, type SlotKind } from '@crm/fields';

/** Columns of each kind that a record row offers. */
const SLOTS: Readonly<Record<SlotKind, { prefix: string; count: number }>> = {
  text: { prefix: 's', count: 8 },
  number: { prefix: 'n', count: 8 },
  time: { prefix: 't', count: 4 },
};

/** Types whose texts are long: nobody looks for their exact value. */
const LONG_TEXTS: ReadonlySet<string> = new Set(['textarea', 'url']);

/**
 * Assigns a typed column, which has an index, to each filterable field: first to those that the package declares `indexed`,
 * then to unique fields and references, then to the others, long texts last; among equals in the order of the declaration.
 * A field that finds no column left can be filtered too, without an index.
 * @returns column by api-name, null for a field that has none
 */
export function assignSlots(fields: readonly FieldDefinition[]): Map<string, string | null> {
  const taken: Record<SlotKind, number> = { text: 0, number: 0, time: 0 };
  const slots = new Map<string, string | null>(fields.map(({ apiName }) => [apiName, null]));
  for (const field of [...fields].sort((one, other) => rank(one) - rank(other))) {
    const kind = fieldTypes.get(field.type)?.slotKind ?? null;
    if (kind === null || taken[kind] >= SLOTS[kind].count) continue;
    taken[kind] += 1;
    slots.set(field.apiName, `${SLOTS[kind].prefix}${taken[kind]}`);
  }
  return slots;
}

/** How much a field profits from an index; 0 first. */
function rank({ indexed, is_unique, type }: FieldDefinition): number {
  if (indexed) return 0;
  if (is_unique || type === 'reference') return 1;
  return LONG_TEXTS.has(type) ? 3 : 2;
}
