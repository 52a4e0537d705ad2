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
import {
  type ListRequest,
  type RecordList,
  RecordListRepository,
  type RowCondition,
} from './record-list.repository.js';
import { parseSort } from './record-sort.js';
import { SearchRepository } from './search.repository.js';
import { audiencesFor, containsText, type SearchedText, searchedText, type TextSearch } from './search-text.js';

/** The tenant, identity and roles of the caller. */
type ListCaller = ObjectCaller & { readonly roles: readonly string[] };

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
      const read = async (portion: ListPage): Promise<StoredRecord[]> => {
        const counts = counted === undefined && page.counts;
        const part = await this.read(caller.tenantId, model, plan, searchedText(query.q), {
          objectId,
          conditions,
          sort,
          counts,
          page: portion,
        });
        counted ??= part.counted;
        // Nothing follows a portion that was read under another definition: what was read is discarded. A standard object
        // to which the tenant has added nothing has no revision there.
        if ((part.revision ?? 0) === revision) return part.records;
        revision = part.revision;
        return [];
      };
      const present = (record: StoredRecord) => recordJson(model, record, plan, clock);
      const { rows, end } = await readPage(page, read, present, sort.positionOf);
      return { revision, result: listAnswer(rows, page, counted ?? 0, () => end) };
    });
    return result;
  }

  /** @throws QUERY_TOO_EXPENSIVE */
  private async read(
    tenantId: string,
    model: ObjectModel,
    plan: AccessPlan,
    searched: SearchedText | null,
    list: ListRequest,
  ): Promise<RecordList> {
    const cost = queryCost(model, plan, searched, list);
    if (!cost) return this.records.list(tenantId, list);
    return this.costly.run(tenantId, cost, async (tx) => {
      if (!searched) return this.records.list(tenantId, list, tx);
      const { objectId, conditions, sort } = list;
      const search = { objectId, audiences: audiencesFor(model, plan), searched };
      if (conditions.length === 0 && sort.by === null && sort.descending) return this.search(tx, search, list);
      // With a filter or another order the search is one more condition.
      const first = 3 + conditions.reduce((sum, { parameters }) => sum + parameters.length, 0);
      const condition = (await this.among(tx, search, first)) ?? containsText(search, first);
      return this.records.list(tenantId, { ...list, conditions: [...conditions, condition] }, tx);
    });
  }

  /** The search itself finds page and count. */
  private async search(tx: TenantTransaction, search: TextSearch, list: ListRequest): Promise<RecordList> {
    const { page, counts } = list;
    const { ids, counted } = await this.searches.search(tx, {
      ...search,
      after: page.after?.id ?? null,
      wanted: page.offset + page.limit,
      countLimit: counts ? page.countLimit : 0,
    });
    const conditions = [{ sql: 'id = ANY ($3::uuid[])', parameters: [ids.slice(page.offset)] }];
    const { after, ...whole } = { ...page, offset: 0 };
    const found = await this.records.list(tx.tenantId, { ...list, conditions, page: whole, counts: false }, tx);
    return { ...found, counted };
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

/**
 * Reads and serializes a page in portions. Only text that the caller sees counts against the limit.
 * @returns rows, one more than the page has when there are more, and the position of the page's last record
 * @throws INVALID_QUERY when the records have more text than fits in one response; a single record is always returned
 */
export async function readPage(
  page: ListPage,
  read: (portion: ListPage) => Promise<StoredRecord[]>,
  present: (record: StoredRecord) => string,
  positionOf: (record: StoredRecord) => Position,
): Promise<{ rows: string[]; end: Position }> {
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
