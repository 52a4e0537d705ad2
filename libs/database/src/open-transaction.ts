import { Logger } from '@nestjs/common';
import type { PoolClient, QueryResult } from 'pg';
import type { EntityManager, Repository } from 'typeorm';
import type { EntityClass, EntityManagers, ManagerLease } from './entities/entity-managers.js';
import { inOneWrite } from './one-write.js';
import type { OutboxSignal } from './outbox/signal.js';
import type { StatementNames } from './statement-names.js';
import type { NarrowTransaction, TenantTransaction, TransactionOrigin } from './transaction.js';

/**
 * What both kinds of transaction share: statements and entities on one connection until it is closed, and callbacks after
 * the commit.
 */
class OpenTransaction<TenantId extends string | undefined> {
  private readonly callbacks: (() => void)[] = [];
  private hasEvents = false;
  private open = true;
  private lease: ManagerLease | undefined;

  constructor(
    private readonly client: PoolClient,
    private readonly signal: OutboxSignal,
    private readonly managers: EntityManagers,
    readonly tenantId: TenantId,
    public origin: TransactionOrigin | undefined,
  ) {}

  /** Created on first use, so that a transaction without entities has no cost. */
  get manager(): EntityManager {
    this.assertOpen();
    this.lease ??= this.managers.lease((sql, parameters) => this.send(sql, parameters), { tenantId: this.tenantId });
    return this.lease.manager;
  }

  repository<Entity extends object>(entity: EntityClass<Entity>): Repository<Entity> {
    return this.manager.getRepository(entity);
  }

  async query<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const result = await this.send(sql, parameters as unknown[]);
    return result.rows as Row[];
  }

  afterCommit(callback: () => void): void {
    this.assertOpen();
    this.callbacks.push(callback);
  }

  eventAppended(): void {
    if (this.hasEvents) return;
    this.hasEvents = true;
    this.afterCommit(() => this.signal.notify());
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

  /** @param name of a prepared statement */
  protected async send(sql: string, parameters?: unknown[], name?: string): Promise<QueryResult> {
    this.assertOpen();
    inOneWrite(this.client);
    return name === undefined
      ? this.client.query(sql, parameters)
      : this.client.query({ name, text: sql, values: parameters });
  }

  private assertOpen(): void {
    if (!this.open) throw new Error('The transaction is over: await every statement inside its callback');
  }
}

export class OpenTenantTransaction extends OpenTransaction<string> implements TenantTransaction {
  constructor(
    client: PoolClient,
    signal: OutboxSignal,
    managers: EntityManagers,
    private readonly names: StatementNames,
    origin: TransactionOrigin,
  ) {
    super(client, signal, managers, origin.tenantId.toLowerCase(), origin);
  }

  async queryPrepared<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    const result = await this.send(sql, parameters as unknown[], this.names.nameOf(sql));
    return result.rows as Row[];
  }
}

export class OpenNarrowTransaction extends OpenTransaction<undefined> implements NarrowTransaction {
  constructor(client: PoolClient, signal: OutboxSignal, managers: EntityManagers) {
    super(client, signal, managers, undefined, undefined);
  }
}
