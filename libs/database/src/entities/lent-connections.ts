import type { PoolClient, QueryResult } from 'pg';

/** Sends a statement on the lent connection, or rejects it. */
export type Send = (text: string, values?: unknown[]) => Promise<QueryResult>;

type Connected = (error: Error | undefined, connection?: LentConnection, release?: () => void) => void;

/** The part of a connection that TypeORM's Postgres driver uses. */
export interface LentConnection {
  query: Send;
  /** Events of the connection: TypeORM listens for its loss, which the lender handles here. */
  on(): void;
  removeListener(): void;
}

/**
 * Replaces `pg`'s pool for TypeORM (its documented option `driver`): it opens no connection but hands out the one that is
 * currently lent. A request while nothing is lent fails, so TypeORM cannot run a statement outside a transaction and its
 * tenant.
 */
export class LentConnections {
  private lent: LentConnection | undefined;

  /** Lends a connection to every request made before `borrow` returns. */
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

/** A connection of our pool, unchanged; TypeORM asks it for the server's version. */
export const plainConnection = (client: PoolClient): LentConnection => ({
  query: (text, values) => client.query(text, values),
  on: () => undefined,
  removeListener: () => undefined,
});

const OPENED = { command: 'START', rowCount: null, oid: 0, fields: [], rows: [] } as unknown as QueryResult;

/**
 * A connection with an open transaction that TypeORM must not end. TypeORM begins its own, so that it knows one is open
 * (it locks rows only inside one, and turns a nested one into a savepoint): the first `START TRANSACTION` is answered
 * without being sent; `COMMIT` and `ROLLBACK` are rejected.
 */
export function connectionInTransaction(send: Send): LentConnection {
  let depth = 0;
  return {
    async query(text, values) {
      if (text === 'START TRANSACTION') {
        depth += 1;
        // One that begins before TypeORM has registered the first is nested in it; TypeORM releases it by this name.
        return depth === 1 ? OPENED : send(`SAVEPOINT typeorm_${depth - 1}`);
      }
      if (text === 'COMMIT' || text === 'ROLLBACK') {
        throw new Error('Only the end of the callback of Database.transaction ends the transaction');
      }
      return send(text, values);
    },
    on: () => undefined,
    removeListener: () => undefined,
  };
}
