import { setImmediate } from 'node:timers/promises';
import { PlatformError } from '@crm/contracts';
import type { Database } from '@crm/database';
import type { AccessPlan } from '@crm/fields';
import type { EvaluationContext } from '@crm/formula';
import { type ListAnswer, type ListPage, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { isInForce, type ObjectCaller, type ObjectModel, ObjectModelStore } from '../object/object-model.js';
import type { StoredRecord } from '../reading/record.js';
import { recordJson } from '../reading/record.serializer.js';
import { CostlyQueries, queryCost, sortCost } from './costly-query.service.js';
import { ListTotals } from './list-total.service.js';
import { ObjectSizes } from './object-size.service.js';
import { type RecordFilter, type RowCondition, rowConditions } from './record-filter.js';
import { FEW, type ListRequest, type RecordList, RecordListRepository } from './record-list.repository.js';
import { parseSort } from './record-sort.js';
import { SearchRepository } from './search.repository.js';
import { audiencesFor, containsText, type SearchedText, searchedText, type TextSearch } from './search-text.js';

/** The tenant, identity and roles of the caller. */
type ListCaller = ObjectCaller & { readonly roles: readonly string[] };

interface PresentedList extends RecordList {
  /** The JSON of each record. */
  readonly rows: string[];
}

type Present = (found: RecordList) => Promise<PresentedList>;

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
  ) {}

  /**
   * @returns a page with the JSON of each record
   * @throws INVALID_QUERY, NOT_FOUND, QUERY_TOO_EXPENSIVE
   */
  async list(
    caller: ListCaller,
    apiName: string,
    query: ListQuery & RecordFilter & { sort?: string },
    clock: EvaluationContext,
  ): Promise<ListAnswer<string>> {
    const { q = null, filterField = null, filterValue = null } = query;
    const { result } = await this.models.readAtOnce(caller, apiName, async (model) => {
      const { id: objectId } = model.object;
      const plan = model.planFor(caller.roles);
      // $1 is the tenant and $2 the object.
      const conditions = rowConditions(model, plan, query, 3, clock);
      const sort = parseSort(model, plan, query.sort);
      const page = parsePage(query, {
        tenantId: caller.tenantId,
        list: `records ${objectId}`,
        sort: sort.name,
        value: sort.by?.valueType,
        filter: [q, filterField, filterValue],
      });
      const present = (record: StoredRecord) => recordJson(model, record, plan, clock);
      const searched = searchedText(query.q);
      const audiences = searched && audiencesFor(model, plan);
      const filter = [conditions, searched?.text, audiences];
      const found = await this.totals.read({ tenantId: caller.tenantId, objectId }, filter, page, (part) =>
        this.read(
          // A count is for others too: it does not end with the connection of who asked first.
          part.limit === 0 ? { ...caller, connection: undefined } : caller,
          model,
          plan,
          searched,
          { objectId, conditions, sort, page: part },
          async (records) => ({
            ...records,
            rows: isInForce(model, records.revision) ? await presentPage(shownOf(records, page), present) : [],
          }),
        ),
      );
      const answer = listAnswer(found.records, page, found.counted, sort.positionOf);
      return { revision: found.revision, result: { ...answer, data: found.rows } };
    });
    return result;
  }

  /** @throws QUERY_TOO_EXPENSIVE */
  private async read(
    caller: ListCaller,
    model: ObjectModel,
    plan: AccessPlan,
    searched: SearchedText | null,
    list: ListRequest,
    present: Present,
  ): Promise<PresentedList> {
    const cost = queryCost(model, plan, searched, list);
    if (!cost) return this.bounded(caller, list, present);
    const { objectId, conditions, sort, page } = list;
    const isNewestFirst = conditions.length === 0 && sort.by === null && sort.descending;
    const isIndexed = searched?.isIndexed === true && isNewestFirst && page.countLimit !== null;
    const isBounded = isIndexed || (await this.sizes.isSmall(caller.tenantId, objectId));
    return this.costly.run(caller, { ...cost, isBounded }, async (database) => {
      if (!searched) return this.records.list(caller, list, present, database);
      const search = { objectId, audiences: audiencesFor(model, plan), searched };
      if (isNewestFirst) return this.records.search(database, caller, search, page, present);
      // With a filter or another order the search is one more condition.
      const first = 3 + conditions.reduce((sum, { parameters }) => sum + parameters.length, 0);
      const condition = (await this.among(database, caller, search, first)) ?? containsText(search, first);
      return this.records.list(caller, { ...list, conditions: [...conditions, condition] }, present, database);
    });
  }

  /**
   * Reads what an index has in order, and sorts few records. Whether it is better to sort the matches or to walk through the order is
   * known to no statistics, which all objects share, so that the matches are counted.
   */
  private async bounded(caller: ListCaller, list: ListRequest, present: Present): Promise<PresentedList> {
    const { sort, conditions, page } = list;
    if (!sort.by || conditions.every(({ slot }) => slot === sort.by?.sql)) {
      // What is skipped, and a count without a page, may take longer.
      return this.records.list(caller, { ...list, isInOrder: page.offset === 0 && page.limit > 0 }, present);
    }
    if (await this.sizes.isSmall(caller.tenantId, list.objectId)) return this.records.list(caller, list, present);
    const counted = { ...page, counts: true, countLimit: Math.max(FEW + 1, page.counts ? (page.countLimit ?? 0) : 0) };
    // Who wants no records wants the count.
    const isWanted = ({ counted }: RecordList) => counted <= FEW || page.limit === 0;
    const presentWanted: Present = async (found) => (isWanted(found) ? present(found) : { ...found, rows: [] });
    const found = await this.records.list(caller, { ...list, page: counted, few: true }, presentWanted);
    if (isWanted(found)) return found;
    return this.costly.run(caller, sortCost(list), (database) => this.records.list(caller, list, present, database));
  }

  /** @returns null when there are too many matches, or the index cannot find them */
  private async among(
    database: Database,
    caller: ListCaller,
    search: TextSearch,
    first: number,
  ): Promise<RowCondition | null> {
    if (!search.searched.isIndexed) return null;
    const most = MOST_CANDIDATES + 1;
    const ids = await this.searches.find(database, caller, search, most);
    return ids.length === most ? null : { sql: `id = ANY ($${first}::uuid[])`, parameters: [ids] };
  }
}

/**
 * Most text in one response, in UTF-16 code units: two hundred records with long texts could exhaust the memory of a
 * process.
 */
export const PAGE_TEXT_LIMIT = 4_000_000;

/** Without the record that was read to know whether more follow. */
const shownOf = ({ records, isWhole }: RecordList, { size }: ListPage) => ({
  records: records.slice(0, size),
  isWhole,
});

/** Characters of JSON that take about a millisecond to write. */
export const LONG_TEXT = 100_000;

/**
 * Serializes a page. Only text that the caller sees counts against the limit. A long page is written in parts: between them
 * the process does what else there is to do.
 * @throws INVALID_QUERY when the records have more text than fits in one response; a single record is always returned
 */
export async function presentPage(
  { records, isWhole }: Pick<RecordList, 'records' | 'isWhole'>,
  present: (record: StoredRecord) => string,
): Promise<string[]> {
  const rows: string[] = [];
  let [text, rested] = [0, 0];
  for (const record of records) {
    const json = present(record);
    text += json.length;
    rows.push(json);
    if (text > rested + LONG_TEXT) {
      rested = text;
      await setImmediate();
    }
    if (text > PAGE_TEXT_LIMIT && rows.length > 1) break;
  }
  if (!isWhole || (text > PAGE_TEXT_LIMIT && rows.length > 1)) {
    throw new PlatformError('INVALID_QUERY', 'size: these records are too long for one answer; ask for fewer');
  }
  return rows;
}
