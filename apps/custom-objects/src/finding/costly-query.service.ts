import { PlatformError } from '@crm/contracts';
import { Database, isExcessive, originOf, type TransactionOrigin } from '@crm/database';
import type { AccessPlan } from '@crm/fields';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { E_TIMEOUT, Semaphore, type SemaphoreInterface, withTimeout } from 'async-mutex';
import type { ObjectModel } from '../object/object-model.js';
import type { ListRequest } from './record-list.repository.js';
import { type SearchedText } from './search-text.js';

/** Why a query may take long: it names the parameter, and says what would help. */
export interface QueryCost {
  readonly cause: string;
  readonly help: string;
  /** True when it takes some milliseconds all the same, as in an object of few records; default false. */
  readonly isBounded?: boolean;
  /** Whose queries run one at a time, bounded or not; default: all of the tenant, two at once of what is not bounded. */
  readonly callerId?: string;
}

/**
 * Why a query may be slow on an object with many records; null when an index bounds it.
 * @param plan of the caller: only fields that they can read are recommended
 */
export function queryCost(
  model: ObjectModel,
  plan: AccessPlan,
  searched: SearchedText | null,
  { conditions, sort, page }: ListRequest,
): QueryCost | null {
  const unindexed = conditions.find((condition) => condition.unindexed !== undefined)?.unindexed;
  if (unindexed !== undefined || conditions.length > 1) {
    return {
      cause: unindexed ?? 'filter: no index covers these conditions',
      help: `filter by ${indexedFields(model, plan, 'another field')}`,
    };
  }
  if (sort.keys) {
    const help = `sort by one field: createdAt or ${indexedFields(model, plan, 'id')}`;
    return { cause: `sort: no index covers ${sort.name}`, help };
  }
  if (sort.by && !sort.by.isIndexed) {
    const help = `sort by createdAt or ${indexedFields(model, plan, 'id')}, or filter by such a field`;
    return { cause: `sort: ${sort.name.replace(/^-/, '')} has no index`, help };
  }
  if (page.counts && page.countLimit === null) {
    return { cause: 'count: exact counts every match', help: 'leave it out to stop counting at 10,000' };
  }
  if (searched) {
    const cause = searched.isIndexed ? 'q: too many values had to be compared' : 'q: text this short has no index';
    return { cause, help: 'search for at least 3 letters or digits, or use count=none' };
  }
  return null;
}

/** Why a filtered list sorted by another field may be slow on an object with many records. */
export function sortCost({ sort }: ListRequest): QueryCost {
  const name = sort.name.replace(/^-/, '');
  return { cause: `sort: no index covers this filter sorted by ${name}`, help: 'sort by createdAt or id' };
}

/** @param otherwise what is recommended when no field has an index */
function indexedFields(model: ObjectModel, plan: AccessPlan, otherwise: string): string {
  const names = model.object.fields.flatMap(({ apiName, slot }) =>
    slot !== null && plan.readable.has(apiName) ? apiName : [],
  );
  return names.length === 0 ? otherwise : `a field with an index (${names.join(', ')})`;
}

/** Queries of one tenant that nothing bounds and that run at once in this process. */
export const COSTLY_AT_ONCE = 2;
/** Milliseconds that a statement of a costly query may take, and that a query waits for those before it, unless configured. */
const DEFAULT_COSTLY_MS = 2_000;

const DEFAULT_POOL_SIZE = 10;

/**
 * Limits searches and what no index bounds. Their connections are others than those of reads and writes, half as many, which
 * tenants share, and end each statement after two seconds, or what is configured. What is not bounded runs two at once per tenant, so that what is
 * finds a connection.
 */
@Injectable()
export class CostlyQueries implements OnApplicationShutdown {
  private readonly semaphores = new Map<string, SemaphoreInterface>();
  private readonly database: Database;
  private readonly timeoutMs: number;

  constructor({ config }: Database) {
    this.timeoutMs = config.costlyTimeoutMs ?? DEFAULT_COSTLY_MS;
    const poolSize = Math.max(COSTLY_AT_ONCE, Math.floor((config.poolSize ?? DEFAULT_POOL_SIZE) / 2));
    this.database = new Database({
      ...config,
      poolSize,
      poolName: 'costly',
      statementTimeoutMs: this.timeoutMs,
      connectTimeoutMs: this.timeoutMs,
    });
  }

  onApplicationShutdown(): Promise<void> {
    return this.database.close();
  }

  /**
   * Runs the work, with a database whose statements time out.
   * @throws QUERY_TOO_EXPENSIVE on a timeout, or when the tenant's own queries hold every slot; SERVICE_UNAVAILABLE
   *   when other tenants' do
   */
  async run<T>(
    tenant: string | TransactionOrigin,
    cost: QueryCost,
    work: (database: Database) => Promise<T>,
  ): Promise<T> {
    const { tenantId } = originOf(tenant);
    const tooExpensive = (what: string, error: unknown) =>
      new PlatformError('QUERY_TOO_EXPENSIVE', `${cost.cause}, and ${what}; ${cost.help}`, { cause: error });
    const { callerId, isBounded } = cost;
    const [key, slots, others] = callerId
      ? [`${tenantId}/${callerId}`, 1, 'another expensive query of yours is still running']
      : [tenantId, COSTLY_AT_ONCE, 'other expensive queries of the workspace are still running'];
    const isFree = isBounded && !callerId;
    const release = isFree ? undefined : await this.enter(key, slots, (error) => tooExpensive(others, error));
    try {
      return await work(this.database);
    } catch (error) {
      if (!isExcessive(error)) throw error;
      throw tooExpensive(`the query took longer than ${this.timeoutMs / 1000} seconds`, error);
    } finally {
      release?.();
    }
  }

  /** Takes one of the slots of a tenant or a caller. @returns gives it back */
  private async enter(name: string, slots: number, refusal: (error: unknown) => PlatformError): Promise<() => void> {
    const semaphore = this.semaphores.get(name) ?? withTimeout(new Semaphore(slots), this.timeoutMs);
    this.semaphores.set(name, semaphore);
    const release = await acquire(semaphore, refusal);
    return () => {
      release();
      // Nobody runs and so nobody waits: the next query makes another one.
      if (semaphore.getValue() === slots) this.semaphores.delete(name);
    };
  }
}

/** @param refusal what is thrown when no slot is free in time */
async function acquire(
  semaphore: SemaphoreInterface,
  refusal: (error: unknown) => PlatformError,
): Promise<SemaphoreInterface.Releaser> {
  try {
    const [, release] = await semaphore.acquire();
    return release;
  } catch (error) {
    throw error === E_TIMEOUT ? refusal(error) : error;
  }
}
