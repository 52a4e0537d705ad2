import pg from 'pg';

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

/** A statement with parameters or a name, and what is called with its outcome. */
export interface Statement {
  readonly text: string;
  readonly values?: unknown[] | undefined;
  readonly name?: string | undefined;
  readonly callback: (error: Error | null, result: pg.QueryResult) => void;
}

/**
 * The error of a statement that the server skipped because one before it in its segment failed; the code is that of a
 * statement in a failed transaction.
 */
const skipped = () =>
  Object.assign(new Error('A statement before this one failed: the transaction is aborted'), { code: '25P02' });

/**
 * Several statements that pg sends as one query: in one write, with one `Sync` at the end. After a failed statement the
 * server skips the rest, so a `COMMIT` in the same segment commits only if everything before it succeeded. pg by itself
 * ends each statement with a `Sync` of its own, which costs a write and a read on both sides, some 20 µs each.
 *
 * pg's client knows one query that is answered at a time; a segment passes the answers on to the statement whose turn it is.
 */
export class Segment extends (Query as new (config: object) => Answered & object) {
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

  /** Of the current statement, or of the connection. What was answered before has succeeded, what follows was skipped. */
  override handleError(error: Error, connection: Connection): void {
    for (const statement of this.statements.slice(0, this.answered)) statement.handleReadyForQuery(connection);
    const unanswered = this.statements.slice(this.answered);
    // Their names were sent, but not parsed: whoever uses one next sends it again.
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
