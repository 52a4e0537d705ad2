import type { Writable } from 'node:stream';
import type { PoolClient, QueryResult } from 'pg';
import { Segment, type Statement } from './segment.js';

/**
 * The statements of a transaction on their way to the server: those that are issued in one turn of the event loop leave in
 * one write, in the order in which they were issued, and share a round trip.
 */
export class StatementQueue {
  private waiting: Statement[] = [];

  constructor(private readonly client: PoolClient) {}

  /**
   * @param name of the prepared statement; the text is then parsed once for a connection
   * @throws the error of the server; one with the code 25P02 when an earlier statement has failed
   */
  async send(text: string, values?: unknown[], name?: string): Promise<QueryResult> {
    try {
      return await new Promise<QueryResult>((resolve, reject) => {
        const callback = (error: Error | null, result: QueryResult) => (error ? reject(error) : resolve(result));
        if (this.waiting.push({ text, values, name, callback }) > 1) return;
        // After the promises that are settled by now, so that what they issue goes along.
        process.nextTick(() => this.flush());
      });
    } catch (error) {
      // The driver's stack leads to its socket; this one leads to the statement.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    }
  }

  private flush(): void {
    const statements = this.waiting;
    this.waiting = [];
    const { stream } = (this.client as unknown as { readonly connection: { readonly stream: Writable } }).connection;
    stream.cork();
    let segment: Statement[] = [];
    for (const statement of statements) {
      if (isExtended(statement)) {
        segment.push(statement);
        continue;
      }
      this.sendSegment(segment);
      segment = [];
      this.client.query(statement.text, statement.callback);
    }
    this.sendSegment(segment);
    stream.uncork();
  }

  private sendSegment(statements: readonly Statement[]): void {
    if (statements.length > 0) this.client.query(new Segment(statements));
  }
}

/** Without a name and values pg uses the simple protocol, which accepts several statements in one text. */
const isExtended = ({ name, values }: Statement): boolean => name !== undefined || (values?.length ?? 0) > 0;
