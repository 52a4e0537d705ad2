import { PlatformError } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import type { AccessPlan } from '@crm/fields';
import type { EvaluationContext } from '@crm/formula';
import { type ListAnswer, type ListPage, type ListQuery, listAnswer, type Position, parsePage } from '@crm/http';

import { Injectable } from '@nestjs/common';
import { type ObjectCaller, type ObjectModel, ObjectModelStore } from '../object/object-model.js';
import type { StoredRecord } from '../reading/record.js';
import { recordJson } from '../reading/record.serializer.js';
import { CostlyQueries, queryCost } from './costly-query.service.js';
import { type RecordFilter, rowConditions } from './record-filter.js';
import { type RecordList, RecordListRepository, type RowCondition } from './record-list.repository.js';
import { parseSort, type RecordSort } from './record-sort.js';
import { SearchRepository } from './search.repository.js';
import { audiencesFor, containsText, searchedText, type TextSearch } from './search-text.js';

/** The tenant, identity and roles of the caller. */
type ListCaller = ObjectCaller & { readonly roles: readonly string[] };

/** The filter, search text and order of a list. */
export interface RecordSelection {
  readonly q?: string;
  /** Their parameters begin with $3. */
  readonly conditions: readonly RowCondition[];
  readonly sort: RecordSort;
}

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
      let { revision }: { revision: number | null } = model.object;
      let counted: number | undefined;
      const records = await readPage(
        page,
        async (portion) => {
          const isFirst = counted === undefined;
          const part = await this.read(
            caller.tenantId,
            model,
            plan,
            { q: query.q, conditions, sort },
            portion,
            isFirst,
          );
          counted ??= part.counted;
          // Nothing follows a portion that was read under another definition: what was read is discarded. A standard object
          // to which the tenant has added nothing has no revision there.
          if ((part.revision ?? 0) === revision) return part.records;
          revision = part.revision;
          return [];
        },
        (record) => recordJson(model, record, plan, clock),
        sort.positionOf,
      );
      const { rows, end } = records;
      return { revision, result: listAnswer(rows, page, counted ?? 0, () => end) };
    });
    return result;
  }

  /**
   * @param counts whether to count the matches of all pages
   * @throws QUERY_TOO_EXPENSIVE
   */
  private async read(
    tenantId: string,
    model: ObjectModel,
    plan: AccessPlan,
    { q, conditions, sort }: RecordSelection,
    page: ListPage,
    counts: boolean,
  ): Promise<RecordList> {
    const { id: objectId } = model.object;
    const searched = searchedText(q);
    const isCounted = counts && page.counts;
    const cost = queryCost(model, plan, { searched, conditions, sort }, { ...page, counts: isCounted });
    if (!cost) return this.records.list(tenantId, objectId, conditions, sort, page, isCounted);
    return this.costly.run(tenantId, cost, async (tx) => {
      if (!searched) return this.records.list(tenantId, objectId, conditions, sort, page, isCounted, tx);
      const search = { objectId, audiences: audiencesFor(model, plan), searched };
      return conditions.length === 0 && sort.by === null && sort.descending
        ? this.search(tx, search, sort, page, isCounted)
        : this.searchAmong(tx, search, conditions, sort, page, isCounted);
    });
  }

  /** The search itself finds page and count. */
  private async search(
    tx: TenantTransaction,
    search: TextSearch,
    sort: RecordSort,
    page: ListPage,
    isCounted: boolean,
  ): Promise<RecordList> {
    const { ids, counted } = await this.searches.search(tx, {
      ...search,
      after: page.after?.id ?? null,
      wanted: page.offset + page.limit,
      countLimit: isCounted ? page.countLimit : 0,
    });
    const found = [{ sql: 'id = ANY ($3::uuid[])', parameters: [ids.slice(page.offset)] }];
    const { after, ...whole } = { ...page, offset: 0 };
    const list = await this.records.list(tx.tenantId, search.objectId, found, sort, whole, false, tx);
    return { ...list, counted };
  }

  /** With a filter or another order the search is one more condition. */
  private async searchAmong(
    tx: TenantTransaction,
    search: TextSearch,
    conditions: readonly RowCondition[],
    sort: RecordSort,
    page: ListPage,
    isCounted: boolean,
  ): Promise<RecordList> {
    const first = 3 + conditions.reduce((sum, { parameters }) => sum + parameters.length, 0);
    const condition = (await this.among(tx, search, first)) ?? containsText(search, first);
    return this.records.list(tx.tenantId, search.objectId, [...conditions, condition], sort, page, isCounted, tx);
  }

  /** @returns null when there are too many matches, or the index cannot find them */
  private async among(tx: TenantTransaction, search: TextSearch, first: number): Promise<RowCondition | null> {
    if (!search.searched.isIndexed) return null;
    const most = MOST_CANDIDATES + 1;
    const { ids } = await this.searches.search(tx, { ...search, after: null, wanted: most, countLimit: 0 });
    return ids.length === most ? null : { sql: `id = ANY ($${first}::uuid[])`, parameters: [ids] };
  }
}

/** Records read at once: what is in memory before the amount of text is known. */
const PORTION = 50;

/**
 * Most text in one response, in UTF-16 code units: two hundred records with long texts could exhaust the memory of a
 * process.
 */
export const PAGE_TEXT_LIMIT = 4_000_000;

/** A page of serialized records. */
export interface ReadPage {
  /** One more than the page has when there are more. */
  readonly rows: string[];
  /** Position of the last record of the page, without the one more. */
  readonly end: Position;
}

/**
 * Reads and serializes a page in portions. Only text that the caller sees counts against the limit.
 * @throws INVALID_QUERY when the records have more text than fits in one response; a single record is always returned
 */
export async function readPage(
  page: ListPage,
  read: (portion: ListPage) => Promise<StoredRecord[]>,
  present: (record: StoredRecord) => string,
  positionOf: (record: StoredRecord) => Position,
): Promise<ReadPage> {
  const rows: string[] = [];
  let end: Position = { value: null, id: '' };
  let text = 0;
  let next = page;
  while (rows.length < page.limit) {
    const limit = Math.min(PORTION, page.limit - rows.length);
    const records = await read({ ...next, limit });
    for (const record of records) {
      const json = present(record);
      rows.push(json);
      text += json.length;
      if (rows.length === page.size) end = positionOf(record);
    }
    if (text > PAGE_TEXT_LIMIT && rows.length > 2) {
      throw new PlatformError('INVALID_QUERY', 'size: these records are too long for one answer; ask for fewer');
    }
    const last = records.at(-1);
    if (records.length < limit || last === undefined) break;
    next = { ...page, offset: 0, after: positionOf(last) };
  }
  return { rows, end };
}
