import type { AccessPlan } from '@crm/fields';
import type { ListPage } from '@crm/http';
import type { ObjectModel } from '../object/object-model.js';
import type { RecordSort } from './record-sort.js';
import type { RowCondition } from './row-condition.js';
import type { SearchedText } from './search-text.js';

/** Why a query may take long: it names the parameter, and says what would help. */
export interface QueryCost {
  readonly cause: string;
  readonly help: string;
}

interface Query {
  readonly searched: SearchedText | null;
  readonly conditions: readonly RowCondition[];
  readonly sort: Pick<RecordSort, 'by' | 'name'>;
}

/**
 * What may make a query slow on an object with many records; null when an index bounds it.
 * @param plan the caller's: only fields that they can read are recommended
 */
export function queryCost(
  model: ObjectModel,
  plan: AccessPlan,
  { searched, conditions, sort }: Query,
  page: Pick<ListPage, 'counts' | 'countLimit'>,
): QueryCost | null {
  const field = conditions.find(({ unindexedField }) => unindexedField !== undefined)?.unindexedField;
  if (field !== undefined) {
    return {
      cause: `filterField: ${field} has no index`,
      help: `filter by ${indexedFields(model, plan, 'another field')}`,
    };
  }
  if (sort.by && !sort.by.isIndexed) {
    const help = `sort by createdAt or ${indexedFields(model, plan, 'id')}, or filter by such a field`;
    return { cause: `sort: ${sort.name.replace(/^-/, '')} has no index`, help };
  }
  if (page.counts && page.countLimit === null) {
    return { cause: 'count: exact counts every match', help: 'leave it out, then counting stops at 10,000' };
  }
  if (searched) {
    const cause = searched.isIndexed ? 'q: very many texts were compared' : 'q: a text so short has no index';
    return { cause, help: 'search for a longer text, of three letters or digits at least, or use count=none' };
  }
  return null;
}

/** @param otherwise what is recommended when no field has an index */
function indexedFields(model: ObjectModel, plan: AccessPlan, otherwise: string): string {
  const names = model.object.fields.flatMap(({ apiName, slot }) =>
    slot !== null && plan.readable.has(apiName) ? apiName : [],
  );
  return names.length === 0 ? otherwise : `a field with an index (${names.join(', ')})`;
}
