/** Statements that a connection keeps prepared, at some 50 KiB each in the server for one that reads a table with many indexes. */
const PREPARED = 200;

/** Names of prepared statements, one per text. */
export class StatementNames {
  private readonly names = new Map<string, string>();

  /** @returns undefined when enough statements have a name: this one is then parsed at every execution */
  nameOf(text: string): string | undefined {
    const known = this.names.get(text);
    if (known !== undefined || this.names.size >= PREPARED) return known;
    const name = `prepared_${this.names.size + 1}`;
    this.names.set(text, name);
    return name;
  }
}
