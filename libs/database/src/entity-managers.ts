import type { PoolClient } from 'pg';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';

/** An entity manager bound to the connection of one transaction. */
export interface ManagerLease {
  readonly manager: EntityManager;
  /** The manager refuses every further statement. */
  end(): void;
}

/** The fields of TypeORM's PostgresQueryRunner (1.1) that say which connection it has and that a transaction is open. */
interface BoundQueryRunner {
  databaseConnection: PoolClient;
  isTransactionActive: boolean;
  transactionDepth: number;
  isReleased: boolean;
}

/** A data source that knows the entities and never opens a connection: its query runners are given one. */
class MetadataSource extends DataSource {
  async build(): Promise<void> {
    // What `initialize` would ask the server. Entities live in the schema `public`; version 14 is the oldest supported.
    Object.assign(this.driver, { version: '14.0', database: undefined, schema: 'public', searchSchema: 'public' });
    await this.buildMetadatas();
    Object.assign(this, { isInitialized: true });
  }
}

/**
 * Makes TypeORM entity managers that work on a transaction's own connection, so that entities and hand-written SQL share
 * one transaction, one tenant context and one pool (TypeORM's own pool would have neither).
 */
export class EntityManagers {
  private readonly source: MetadataSource;
  private building: Promise<void> | undefined;
  private built = false;

  /** @param entities the service's entity classes */
  constructor(entities: readonly (new () => object)[]) {
    this.source = new MetadataSource({
      type: 'postgres',
      entities: [...entities] as (new () => object)[],
      synchronize: false,
      logging: false,
      installExtensions: false,
    });
  }

  get ready(): boolean {
    return this.built;
  }

  /** Reads the entities' decorators, once. Rejects when a mapping is wrong. */
  build(): Promise<void> {
    this.building ??= this.source.build().then(() => {
      this.built = true;
    });
    return this.building;
  }

  /** @param client a connection on which a transaction is open */
  lease(client: PoolClient): ManagerLease {
    const runner: QueryRunner = this.source.createQueryRunner();
    const bound = runner as unknown as BoundQueryRunner;
    bound.databaseConnection = client;
    bound.isTransactionActive = true;
    // One level is open, so a nested `manager.transaction` makes a savepoint.
    bound.transactionDepth = 1;
    return {
      manager: runner.manager,
      end: () => {
        bound.isReleased = true;
      },
    };
  }
}
