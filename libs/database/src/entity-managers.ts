import pg, { type PoolClient } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

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

type EntityClasses = readonly (new () => object)[];

/**
 * A data source that knows the entities and never opens a connection: its query runners are given one.
 * TypeORM is loaded here and not at the top, because it costs every service that has no entities 0.3 s and 20 MiB.
 */
async function metadataSource(entities: EntityClasses): Promise<DataSource> {
  const { DataSource } = await import('typeorm');
  class MetadataSource extends DataSource {
    async build(): Promise<void> {
      // What `initialize` would ask the server. Entities live in the schema `public`; version 14 is the oldest supported.
      Object.assign(this.driver, { version: '14.0', database: undefined, schema: 'public', searchSchema: 'public' });
      await this.buildMetadatas();
      Object.assign(this, { isInitialized: true });
    }
  }
  const source = new MetadataSource({
    type: 'postgres',
    driver: pg,
    entities: [...entities] as (new () => object)[],
    synchronize: false,
    logging: false,
    installExtensions: false,
  });
  await source.build();
  return source;
}

/**
 * Makes TypeORM entity managers that work on a transaction's own connection, so that entities and hand-written SQL share
 * one transaction, one tenant context and one pool (TypeORM's own pool would have neither).
 */
export class EntityManagers {
  private building: Promise<void> | undefined;
  private source: DataSource | undefined;

  /** @param entities the service's entity classes; with none, nothing is built and there are no managers */
  constructor(private readonly entities: EntityClasses) {}

  get ready(): boolean {
    return this.source !== undefined || this.entities.length === 0;
  }

  /** Reads the entities' decorators, once. Rejects when a mapping is wrong. */
  build(): Promise<void> {
    this.building ??= metadataSource(this.entities).then((source) => {
      this.source = source;
    });
    return this.building;
  }

  /**
   * @param client a connection on which a transaction is open
   * @throws Error when the service has named no entities
   */
  lease(client: PoolClient): ManagerLease {
    if (!this.source)
      throw new Error('Only a service that names its entities has entity managers: DatabaseModule.forService');
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
