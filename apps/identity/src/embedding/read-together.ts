/** Mints that are read in one statement. A batch of the broker has at most as many. */
const MAX_AT_ONCE = 64;

interface Waiting<Key, Row> {
  readonly key: Key;
  resolve(row: Row | undefined): void;
  reject(error: unknown): void;
}

/** Collects what is asked for in one turn of the event loop and reads it with one statement. */
export class ReadTogether<Key, Row> {
  private waiting: Waiting<Key, Row>[] = [];

  /** @param read resolves to a row, or none, for each key by its position */
  constructor(private readonly read: (keys: readonly Key[]) => Promise<ReadonlyMap<number, Row>>) {}

  /** @throws what the reading of all of them throws */
  one(key: Key): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, resolve, reject });
      if (this.waiting.length === 1) setImmediate(() => this.flush());
      else if (this.waiting.length === MAX_AT_ONCE) this.flush();
    });
  }

  private flush(): void {
    const waiting = this.waiting;
    this.waiting = [];
    if (waiting.length === 0) return;
    this.read(waiting.map(({ key }) => key)).then(
      (rows) => {
        for (const [position, { resolve }] of waiting.entries()) resolve(rows.get(position));
      },
      (error: unknown) => {
        for (const { reject } of waiting) reject(error);
      },
    );
  }
}
