const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/** Members of a record's view whose value is an instant. */
const TIMES = new Set(['createdAt', 'updatedAt']);

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * What stands for ids and times that necessarily differ between two worlds. An id that was given no name is named by the
 * order in which ids appear, so that two worlds agree while they show the same in the same order.
 */
export class Names {
  private readonly byId = new Map<string, string>();
  private readonly byTime = new Map<string, string>();

  give(id: string, name: string): void {
    this.byId.set(id.toLowerCase(), name);
  }

  /** A JSON value with its ids and times replaced; the order of members stays. */
  in(value: unknown, record = ''): unknown {
    if (typeof value === 'string') return value.replace(UUID, (id) => this.nameOf(id));
    if (Array.isArray(value)) return value.map((entry) => this.in(entry, record));
    if (typeof value !== 'object' || value === null) return value;
    const owner = Object.hasOwn(value, 'id') ? String((value as { id: unknown }).id) : record;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        if (name === 'requestId') return [name, 'a request'];
        if (name === 'nextCursor' && typeof member === 'string') return [name, this.inCursor(member)];
        if (TIMES.has(name) && typeof member === 'string') return [name, this.timeOf(owner, member)];
        return [name, this.in(member, owner)];
      }),
    );
  }

  /** What a cursor says of its position. Its first part binds it to tenant, list and filter. */
  private inCursor(cursor: string): unknown {
    const [, value, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as [string, unknown, string];
    // Of a list in the order of changes the value is a time of the test, in the order of a field it never is.
    const isOfTest = typeof value === 'string' && Math.abs(Date.parse(value) - Date.now()) < DAY_MS;
    return [isOfTest ? this.timeOf(id, value) : this.in(value), this.in(id)];
  }

  private nameOf(id: string): string {
    const known = this.byId.get(id.toLowerCase());
    if (known !== undefined) return known;
    const name = `id ${this.byId.size}`;
    this.give(id, name);
    return name;
  }

  /** Times of a record are told apart, and whether two are the same. */
  private timeOf(record: string, time: string): string {
    const key = `${record} ${time}`;
    const known = this.byTime.get(key);
    if (known !== undefined) return known;
    const count = [...this.byTime.keys()].filter((other) => other.startsWith(`${record} `)).length;
    this.byTime.set(key, `time ${count}`);
    return `time ${count}`;
  }
}
