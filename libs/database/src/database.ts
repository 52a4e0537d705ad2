import { isUuid } from '@crm/contracts';
import { runInSpan, startSpan } from '@crm/telemetry';
import pg, { type PoolClient } from 'pg';
import { EveryTenant } from './cluster/every-tenant.js';
import { type EntityClass, EntityManagers } from './entities.js';
import { asPlatformError, asUnknownOutcome } from './errors.js';
import { FairQueue } from './fair-queue.js';
import {
  describeTransaction,
  OpenNarrowTransaction,
  OpenTenantTransaction,
  type TransactionServices,
} from './open-transaction.js';
import { OutboxSignal } from './outbox/append-event.js';
import { createPool, type DatabaseConfig, DEFAULT_CONNECT_TIMEOUT_MS, measurePool } from './pool.js';
import { StatementNames, StatementQueue } from './segment.js';
import {
  type NarrowTransaction,
  originOf,
  type SharedTransaction,
  type TenantTransaction,
  type TransactionOrigin,
} from './transaction.js';

const DEFAULT_POOL_SIZE = 10;
const NARROW_POOL_SIZE = 4;

/**
 * Sets the tenant for the rest of the transaction. Not by `set_config`: a cluster passes on to its nodes what SET LOCAL sets.
 * @throws Error when it is no UUID, as a text goes into the statement
 */
function setTenant(tenantId: string): string {
  if (!isUuid(tenantId)) throw new Error('A tenant transaction needs the id of the tenant, a UUID');
  return `SET LOCAL app.tenant_id = '${tenantId.toLowerCase()}'`;
}

/** Calls of records that no node answers free their connection after that long, for those of other tenants. */
const BE_PATIENT_WITH_NODE = "SET LOCAL statement_timeout = '2s'";
/** A rollback waits for the nodes of a cluster that have a part in it. */
const ROLLBACK_MS = 1_000;

/** The only access to a service's tables: a transaction in the context of one tenant, or one of the narrow role. */
export class Database {
  /** Wakes the outbox relay of this process after a commit that appended an event. */
  readonly outboxSignal = new OutboxSignal();
  readonly everyTenant = new EveryTenant(this);
  private readonly runtimePool: pg.Pool;
  private readonly narrowPool: pg.Pool;
  /** Its slots are the connections of the runtime pool. */
  private readonly queue: FairQueue;
  private readonly unmeasure: readonly (() => void)[];
  private readonly managers: EntityManagers;
  private readonly names = new StatementNames();

  constructor(
    readonly config: DatabaseConfig,
    entities: readonly EntityClass[] = [],
  ) {
    const {
      url,
      narrowUrl,
      poolSize = DEFAULT_POOL_SIZE,
      poolName = 'runtime',
      genericPlans = false,
      tenantShare,
    } = config;
    this.runtimePool = createPool(config, { url, size: poolSize, genericPlans });
    this.narrowPool = createPool(config, {
      url: narrowUrl,
      size: NARROW_POOL_SIZE,
      genericPlans,
    });
    const timeoutMs = config.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS;
    this.queue = new FairQueue({ slots: poolSize, timeoutMs, ...(tenantShare && { share: tenantShare }) });
    this.unmeasure = [
      measurePool({ name: poolName, pool: this.runtimePool, size: poolSize, queue: this.queue }),
      ...(poolName === 'runtime'
        ? [measurePool({ name: 'narrow', pool: this.narrowPool, size: NARROW_POOL_SIZE })]
        : []),
    ];
    this.managers = new EntityManagers(entities, () => connect(this.runtimePool));
  }

  /**
   * Commits when the work resolves, rolls back when it rejects, never retries. The tenant's context costs no round
   * trip.
   * @throws PlatformError SERVICE_UNAVAILABLE or DEADLINE_EXCEEDED for an error that is not the statement's
   */
  async transaction<T>(tenant: string | TransactionOrigin, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    const origin = originOf(tenant);
    const setsTenant = setTenant(origin.tenantId);
    return this.traced(origin.traceparent, () =>
      this.inSlot(origin, () => this.runForTenant(origin, setsTenant, work)),
    );
  }

  /**
   * Reads with one prepared statement, in one round trip; it sets the tenant, $1, itself by {@link TENANT_OF_STATEMENT}, or is a
   * call of a function that sets it, which may write.
   * @param use what is made of the rows; a large answer keeps its slot until then
   */
  async read<Row, Result = Row[]>(
    tenant: string | TransactionOrigin,
    sql: string,
    parameters: readonly unknown[],
    use?: (rows: Row[]) => Result | Promise<Result>,
  ): Promise<Result> {
    const origin = originOf(tenant);
    const { tenantId } = origin;
    if (!isUuid(tenantId)) throw new Error('A statement in the context of a tenant needs the id of the tenant, a UUID');
    return this.inSlot(origin, async () => {
      const rows = await this.runAlone<Row>(this.runtimePool, sql, [tenantId.toLowerCase(), ...parameters], true);
      return use ? use(rows) : (rows as Result);
    });
  }

  /**
   * What shares a transaction of {@link sharedTransaction}: work of all tenants, on a cluster of one, as the node of another may not answer.
   * @param tenant or what is finer
   */
  async sharedTransactionKey(tenant: string): Promise<string> {
    return (await this.everyTenant.isDistributed()) ? tenant : '';
  }

  /**
   * One transaction for several tenants, each of whose statements sets its tenants itself: each part sees that tenant's rows alone.
   * @param kind of work: its connections count as those of one tenant, on a cluster as those of the tenant
   * @param traceparent of a request that it is shown with
   */
  async sharedTransaction<T>(
    {
      kind,
      tenantId,
      traceparent,
    }: { readonly kind: string; readonly tenantId: string; readonly traceparent?: string | undefined },
    work: (tx: SharedTransaction) => Promise<T>,
  ): Promise<T> {
    const isDistributed = await this.everyTenant.isDistributed();
    const open = (queue: StatementQueue) =>
      isDistributed ? [begin(queue), queue.sendUtility(BE_PATIENT_WITH_NODE)] : [begin(queue)];
    const wrap = (services: TransactionServices) => new OpenNarrowTransaction(services);
    return this.traced(traceparent, () =>
      this.inSlot({ tenantId: isDistributed ? tenantId : kind }, () => this.run(this.runtimePool, open, wrap, work)),
    );
  }

  /** One prepared statement of the narrow role, its own transaction; unless it was refused, a failed one may be committed. */
  async crossTenantStatement<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    return this.runAlone<Row>(this.narrowPool, sql, parameters as unknown[]);
  }

  async crossTenant<T>(work: (tx: NarrowTransaction) => Promise<T>): Promise<T> {
    return this.run<OpenNarrowTransaction, T>(
      this.narrowPool,
      (queue) => [begin(queue)],
      (services) => new OpenNarrowTransaction(services),
      work,
    );
  }

  /** Reads the entities' decorators, which otherwise happens in the first transaction. */
  async prepareEntities(): Promise<void> {
    if (this.managers.ready) return;
    try {
      await this.managers.build();
    } catch (error) {
      throw asPlatformError(error);
    }
  }

  /** Resolves when both roles can run a statement; rejects with SERVICE_UNAVAILABLE otherwise. */
  async ping(): Promise<void> {
    try {
      await Promise.all([this.runtimePool.query('SELECT 1'), this.narrowPool.query('SELECT 1')]);
    } catch (error) {
      throw asPlatformError(error);
    }
  }

  /** Waits for running transactions, then closes every connection. */
  async close(): Promise<void> {
    for (const end of this.unmeasure) end();
    await this.everyTenant.close();
    await Promise.all([this.runtimePool, this.narrowPool].map((pool) => (pool.ending ? undefined : pool.end())));
  }

  private traced<T>(traceparent: string | undefined, run: () => Promise<T>): Promise<T> {
    const span = startSpan(traceparent, describeTransaction, this.config.applicationName);
    return span ? runInSpan(span, run) : run();
  }

  /** Runs work that needs a connection of the runtime pool. */
  private async inSlot<T>({ tenantId, connection }: TransactionOrigin, work: () => Promise<T>): Promise<T> {
    const free = this.queue.enter(tenantId, connection);
    if (free) await free;
    try {
      return await work();
    } finally {
      this.queue.leave(tenantId);
    }
  }

  private runForTenant<T>(
    origin: TransactionOrigin,
    setsTenant: string,
    work: (tx: TenantTransaction) => Promise<T>,
  ): Promise<T> {
    return this.run<OpenTenantTransaction, T>(
      this.runtimePool,
      (queue) => [begin(queue), queue.sendUtility(setsTenant)],
      (services) => new OpenTenantTransaction(services, origin),
      work,
    );
  }

  private async runAlone<Row>(pool: pg.Pool, sql: string, values: unknown[], isVariant = false): Promise<Row[]> {
    try {
      const { rows } = await pool.query({ name: this.names.nameOf(sql, isVariant), text: sql, values });
      return rows as Row[];
    } catch (error) {
      throw asPlatformError(error);
    }
  }

  /** @param open sends what comes before the work; it leaves in the same write as the first statement of the work */
  private async run<Tx extends OpenTenantTransaction | OpenNarrowTransaction, T>(
    pool: pg.Pool,
    open: (queue: StatementQueue) => Promise<unknown>[],
    wrap: (services: TransactionServices) => Tx,
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    await this.prepareEntities();
    const client = await connect(pool);
    const queue = new StatementQueue(client);
    const tx = wrap({ queue, signal: this.outboxSignal, managers: this.managers, names: this.names });
    let broken: Error | undefined;
    // A connection that breaks while checked out emits `error`, which without a listener ends the process.
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    let result: T;
    const opening = Promise.allSettled(open(queue));
    try {
      result = await finish(queue, tx, opening, work);
    } catch (error) {
      broken ??= await (this.everyTenant.isKnownAsDistributed ? rollBackSoon(client, queue) : rollBack(queue));
      // What failed first: the work may have seen only that its statement was skipped.
      throw asPlatformError((await failureIn(opening)) ?? (await tx.unawaitedFailure()) ?? error);
    } finally {
      client.removeListener('error', onError);
      client.release(broken);
    }
    tx.runAfterCommit();
    return result;
  }
}

async function finish<Tx extends OpenTenantTransaction | OpenNarrowTransaction, T>(
  queue: StatementQueue,
  tx: Tx,
  opening: Promise<PromiseSettledResult<unknown>[]>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  try {
    const result = await work(tx);
    tx.complete();
    // At once, so that it leaves with what the work issued last; the server commits nothing when a statement has failed.
    const [commitment] = await Promise.allSettled([commit(queue)]);
    const failure = await failureIn(opening);
    if (failure !== undefined) throw failure;
    if (commitment.status === 'rejected') throw commitment.reason;
    return result;
  } finally {
    tx.close();
  }
}

async function failureIn(outcomes: Promise<PromiseSettledResult<unknown>[]>): Promise<unknown> {
  for (const outcome of await outcomes) if (outcome.status === 'rejected') return outcome.reason;
  return undefined;
}

const begin = (queue: StatementQueue) => queue.send('BEGIN', [], 'BEGIN');

async function connect(pool: pg.Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw asPlatformError(error);
  }
}

/** A COMMIT after a failed statement is answered with ROLLBACK and no error: the work must not count as committed. */
async function commit(queue: StatementQueue): Promise<void> {
  const { command } = await queue.send('COMMIT', [], 'COMMIT').catch((error: unknown) => {
    throw asUnknownOutcome(error);
  });
  if (command !== 'COMMIT') {
    throw new Error('Nothing was committed: a statement of the transaction failed and its error was swallowed');
  }
}

/** @returns the reason why the connection must not be used again, if there is one */
async function rollBack(queue: StatementQueue): Promise<Error | undefined> {
  try {
    await queue.send('ROLLBACK');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** A connection whose rollback a node does not answer is cut, as the driver would wait for the answer before it closes it. */
async function rollBackSoon(client: PoolClient, queue: StatementQueue): Promise<Error | undefined> {
  const timer = setTimeout(() => client.connection.stream.destroy(), ROLLBACK_MS);
  try {
    return await rollBack(queue);
  } finally {
    clearTimeout(timer);
  }
}

/** Works as the narrow role in the context of one tenant: for changes that write global tables and that tenant's rows. */
export function inWorkspace<T>(
  database: Database,
  tenant: string | TransactionOrigin,
  work: (tx: NarrowTransaction) => Promise<T>,
): Promise<T> {
  const origin = originOf(tenant);
  return database.crossTenant(async (tx) => {
    tx.origin = origin;
    await tx.query(setTenant(origin.tenantId));
    return work(tx);
  });
}

/** Works on the rows of another tenant, within a transaction of {@link inWorkspace}: for one change in several workspaces. */
export async function inOtherTenant<T>(tx: NarrowTransaction, tenantId: string, work: () => Promise<T>): Promise<T> {
  const { origin } = tx;
  if (!origin) throw new Error('Only a transaction that has a tenant can visit another');
  if (origin.tenantId === tenantId) return work();
  await tx.query(setTenant(tenantId));
  tx.origin = { ...origin, tenantId };
  const result = await work();
  await tx.query(setTenant(origin.tenantId));
  tx.origin = origin;
  return result;
}
