import type { CallOrigin, Principal } from '@crm/access';
import type { EntityManager, Repository } from 'typeorm';
import type { EntityClass } from './entities/entity-managers.js';
import type { OutboxRow } from './outbox/outbox-row.js';

/** Anything that accepts SQL statements. */
export interface Queryable {
  /**
   * Sends one statement.
   * @param parameters values of `$1`, `$2` …; never put a value into the text
   * @returns the rows; the author of the statement declares their shape
   */
  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/** Anything that accepts SQL statements and prepares them. */
export interface PreparedQueryable {
  /**
   * Like `query`, for a statement that comes again: the server parses it once for a connection, and plans it once where
   * the service's connections say `genericPlans`.
   */
  queryPrepared<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[]): Promise<Row[]>;
}

/** The tenant of a transaction, and who works in it within which request: a principal says all of it. */
export interface TransactionOrigin extends CallOrigin {
  /** UUID. */
  readonly tenantId: string;
  readonly kind?: Principal['kind'];
  /** Of a principal. */
  readonly userId?: string;
  /** Whether `userId` is a service account. */
  readonly serviceAccount?: true;
  readonly appKey?: string;
}

/** @param tenant id of the tenant, or the origin itself */
export const originOf = (tenant: string | TransactionOrigin): TransactionOrigin =>
  typeof tenant === 'string' ? { tenantId: tenant } : tenant;

/** What both kinds of transaction offer: statements, entities and events that commit together. */
export interface Transaction extends Queryable, PreparedQueryable {
  /**
   * TypeORM's repository of an entity, on the same connection and in the same transaction.
   * @throws Error when the service has not named the entity to DatabaseModule.forService
   */
  repository<Entity extends object>(entity: EntityClass<Entity>): Repository<Entity>;
  /** TypeORM on the same connection and in the same transaction: query builders, nested transactions (savepoints). */
  readonly manager: EntityManager;
  /** What its events are attributed to; undefined for work of the service itself. */
  origin?: TransactionOrigin | undefined;
  /** Runs the callback once the transaction has committed; never after a rollback. */
  afterCommit(callback: () => void): void;
  /**
   * Sends a prepared statement whose rows nobody needs, without waiting for it: it costs no round trip, and when the work
   * ends with it, the commit leaves in the same write. If it fails, nothing is committed and the transaction rejects with
   * its error.
   */
  issue(sql: string, parameters: readonly unknown[]): void;
  /**
   * Like {@link issue}, for rows that are needed only after the commit: awaited inside the work, they cost a round trip.
   * @returns settles before the transaction does; who awaits it after the transaction sees no rejection
   */
  issueReturning<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[]): Promise<Row[]>;
  /**
   * Adds an event to the outbox: all that follow each other without a statement in between are one statement. After the
   * commit the relay of this process is woken. `appendEvent` makes the event and calls it.
   */
  appendToOutbox(event: OutboxRow): void;
}

/** A transaction of the runtime role in the context of one tenant: it sees this tenant's rows and can write no others. */
export interface TenantTransaction extends Transaction {
  readonly tenantId: string;
}

/** A transaction of the narrow role: global tables, and the columns that separate policies open across tenants. */
export interface NarrowTransaction extends Transaction {
  readonly tenantId?: undefined;
}
