import type { TenantTransaction } from '@crm/database';
import type { AccessPlan } from '@crm/fields';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { ObjectModel } from '../object/object-model.js';
import { CostlyQueries } from './costly-query.service.js';
import { queryCost } from './query-cost.js';
import { type RecordList, RecordRepository } from './record.repository.js';
import type { RecordSort } from './record-sort.js';
import type { RowCondition } from './row-condition.js';
import { SearchRepository } from './search.repository.js';
import { audiencesFor, searchedText } from './search-text.js';
import { containsText, type TextSearch } from './text-condition.js';

/** What selects and orders the records of a list. */
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
    private readonly records: RecordRepository,
    private readonly searches: SearchRepository,
    private readonly costly: CostlyQueries,
  ) {}

  /**
   * @param plan the caller's, which has decided about the conditions too
   * @param counts whether to count the matches of all pages
   * @throws QUERY_TOO_EXPENSIVE
   */
  async read(
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
