import type { EntityManager, Repository } from 'typeorm';
import type { EntityClass } from './entities/entity-managers.js';

/** Whatever SQL can be sent to. */
export interface Queryable {
  /**
   * Sends one statement.
   * @param parameters values of `$1`, `$2` …; never put a value into the text
   * @returns the rows, of which the statement's author knows the shape
   */
  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/** What both kinds of transaction are: statements, entities and events that commit together. */
export interface Transaction extends Queryable {
  /**
   * TypeORM's repository of an entity, on the same connection and in the same transaction.
   * @throws Error when the service has not named the entity to DatabaseModule.forService
   */
  repository<Entity extends object>(entity: EntityClass<Entity>): Repository<Entity>;
  /** TypeORM on the same connection and in the same transaction: query builders, nested transactions (savepoints). */
  readonly manager: EntityManager;
  /** Runs the callback once the transaction has committed; never after a rollback. */
  afterCommit(callback: () => void): void;
  /** Told by `appendEvent`: after the commit the relay of this process is woken, once however many events there are. */
  eventAppended(): void;
}

/** A transaction of the runtime role in the context of one tenant: it sees this tenant's rows and can write no others. */
export interface TenantTransaction extends Transaction {
  readonly tenantId: string;
}

/** A transaction of the narrow role: global tables, and the columns that a policy of its own opens across tenants. */
export interface NarrowTransaction extends Transaction {
  readonly tenantId?: undefined;
}
