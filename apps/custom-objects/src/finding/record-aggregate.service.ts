import type { Principal } from '@crm/access';
import { TenantDirectory } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { ObjectModelStore } from '../object/object-model.js';
import { type AggregateRequest, type AggregateSql, aggregateSql } from './aggregate-query.js';
import { CostlyQueries } from './costly-query.service.js';
import { PAGE_TEXT_LIMIT, tooLong } from './list-page.js';
import { ObjectSizes } from './object-size.service.js';
import { type AggregateOptions, type Groups, RecordAggregateRepository } from './record-aggregate.repository.js';
import { type RecordFilter, rowConditions } from './record-filter.js';
import { firstAfter } from './record-list.repository.js';
import { RecordListService, readByDriver } from './record-list.service.js';
import { audiencesFor, searchedText } from './search-text.js';

const COST = {
  cause: 'metrics: every matching record has to be read',
  help: 'filter by an indexed field so that fewer records match',
};

/** Counts and measures the records of a list by groups: one that says no more than the list does. */
@Injectable()
export class RecordAggregateService {
  constructor(
    private readonly models: ObjectModelStore,
    private readonly aggregates: RecordAggregateRepository,
    private readonly lists: RecordListService,
    private readonly costly: CostlyQueries,
    private readonly sizes: ObjectSizes,
    private readonly tenants: TenantDirectory,
  ) {}

  /**
   * @returns JSON: numbers are exact decimals, which would not survive a number of JavaScript
   * @throws INVALID_QUERY, NOT_FOUND, QUERY_TOO_EXPENSIVE
   */
  async aggregate(caller: Principal, apiName: string, query: RecordFilter & AggregateRequest): Promise<string> {
    const { timeZone } = await this.tenants.get(caller.tenantId);
    const clock = { now: new Date(), timeZone };
    const { result } = await this.models.readAtOnce(caller, apiName, async (model) => {
      const { id: objectId } = model.object;
      const plan = model.planFor(caller.roles);
      const conditions = rowConditions(model, plan, query, 3, { ...clock, userId: caller.userId });
      const sqlAfter = (all: typeof conditions) => aggregateSql(model, plan, query, firstAfter(all), clock);
      const sql = sqlAfter(conditions);
      const searched = searchedText(query.q);
      const read = async (all: typeof conditions, aggregate: AggregateSql, options: AggregateOptions) => {
        const found = await this.aggregates.aggregate(caller, objectId, all, aggregate, options);
        return { revision: found.revision, result: found, tooMany: found.tooMany };
      };
      const few = searched ? null : await readByDriver(conditions, (driver) => read(conditions, sql, { driver }));
      if (few) return few;
      const isBounded = await this.sizes.isSmall(caller.tenantId, objectId);
      return this.costly.run(caller, { ...COST, isBounded }, async (database) => {
        if (!searched) return read(conditions, sql, { database });
        const search = { objectId, audiences: audiencesFor(model, plan), searched };
        const found = await this.lists.searchCondition(database, caller, search, firstAfter(conditions));
        const all = [...conditions, found];
        return read(all, sqlAfter(all), { database });
      });
    });
    return answerOf(result);
  }
}

function answerOf({ groups, hasMore }: Groups): string {
  if (groups !== null && groups.length > PAGE_TEXT_LIMIT) throw tooLong('groupBy');
  return `{"data":${groups ?? '[]'},"hasMore":${hasMore}}`;
}
