import { type FieldDefinition, fieldTypes, SLOT_COUNTS, type SlotKind } from '@crm/fields';

/** First letters of the columns of each kind that a record row offers. */
const PREFIXES: Readonly<Record<SlotKind, string>> = { text: 's', number: 'n', time: 't' };

/** Types whose texts are long: nobody looks for their exact value. */
const LONG_TEXTS: ReadonlySet<string> = new Set(['textarea', 'url']);

/**
 * Assigns a typed column, which has an index, to the fields that lists are filtered and sorted by. Each index costs every
 * write, so an object that declares `indexed` fields has columns for these, for unique fields and for references only.
 * Otherwise every filterable field gets one while there are any: unique fields and references first, long texts last. A
 * field without a column can be filtered too, without an index.
 * @returns column by api-name, null for a field that has none
 */
export function assignSlots(fields: readonly FieldDefinition[]): Map<string, string | null> {
  const taken: Record<SlotKind, number> = { text: 0, number: 0, time: 0 };
  const slots = new Map<string, string | null>(fields.map(({ apiName }) => [apiName, null]));
  const lastRank = fields.some(({ indexed }) => indexed) ? 1 : 3;
  for (const field of [...fields].sort((one, other) => rank(one) - rank(other))) {
    const kind = fieldTypes.get(field.type)?.slotKind ?? null;
    if (kind === null || rank(field) > lastRank || taken[kind] >= SLOT_COUNTS[kind]) continue;
    taken[kind] += 1;
    slots.set(field.apiName, `${PREFIXES[kind]}${taken[kind]}`);
  }
  return slots;
}

/** How much a field profits from an index; 0 first. */
function rank({ indexed, is_unique, type }: FieldDefinition): number {
  if (indexed) return 0;
  if (is_unique || type === 'reference') return 1;
  return LONG_TEXTS.has(type) ? 3 : 2;
}
