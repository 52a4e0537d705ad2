import type { PoolClient } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { connectionInTransaction, LentConnections, plainConnection, type Send } from './lent-connections.js';
import { TenantSubscriber, type TransactionData } from './tenant-subscriber.js';

/** An entity manager bound to the connection of one transaction. */
export interface ManagerLease {
  readonly manager: EntityManager;
  /** Releases what TypeORM keeps for the transaction. The sender must ensure that no statement follows. */
  end(): void;
}

export type EntityClass<Entity extends object = object> = new () => Entity;

/**
 * Creates TypeORM entity managers that use the connection of a transaction, so that entities and hand-written SQL share
 * one transaction, one tenant context and one pool (TypeORM's own pool would have neither).
 */
export class EntityManagers {
  private readonly connections = new LentConnections();
  private building: Promise<DataSource> | undefined;
  private source: DataSource | undefined;

  /**
   * @param entities the service's entity classes; if empty, nothing is built and there are no managers
   * @param connect a connection of the service's pool, to be released
   */
  constructor(
    private readonly entities: readonly EntityClass[],
    private readonly connect: () => Promise<PoolClient>,
  ) {}

  get ready(): boolean {
    return this.source !== undefined || this.entities.length === 0;
  }

  /** Reads the entities' decorators once. Rejects when a mapping is wrong or the server cannot be reached. */
  async build(): Promise<void> {
    this.building ??= this.initialize();
    try {
      this.source = await this.building;
    } catch (error) {
      this.building = undefined;
      throw error;
    }
  }

  /**
   * @param send sends a statement in the open transaction
   * @param data passed to subscribers
   * @throws Error when the service has named no entities
   */
  lease(send: Send, data: TransactionData): ManagerLease {
    if (!this.source) {
      throw new Error('There are no entity managers: name the entities in DatabaseModule.forService');
    }
    const runner = this.source.createQueryRunner();
    Object.assign(runner.data, data);
    const connection = connectionInTransaction(send);
    const begun: Promise<unknown>[] = [];
    this.connections.lend(connection, () => begun.push(runner.connect()));
    begun.push(runner.startTransaction());
    // A statement of a manager that could not begin rejects with the reason.
    const settled = Promise.allSettled(begun);
    return { manager: runner.manager, end: () => void settled.then(() => runner.release()) };
  }

  /** TypeORM is loaded here and not at the top, so that services without entities do not load it. */
  private async initialize(): Promise<DataSource> {
    const { DataSource, EventSubscriber } = await import('typeorm');
    EventSubscriber()(TenantSubscriber);
    const source = new DataSource({
      type: 'postgres',
      driver: this.connections.asDriver(),
      entities: [...this.entities],
      subscribers: [TenantSubscriber],
      synchronize: false,
      logging: false,
      installExtensions: false,
    });
    const client = await this.connect();
    try {
      return await this.connections.lendFor(plainConnection(client), () => source.initialize());
    } finally {
      client.release();
    }
  }
}
