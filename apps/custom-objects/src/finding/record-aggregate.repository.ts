import { Database, TENANT_OF_STATEMENT, type TransactionOrigin } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { REVISION } from '../reading/record.repository.js';
import type { AggregateSql } from './aggregate-query.js';
import type { RowCondition } from './filter-sql.js';
import { rowsOf } from './record-list.repository.js';

/** Most groups of an answer: the largest. */
export const MAX_GROUPS = 1_000;

/**
 * One row with the revision and a JSON array of the groups, the largest first. $1: tenant, $2: object,
 * from $3: the parameters of the conditions, then those of the aggregate.
 * @param driver the condition by which few records are found before the others are looked at, by its number
 */
export function aggregateRecords(
  conditions: readonly RowCondition[],
  { groups, measures, json, slot }: Omit<AggregateSql, 'parameters'>,
  driver?: number,
): string {
  const names = groups.map((_, index) => `g${index}`);
  const columns = [
    ...groups.map((sql, index) => `${sql} AS ${names[index]}`),
    'count(*) AS n',
    ...measures.map((sql, index) => `${sql} AS m${index}`),
  ];
  const groupBy = names.length === 0 ? '' : `GROUP BY ${names.join(', ')}`;
  // Said for the planner, which would read the rows: live records have a value in each slot of their object.
  const isByIndex = slot !== undefined && conditions.length === 0;
  const { rows, driven } = rowsOf(isByIndex ? [{ sql: `${slot} IS NOT NULL`, parameters: [] }] : conditions, driver);
  return `
  SELECT object.revision, ${driven && 'driver."tooMany", '}answer.groups, answer."hasMore"
    FROM ${TENANT_OF_STATEMENT} ${REVISION} ${driven}
    LEFT JOIN LATERAL (SELECT json_agg(${json}) FILTER (WHERE place <= ${MAX_GROUPS})::text AS groups, count(*) > ${MAX_GROUPS} AS "hasMore"
                         FROM (SELECT *, row_number() OVER () AS place
                                 FROM (SELECT ${columns.join(', ')}
                                         FROM ${rows} ${groupBy}
                                        ORDER BY ${['n DESC', ...names].join(', ')} LIMIT ${MAX_GROUPS + 1}) AS ordered) AS groups
                      ) AS answer ON true`;
}

/** The groups of an aggregate. */
export interface Groups {
  /** Null when the object does not exist. */
  readonly revision: number | null;
  /** A JSON array, null when there is none. */
  readonly groups: string | null;
  readonly hasMore: boolean;
  /** True when more than MAX_DRIVER_MATCHES records match the driver, which then was not used. */
  readonly tooMany?: boolean;
}

export interface AggregateOptions {
  readonly driver?: number;
  /** That of costly queries, in place of the usual one. */
  readonly database?: Database;
}

@Injectable()
export class RecordAggregateRepository {
  constructor(private readonly database: Database) {}

  async aggregate(
    origin: TransactionOrigin,
    objectId: string,
    conditions: readonly RowCondition[],
    aggregate: AggregateSql,
    { driver, database = this.database }: AggregateOptions,
  ): Promise<Groups> {
    const parameters = [objectId, ...conditions.flatMap(({ parameters }) => parameters), ...aggregate.parameters];
    const [row] = await database.read<Groups>(origin, aggregateRecords(conditions, aggregate, driver), parameters);
    return row as Groups;
  }
}
