import type { Writable } from 'node:stream';
import pg, { type PoolClient, type QueryResult } from 'pg';

/** Statements that a connection keeps prepared, at some 50 KiB each in the server for one that reads a table with many indexes. */
const PREPARED = 200;
/** Most of these whose texts depend on what is asked for: filters and orders of lists. */
const PREPARED_VARIANTS = 150;

/** Names of prepared statements, one per text. */
export class StatementNames {
  private readonly names = new Map<string, string>();

  /**
   * @param isVariant whether it is one of very many texts, which leave names for the others
   * @returns undefined when enough statements have a name: this one is then parsed at every execution
   */
  nameOf(text: string, isVariant = false): string | undefined {
    const known = this.names.get(text);
    if (known !== undefined || this.names.size >= (isVariant ? PREPARED_VARIANTS : PREPARED)) return known;
    const name = `prepared_${this.names.size + 1}`;
    this.names.set(text, name);
    return name;
  }
}

/** The members of pg's connection that a segment uses; `@types/pg` does not describe them. */
interface Connection {
  readonly stream: { write(bytes: Buffer): boolean };
  readonly submittedNamedStatements: Record<string, string>;
  _send(message: Buffer): boolean;
  sync(): void;
}

/** The members of pg's query that its client calls; `@types/pg` describes only the first. */
interface Answered {
  name: string | undefined;
  text: string;
  callback: ((error: Error | null) => void) | undefined;
  submit(connection: Connection): Error | null;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleEmptyQuery(connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
  handleError(error: Error, connection: Connection): void;
}

const Query = pg.Query as unknown as new (config: object, callback?: Statement['callback']) => Answered;
const { sync } = (pg as unknown as { Connection: { prototype: Connection } }).Connection.prototype;

interface Statement {
  readonly text: string;
  readonly values?: unknown[] | undefined;
  readonly name?: string | undefined;
  /** For one that has neither a name nor values. */
  readonly queryMode?: 'extended';
  readonly callback: (error: Error | null, result: pg.QueryResult) => void;
}

/** What a statement fails with that the server skipped, because one before it in its segment failed. */
const skipped = () =>
  Object.assign(new Error('A statement before this one failed: the transaction is aborted'), { code: '25P02' });

/**
 * Statements in one write with one `Sync` at the end: after a failed one the server skips the rest, so a COMMIT commits
 * only if everything before it succeeded. pg ends each with a `Sync`, which costs a write and a read, some 20 µs each.
 */
class Segment extends (Query as new (config: object) => Answered & object) {
  private readonly statements: Answered[];
  private answered = 0;

  constructor(statements: readonly Statement[]) {
    super({ text: statements[0]?.text });
    this.statements = statements.map(({ callback, ...config }) => new Query(config, callback));
    // pg sets the callback to end its timer; without one it would emit the outcome.
    this.callback = () => undefined;
    this.showCurrent();
  }

  override submit(connection: Connection): Error | null {
    const messages: Buffer[] = [];
    const collecting: Connection = Object.create(connection, {
      _send: { value: (message: Buffer) => messages.push(message) > 0 },
      sync: { value: () => undefined },
    });
    for (const [index, statement] of this.statements.entries()) {
      const written = messages.length;
      const failure = submitOne(statement, collecting);
      if (failure === null) continue;
      // Nothing of it is sent, nor of what follows: a COMMIT behind it must not commit the rest.
      messages.length = written;
      this.reject(this.statements.splice(index), failure, connection);
    }
    if (this.statements.length === 0) return skipped();
    sync.call(collecting);
    connection.stream.write(Buffer.concat(messages));
    return null;
  }

  override handleRowDescription(message: unknown): void {
    this.statements[this.answered]?.handleRowDescription(message);
  }

  override handleDataRow(message: unknown): void {
    this.statements[this.answered]?.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    this.statements[this.answered]?.handleCommandComplete(message, connection);
    this.answered += 1;
    this.showCurrent();
  }

  override handleEmptyQuery(connection: Connection): void {
    this.statements[this.answered]?.handleEmptyQuery(connection);
    this.answered += 1;
    this.showCurrent();
  }

  override handleReadyForQuery(connection: Connection): void {
    for (const statement of this.statements) statement.handleReadyForQuery(connection);
    this.callback?.(null);
  }

  /** The current statement or the connection failed. What was answered before has succeeded, what follows was skipped. */
  override handleError(error: Error, connection: Connection): void {
    for (const statement of this.statements.slice(0, this.answered)) statement.handleReadyForQuery(connection);
    const unanswered = this.statements.slice(this.answered);
    // Their names were sent, but not parsed: anyone who uses one next sends it again.
    for (const { name } of unanswered) if (name !== undefined) delete connection.submittedNamedStatements[name];
    this.reject(unanswered, error, connection);
    this.callback?.(error);
  }

  private reject(statements: readonly Answered[], error: Error, connection: Connection): void {
    for (const [index, statement] of statements.entries()) {
      statement.handleError(index === 0 ? error : skipped(), connection);
    }
  }

  /** pg's client reads from the query that is being answered which name the server has parsed, or failed to. */
  private showCurrent(): void {
    const current = this.statements[this.answered];
    this.name = current?.name;
    this.text = current?.text ?? '';
  }
}

/** @returns why the statement cannot be sent, such as a value that cannot be converted; null when it was written */
function submitOne(statement: Answered, connection: Connection): Error | null {
  const { callback, name } = statement;
  const isNew = name !== undefined && connection.submittedNamedStatements[name] === undefined;
  let failure: Error | null = null;
  // pg reports a value that it cannot convert to the callback.
  statement.callback = (error) => {
    failure = error;
  };
  failure = statement.submit(connection) ?? failure;
  statement.callback = callback;
  if (failure !== null && isNew) delete connection.submittedNamedStatements[name];
  return failure;
}

/** Statements that are issued in one turn of the event loop leave in one write, in their order, and share a round trip. */
export class StatementQueue {
  private waiting: Statement[] = [];

  constructor(private readonly client: PoolClient) {}

  /** @throws the error of the server; one with the code 25P02 when an earlier statement has failed */
  send(text: string, values?: unknown[], name?: string): Promise<QueryResult> {
    return this.add({ text, values, name });
  }

  /** A command without parameters whose text differs at every call, as part of the segment. */
  sendUtility(text: string): Promise<QueryResult> {
    return this.add({ text, queryMode: 'extended' });
  }

  private async add(statement: Omit<Statement, 'callback'>): Promise<QueryResult> {
    try {
      return await new Promise<QueryResult>((resolve, reject) => {
        const callback = (error: Error | null, result: QueryResult) => (error ? reject(error) : resolve(result));
        if (this.waiting.push({ ...statement, callback }) > 1) return;
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
const isExtended = ({ name, values, queryMode }: Statement): boolean =>
  name !== undefined || queryMode !== undefined || (values?.length ?? 0) > 0;
