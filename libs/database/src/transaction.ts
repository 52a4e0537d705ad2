import type { CallOrigin, Principal } from '@crm/access';
import type { EntityManager, Repository } from 'typeorm';
import type { EntityClass } from './entities.js';

export interface OutboxRow {
  readonly tenantId: string;
  readonly id: string;
  readonly name: string;
  readonly subject: string;
  readonly envelope: string;
}

/** The `consumer` of dead letters that the relay has stored, because the broker refuses them. */
export const OUTBOX_CONSUMER = 'outbox';

export interface Queryable {
  /** @param parameters values of `$1`, `$2` …; never put a value into the text */
  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

export interface PreparedQueryable {
  /** For a statement that comes again: parsed once for a connection, and planned once where it has `genericPlans`. */
  queryPrepared<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[]): Promise<Row[]>;
}

/** The tenant of a transaction, and who works in it within which request: a principal says all of it. */
export interface TransactionOrigin extends CallOrigin {
  readonly tenantId: string;
  readonly kind?: Principal['kind'];
  readonly userId?: string;
  readonly serviceAccount?: true;
  readonly appKey?: string;
}

export const originOf = (tenant: string | TransactionOrigin): TransactionOrigin =>
  typeof tenant === 'string' ? { tenantId: tenant } : tenant;

/** What both kinds of transaction offer: statements, entities and events that commit together. */
export interface Transaction extends Queryable, PreparedQueryable {
  /** @throws Error when the service has not named the entity to DatabaseModule.forService */
  repository<Entity extends object>(entity: EntityClass<Entity>): Repository<Entity>;
  /** TypeORM on the same connection and in the same transaction: query builders, nested transactions (savepoints). */
  readonly manager: EntityManager;
  /** What its events are attributed to; undefined for work of the service itself. */
  origin?: TransactionOrigin | undefined;
  /** Runs the callback once the transaction has committed; never after a rollback. */
  afterCommit(callback: () => void): void;
  /** Sends a statement without waiting: no round trip. If it fails, nothing is committed and the transaction rejects. */
  issue(sql: string, parameters: readonly unknown[]): void;
  /**
   * Like {@link issue}, for rows that are needed only after the commit; anyone who awaits it then sees no rejection.
   * @param isVariant whether the text is one of very many
   */
  issueReturning<Row = Record<string, unknown>>(
    sql: string,
    parameters: readonly unknown[],
    isVariant?: boolean,
  ): Promise<Row[]>;
  /** Adds an event to the outbox; those with no statement in between are one statement. Called by `appendEvent`. */
  appendToOutbox(event: OutboxRow): void;
  /** Wakes the relay after the commit, where a function of SQL has appended events. */
  announceEvents(): void;
}

/** A transaction of the runtime role in the context of one tenant: it sees this tenant's rows and can write no others. */
export interface TenantTransaction extends Transaction {
  readonly tenantId: string;
}

/** A transaction of the narrow role: global tables, and the columns that separate policies open across tenants. */
export interface NarrowTransaction extends Transaction {
  readonly tenantId?: undefined;
}

/** A transaction for several tenants: each statement sets its tenant, $1, as a function of SQL does, or that of each row before reading it. */
export type SharedTransaction = Pick<
  NarrowTransaction,
  'queryPrepared' | 'issueReturning' | 'announceEvents' | 'afterCommit'
>;

/**
 * Begins the FROM of a statement for `Database.read`. What reads rows stands in `LATERAL (… WHERE tenant_id = $1::uuid
 * AND tenant.id IS NOT NULL … OFFSET 0)`: executed before this row sets the tenant, it would find none.
 */
export const TENANT_OF_STATEMENT =
  "(SELECT set_config('app.tenant_id', $1::text, true)::uuid AS id OFFSET 0) AS tenant";

/** Plans what follows for its values despite `genericPlans`: lists with optional filters, which different indexes serve. */
export const PLAN_FOR_VALUES = "SELECT set_config('plan_cache_mode', 'force_custom_plan', true)";
