import type { Principal } from '@crm/access';
import type { Database } from '@crm/database';
import type { AccessPlan } from '@crm/fields';
import type { EvaluationContext } from '@crm/formula';
import { type ListAnswer, type ListPage, type ListQuery, listAnswer, type Position, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { StoredField } from '../object/object-definition.js';
import { isInForce, type ObjectModel, ObjectModelStore } from '../object/object-model.js';
import type { StoredRecord } from '../reading/record.js';
import { recordJson, unneededKeys } from '../reading/record.serializer.js';
import { CostlyQueries, queryCost, sortCost } from './costly-query.service.js';
import { ExpandedReferences, expandedFields, shownFields } from './expanded-references.service.js';
import type { RowCondition } from './filter-sql.js';
import { type PageText, presentPage } from './list-page.js';
import { ListTotals } from './list-total.service.js';
import { ObjectSizes } from './object-size.service.js';
import { type RecordFilter, rowConditions } from './record-filter.js';
import { firstAfter, type ListRequest, type RecordList, RecordListRepository } from './record-list.repository.js';
import { parseSort, sortedFields } from './record-sort.js';
import { SearchRepository } from './search.repository.js';
import { audiencesFor, containsText, type SearchedText, searchedText, type TextSearch } from './search-text.js';

/** The query string of a list of records. */
export type RecordQuery = ListQuery &
  RecordFilter & { readonly sort?: string; readonly fields?: string; readonly expand?: string };

interface PresentedList extends RecordList {
  /** The JSON of each record. */
  readonly rows: string[];
}

type Present = (found: RecordList) => Promise<PresentedList>;

/** Reads a part of a page, whose rows come after those that there are. */
type ReadPart = (part: ListPage, text: PageText) => Promise<PresentedList>;

/** Conditions whose records are counted before a list counts as costly. */
const MOST_TRIED = 3;
/** So many matches of a search can be handed to the statement that applies filter and order; more are looked up by it. */
const MOST_CANDIDATES = 1_000;

/** Reads lists: what an index bounds at once, the rest as a costly query, and searches with the index of their texts. */
@Injectable()
export class RecordListService {
  constructor(
    private readonly models: ObjectModelStore,
    private readonly records: RecordListRepository,
    private readonly searches: SearchRepository,
    private readonly costly: CostlyQueries,
    private readonly sizes: ObjectSizes,
    private readonly totals: ListTotals,
    private readonly references: ExpandedReferences,
  ) {}

  /**
   * @returns a page with the JSON of each record
   * @throws INVALID_QUERY, NOT_FOUND, QUERY_TOO_EXPENSIVE
   */
  async list(
    caller: Principal,
    apiName: string,
    query: RecordQuery,
    clock: EvaluationContext,
  ): Promise<ListAnswer<string>> {
    const { q = null, filterField = null, filterOp = null, filterValue = null, filter: groups = null } = query;
    const { result } = await this.models.readAtOnce(caller, apiName, async (model) => {
      const { id: objectId } = model.object;
      const plan = model.planFor(caller.roles);
      // $1 is the tenant and $2 the object.
      const conditions = rowConditions(model, plan, query, 3, { ...clock, userId: caller.userId });
      const sort = parseSort(model, plan, query.sort, clock);
      const shown = shownFields(model, plan, query.fields);
      const references = expandedFields(model, plan, query.expand);
      const sorted = sortedFields(query.sort ?? null).flatMap((name) => model.fieldsByName.get(name) ?? []);
      const unneeded = unneededKeys(model, shown, [...sorted, ...references]);
      const page = parsePage(query, {
        tenantId: caller.tenantId,
        list: `records ${objectId}`,
        sort: sort.name,
        value: sort.keys ? 'text' : sort.by?.valueType,
        filter: [q, filterField, filterOp, filterValue, groups],
      });
      const present = (record: StoredRecord) => recordJson(model, record, shown, clock);
      const searched = searchedText(query.q);
      const audiences = searched && audiencesFor(model, plan);
      const filter = [conditions, searched?.text, audiences];
      const readPart: ReadPart = (part, text) =>
        this.read(
          // A count is for others too: it does not end with the connection of who asked first.
          part.limit === 0 ? { ...caller, connection: undefined } : caller,
          model,
          plan,
          searched,
          { objectId, conditions, sort, page: part, unneeded },
          async (found) => {
            // Without the record that is read to know whether more follow.
            const shown = found.records.slice(0, page.size - text.rows.length);
            if (isInForce(model, found.revision)) await presentPage(text, shown, present);
            return { ...found, rows: text.rows };
          },
        );
      const found = await this.totals.read({ tenantId: caller.tenantId, objectId }, filter, page, (part) =>
        inParts(model, part, readPart, sort.positionOf, references),
      );
      const answer = listAnswer(found.records, page, found.counted, sort.positionOf);
      const data = await this.references.expand(caller, references, answer.data, found.rows, clock);
      return { revision: found.revision, result: { ...answer, data } };
    });
    return result;
  }

  /** @throws QUERY_TOO_EXPENSIVE */
  private async read(
    caller: Principal,
    model: ObjectModel,
    plan: AccessPlan,
    searched: SearchedText | null,
    list: ListRequest,
    present: Present,
  ): Promise<PresentedList> {
    const cost = queryCost(model, plan, searched, list);
    if (!cost) return this.bounded(caller, list, present);
    const { objectId, conditions, sort, page, unneeded } = list;
    const few = searched ? null : await this.fewRecords(caller, list, present);
    if (few) return few;
    const isNewestFirst = conditions.length === 0 && sort.by === null && !sort.keys && sort.descending;
    const isIndexed = searched?.isIndexed === true && isNewestFirst && page.countLimit !== null;
    const isBounded = isIndexed || (await this.sizes.isSmall(caller.tenantId, objectId));
    return this.costly.run(caller, { ...cost, isBounded }, async (database) => {
      if (!searched) return this.records.list(caller, list, present, database);
      const search = { objectId, audiences: audiencesFor(model, plan), searched };
      if (isNewestFirst) return this.records.search(database, caller, search, page, unneeded, present);
      // With a filter or another order the search is one more condition.
      const condition = await this.searchCondition(database, caller, search, firstAfter(conditions));
      return this.records.list(caller, { ...list, conditions: [...conditions, condition] }, present, database);
    });
  }

  /**
   * Reads what an index has in order, and sorts few records. Whether it is better to sort the matches or to walk through the order is
   * known to no statistics, which all objects share, so that the matches are counted.
   */
  private async bounded(caller: Principal, list: ListRequest, present: Present): Promise<PresentedList> {
    const { sort, conditions, page } = list;
    const isInOrder = sort.by
      ? conditions.every(({ slot }) => slot === sort.by?.sql)
      : conditions.every(({ isRange }) => !isRange);
    // A page without records is only counted, unless listed values need the form that uses their index.
    if (isInOrder || (page.limit === 0 && !conditions.some(({ bySlot }) => bySlot))) {
      // What is skipped, and a count without a page, may take longer.
      return this.records.list(caller, { ...list, isInOrder: page.offset === 0 && page.limit > 0 }, present);
    }
    if (await this.sizes.isSmall(caller.tenantId, list.objectId)) return this.records.list(caller, list, present);
    const few = await this.fewRecords(caller, list, present);
    if (few) return few;
    return this.costly.run(caller, sortCost(list), (database) => this.records.list(caller, list, present, database));
  }

  /** @returns null when no condition has few records */
  private fewRecords(caller: Principal, list: ListRequest, present: Present): Promise<PresentedList | null> {
    const presentFew: Present = async (found) => (found.tooMany ? { ...found, rows: [] } : present(found));
    return readByDriver(list.conditions, (driver) => this.records.list(caller, { ...list, driver }, presentFew));
  }

  /** The matches of a search, which the index finds where it can and they are not too many. @param first number of the first free parameter */
  async searchCondition(
    database: Database,
    caller: Principal,
    search: TextSearch,
    first: number,
  ): Promise<RowCondition> {
    if (!search.searched.isIndexed) return containsText(search, first);
    const most = MOST_CANDIDATES + 1;
    const ids = await this.searches.find(database, caller, search, most);
    return ids.length === most
      ? containsText(search, first)
      : { sql: `id = ANY ($${first}::uuid[])`, parameters: [ids] };
  }
}

/**
 * Reads by a condition of which an index finds so few records that the others and the order take no time.
 * @param read by the condition of this number
 * @returns null when there is none
 */
export async function readByDriver<Found extends { readonly tooMany?: boolean }>(
  conditions: readonly RowCondition[],
  read: (driver: number) => Promise<Found>,
): Promise<Found | null> {
  const indexed = conditions.filter(({ slot }) => slot !== undefined);
  // One value has fewer records than a range, mostly.
  const likely = [...indexed.filter(({ isRange }) => !isRange), ...indexed.filter(({ isRange }) => isRange)];
  for (const condition of likely.slice(0, MOST_TRIED)) {
    const found = await read(conditions.indexOf(condition));
    if (!found.tooMany) return found;
  }
  return null;
}

/**
 * Reads a page whose records have more, in what formulas read and nobody is shown, than a statement returns: what follows is read by
 * further statements, so that no bound tells how long that is.
 * @param references whose values are kept of records that have been written
 */
async function inParts(
  model: ObjectModel,
  page: ListPage,
  read: ReadPart,
  positionOf: (record: StoredRecord) => Position,
  references: readonly StoredField[],
): Promise<PresentedList> {
  const text: PageText = { rows: [], length: 0 };
  let part = await read(page, text);
  const { counted } = part;
  const records: StoredRecord[] = [];
  for (
    let last = part.records.at(-1);
    last && !part.isWhole && isInForce(model, part.revision);
    last = part.records.at(-1)
  ) {
    records.push(...part.records.slice(0, -1).map((record) => withOnly(references, record)));
    records.push(withOnly(model.object.fields, last));
    const limit = page.limit - records.length;
    part = await read({ ...page, after: positionOf(last), offset: 0, limit, counts: false, countLimit: 0 }, text);
  }
  return records.length === 0 ? part : { ...part, counted, records: [...records, ...part.records] };
}

/** Without the text that it was read from. */
const withOnly = (fields: readonly StoredField[], { data, ...head }: StoredRecord): StoredRecord => ({
  ...head,
  data: Object.fromEntries(fields.map(({ key }) => [key, data[key]])),
});
