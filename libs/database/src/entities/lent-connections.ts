import type { PoolClient, QueryResult } from 'pg';

/** Sends a statement on the connection that is lent, or refuses it. */
export type Send = (text: string, values?: unknown[]) => Promise<QueryResult>;

type Connected = (error: Error | undefined, connection?: LentConnection, release?: () => void) => void;

/** What TypeORM's Postgres driver uses of a connection. */
export interface LentConnection {
  query: Send;
  /** Events of the connection: TypeORM listens for its loss, which is the lender's business here. */
  on(): void;
  removeListener(): void;
}

/**
 * What TypeORM is given in place of `pg`'s pool (its documented option `driver`): it opens no connection, it hands out
 * the one that is lent at this moment. Whoever asks when nothing is lent is refused, so no statement of TypeORM can run
 * beside a transaction, without its tenant.
 */
export class LentConnections {
  private lent: LentConnection | undefined;

  /** Lends a connection to whoever asks for one before `borrow` returns. */
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

  /** A module like `pg`, of which TypeORM takes the pool. */
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

/** A connection of our pool as it is; TypeORM asks it for the server's version. */
export const plainConnection = (client: PoolClient): LentConnection => ({
  query: (text, values) => client.query(text, values),
  on: () => undefined,
  removeListener: () => undefined,
});

const OPENED = { command: 'START', rowCount: null, oid: 0, fields: [], rows: [] } as unknown as QueryResult;

/**
 * A connection on which a transaction is open that is not TypeORM's to end. TypeORM begins its own, so that it knows one
 * is open (it locks rows in one only, and makes a savepoint of a nested one): the first `START TRANSACTION` is answered
 * without sending it; `COMMIT` and `ROLLBACK` are refused.
 */
export function connectionInTransaction(send: Send): LentConnection {
  let depth = 0;
  return {
    async query(text, values) {
      if (text === 'START TRANSACTION') {
        depth += 1;
        // One that begins before TypeORM has taken note of the first is nested in it: the name is what TypeORM releases.
        return depth === 1 ? OPENED : send(`SAVEPOINT typeorm_${depth - 1}`);
      }
      if (text === 'COMMIT' || text === 'ROLLBACK') {
        throw new Error('The transaction ends with the callback of Database.transaction, by no other way');
      }
      return send(text, values);
    },
    on: () => undefined,
    removeListener: () => undefined,
  };
}
