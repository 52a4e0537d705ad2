import type { SpanDescription } from '@crm/telemetry';
import { Logger } from '@nestjs/common';
import type { QueryResult } from 'pg';
import type { EntityManager, Repository } from 'typeorm';
import type { EntityClass, EntityManagers, ManagerLease } from './entities.js';
import type { OutboxSignal } from './outbox/append-event.js';
import { APPEND_EVENTS } from './outbox/outbox.sql.js';
import type { StatementNames, StatementQueue } from './segment.js';
import type { NarrowTransaction, OutboxRow, TenantTransaction, TransactionOrigin } from './transaction.js';

/** One span for a whole transaction: its statements are many and each short. @param database its name */
export const describeTransaction = (database: string): SpanDescription => ({
  name: `transaction ${database}`,
  kind: 'client',
  attributes: { 'db.system.name': 'postgresql', 'db.namespace': database, 'db.operation.name': 'transaction' },
});

/** UTF-16 units of the events that one statement writes; a larger one goes alone. */
const EVENTS_TOGETHER = 1_000_000;

/** in_failed_sql_transaction */
const ABORTED = '25P02';

export interface TransactionServices {
  readonly queue: StatementQueue;
  readonly signal: OutboxSignal;
  readonly managers: EntityManagers;
  readonly names: StatementNames;
}

/** Statements and entities on one connection until it is closed, and callbacks after the commit. */
class OpenTransaction<TenantId extends string | undefined> {
  private readonly callbacks: (() => void)[] = [];
  private hasEvents = false;
  private events: OutboxRow[] = [];
  private eventsLength = 0;
  private open = true;
  private lease: ManagerLease | undefined;
  private readonly failures: Promise<(Error & { code?: unknown }) | undefined>[] = [];

  constructor(
    private readonly services: TransactionServices,
    readonly tenantId: TenantId,
    public origin: TransactionOrigin | undefined,
  ) {}

  /** Created on first use, so that a transaction without entities has no cost. */
  get manager(): EntityManager {
    this.assertOpen();
    const send = (sql: string, parameters?: unknown[]) => this.send(sql, parameters);
    this.lease ??= this.services.managers.lease(send, { tenantId: this.tenantId });
    return this.lease.manager;
  }

  repository<Entity extends object>(entity: EntityClass<Entity>): Repository<Entity> {
    return this.manager.getRepository(entity);
  }

  async query<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const result = await this.send(sql, parameters as unknown[]);
    return result.rows as Row[];
  }

  async queryPrepared<Row = Record<string, unknown>>(
    sql: string,
    parameters: readonly unknown[],
    isVariant = false,
  ): Promise<Row[]> {
    const result = await this.send(sql, parameters as unknown[], this.services.names.nameOf(sql, isVariant));
    return result.rows as Row[];
  }

  issue(sql: string, parameters: readonly unknown[]): void {
    void this.issueReturning(sql, parameters);
  }

  issueReturning<Row = Record<string, unknown>>(
    sql: string,
    parameters: readonly unknown[],
    isVariant?: boolean,
  ): Promise<Row[]> {
    this.assertOpen();
    const sent = this.queryPrepared<Row>(sql, parameters, isVariant);
    // Kept until the transaction ends, when it is told.
    this.failures.push(
      sent.then(
        () => undefined,
        (error: Error & { code?: unknown }) => error,
      ),
    );
    return sent;
  }

  afterCommit(callback: () => void): void {
    this.assertOpen();
    this.callbacks.push(callback);
  }

  appendToOutbox(event: OutboxRow): void {
    this.assertOpen();
    if (this.eventsLength + event.envelope.length > EVENTS_TOGETHER) this.sendEvents();
    this.events.push(event);
    this.eventsLength += event.envelope.length;
    this.announceEvents();
  }

  announceEvents(): void {
    if (this.hasEvents) return;
    this.hasEvents = true;
    this.afterCommit(() => this.services.signal.notify());
  }

  complete(): void {
    this.sendEvents();
    this.close();
  }

  /** From now on statements are rejected, because the connection may serve another tenant. */
  close(): void {
    this.open = false;
    this.lease?.end();
    this.lease = undefined;
  }

  /** An error of a callback cannot undo the commit and must not reject the transaction. */
  runAfterCommit(): void {
    for (const callback of this.callbacks) {
      try {
        callback();
      } catch (error) {
        new Logger('Database').error({
          msg: 'A callback after a commit failed; the transaction stays committed',
          err: error,
        });
      }
    }
  }

  /** The error of an issued statement that failed by itself: other rejections are its consequence. */
  async unawaitedFailure(): Promise<unknown> {
    const failures = await Promise.all(this.failures);
    return failures.find((error) => error !== undefined && error.code !== ABORTED);
  }

  private async send(sql: string, parameters?: unknown[], name?: string): Promise<QueryResult> {
    this.assertOpen();
    this.sendEvents();
    return this.services.queue.send(sql, parameters, name);
  }

  private sendEvents(): void {
    const { events } = this;
    if (events.length === 0) return;
    this.events = [];
    this.eventsLength = 0;
    for (const tenantId of new Set(events.map((event) => event.tenantId))) {
      const own = events.filter((event) => event.tenantId === tenantId);
      this.issue(APPEND_EVENTS, [
        tenantId,
        own.map(({ id }) => id),
        own.map(({ name }) => name),
        own.map(({ subject }) => subject),
        `[${own.map(({ envelope }) => envelope).join(',')}]`,
      ]);
    }
  }

  private assertOpen(): void {
    if (!this.open) throw new Error('The transaction is over: await every statement inside its callback');
  }
}

export class OpenTenantTransaction extends OpenTransaction<string> implements TenantTransaction {
  constructor(services: TransactionServices, origin: TransactionOrigin) {
    super(services, origin.tenantId.toLowerCase(), origin);
  }
}

/** Without a tenant in context: of the narrow role, or of several tenants, whose statements set them. */
export class OpenNarrowTransaction extends OpenTransaction<undefined> implements NarrowTransaction {
  constructor(services: TransactionServices) {
    super(services, undefined, undefined);
  }
}
