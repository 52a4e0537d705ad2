import type { PoolClient, QueryResult } from 'pg';
import type { DataSource, EntityManager, EntitySubscriberInterface, InsertEvent, ValueTransformer } from 'typeorm';

/** For a `bigint` column whose values stay below 2^53; the driver returns `bigint` as text. */
export const bigintAsNumber: ValueTransformer = {
  from: (value: string | null) => (value === null ? null : Number(value)),
  to: (value: unknown) => value,
};

/** A time by the clock of the database server, as a value for TypeORM to write: the clocks of processes may differ. */
export function secondsFromNow(seconds: number): () => string {
  if (!Number.isFinite(seconds)) throw new Error('A time needs a finite number of seconds');
  return () => `now() + make_interval(secs => ${seconds})`;
}

const TENANT_COLUMN = 'tenant_id';

interface TransactionData {
  /** Absent in a transaction of the narrow role. */
  tenantId?: string;
}

/** Fills in the tenant of rows inserted in a tenant transaction, and refuses another tenant before the server does. */
class TenantSubscriber implements EntitySubscriberInterface {
  beforeInsert({ entity, metadata, queryRunner }: InsertEvent<Record<string, unknown>>): void {
    const { tenantId } = queryRunner.data as TransactionData;
    const property = metadata.findColumnWithDatabaseName(TENANT_COLUMN)?.propertyName;
    if (tenantId === undefined || property === undefined) return;
    entity[property] ??= tenantId;
    if (String(entity[property]).toLowerCase() !== tenantId) {
      throw new Error(`A transaction inserts only rows of its own tenant: ${metadata.tableName}`);
    }
  }
}

type Send = (text: string, values?: unknown[]) => Promise<QueryResult>;

type Connected = (error: Error | undefined, connection?: LentConnection, release?: () => void) => void;

interface LentConnection {
  query: Send;
  /** Events of the connection: TypeORM listens for its loss, which the lender handles here. */
  on(): void;
  removeListener(): void;
}

/** Replaces `pg`'s pool (TypeORM's option `driver`): it only lends, so no statement runs outside a transaction. */
class LentConnections {
  private lent: LentConnection | undefined;

  lend(connection: LentConnection, borrow: () => void): void {
    this.lent = connection;
    try {
      borrow();
    } finally {
      this.lent = undefined;
    }
  }

  /** Lends a connection until the work is done; nothing else may be lent meanwhile. */
  async lendFor<T>(connection: LentConnection, work: () => Promise<T>): Promise<T> {
    this.lent = connection;
    try {
      return await work();
    } finally {
      this.lent = undefined;
    }
  }

  /** A module like `pg`, from which TypeORM uses the pool. */
  asDriver(): { Pool: new () => object } {
    const borrow = () => this.lent;
    return {
      Pool: class {
        connect(connected: Connected): void {
          const lent = borrow();
          if (lent) connected(undefined, lent, () => undefined);
          else connected(new Error('TypeORM asked for a connection outside a transaction'));
        }

        on(): void {
          // There is no idle connection whose loss could be reported.
        }

        end(closed: () => void): void {
          closed();
        }
      },
    };
  }
}

const lentConnection = (query: Send): LentConnection => ({
  query,
  on: () => undefined,
  removeListener: () => undefined,
});

const OPENED = { command: 'START', rowCount: null, oid: 0, fields: [], rows: [] } as unknown as QueryResult;

/** TypeORM's first START TRANSACTION, by which it knows that one is open, is not sent; COMMIT and ROLLBACK are rejected. */
function connectionInTransaction(send: Send): LentConnection {
  let depth = 0;
  return lentConnection(async (text, values) => {
    if (text === 'START TRANSACTION') {
      depth += 1;
      // One that begins before TypeORM has registered the first is nested in it; TypeORM releases it by this name.
      return depth === 1 ? OPENED : send(`SAVEPOINT typeorm_${depth - 1}`);
    }
    if (text === 'COMMIT' || text === 'ROLLBACK') {
      throw new Error('Only the end of the callback of Database.transaction ends the transaction');
    }
    return send(text, values);
  });
}

export interface ManagerLease {
  readonly manager: EntityManager;
  /** Releases what TypeORM keeps for the transaction. The sender must ensure that no statement follows. */
  end(): void;
}

export type EntityClass<Entity extends object = object> = new () => Entity;

/** Entity managers on the connection of a transaction: entities and SQL share it, with its tenant context. */
export class EntityManagers {
  private readonly connections = new LentConnections();
  private building: Promise<DataSource> | undefined;
  private source: DataSource | undefined;

  /** Without entities nothing is built and there are no managers. */
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

  /** @throws Error when the service has named no entities */
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
      // Unchanged: TypeORM asks it for the server's version.
      const connection = lentConnection((text, values) => client.query(text, values));
      return await this.connections.lendFor(connection, () => source.initialize());
    } finally {
      client.release();
    }
  }
}
