import { Logger } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { EntityManager } from 'typeorm';
import type { EntityManagers, ManagerLease } from './entity-managers.js';
import type { OutboxSignal } from './outbox/signal.js';
import type { NarrowTransaction, TenantTransaction } from './transaction.js';

/** What both kinds of transaction share: statements on one connection until it is closed, and what to do after the commit. */
class OpenTransaction {
  private readonly callbacks: (() => void)[] = [];
  private hasEvents = false;
  private open = true;

  constructor(
    protected readonly client: PoolClient,
    private readonly signal: OutboxSignal,
  ) {}

  async query<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    this.assertOpen();
    const result = await this.client.query(sql, parameters as unknown[]);
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

  /** From here on a statement is refused: the connection may serve another tenant. */
  close(): void {
    this.open = false;
  }

  /** What a callback throws cannot undo the commit, and must not look as if it had. */
  runAfterCommit(): void {
    for (const callback of this.callbacks) {
      try {
        callback();
      } catch (error) {
        new Logger('Database').error({ msg: 'A callback after a commit failed', err: error });
      }
    }
  }

  protected assertOpen(): void {
    if (!this.open) throw new Error('The transaction is over: await every statement inside its callback');
  }
}

export class OpenTenantTransaction extends OpenTransaction implements TenantTransaction {
  private lease: ManagerLease | undefined;

  constructor(
    client: PoolClient,
    signal: OutboxSignal,
    readonly tenantId: string,
    private readonly managers: EntityManagers,
  ) {
    super(client, signal);
  }

  get manager(): EntityManager {
    this.assertOpen();
    this.lease ??= this.managers.lease(this.client);
    return this.lease.manager;
  }

  override close(): void {
    super.close();
    this.lease?.end();
  }
}

export class OpenNarrowTransaction extends OpenTransaction implements NarrowTransaction {
  readonly tenantId = undefined;
}
