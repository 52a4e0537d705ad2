import { foldForSearch } from '@crm/fields';
import type { CoreObjectDefinition } from '../core-object/core-object.js';

/** What `q` looks through: the searched fields in the definition's order, folded, so that `ada lovelace` finds Ada. */
export function searchTextOf(definition: CoreObjectDefinition, values: Readonly<Record<string, unknown>>): string {
  const parts = definition.fields.filter((field) => field.searched).map((field) => values[field.name]);
  return foldForSearch(parts.filter((part) => typeof part === 'string').join(' '));
}
