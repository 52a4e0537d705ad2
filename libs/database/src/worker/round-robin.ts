/** Waiting items by tenant. Tenants take turns, so that one with many delays each item of another by one of its own. */
export class RoundRobin<Item> {
  /** The first tenant is next. */
  private readonly lines = new Map<string, Item[]>();
  private count = 0;

  get length(): number {
    return this.count;
  }

  add(tenantId: string, item: Item): void {
    const line = this.lines.get(tenantId);
    if (line) line.push(item);
    else this.lines.set(tenantId, [item]);
    this.count += 1;
  }

  /** The oldest item of the next tenant that may have one now. */
  take(mayHave: (tenantId: string) => boolean): Item | undefined {
    for (const [tenantId, line] of this.lines) {
      if (!mayHave(tenantId)) continue;
      const item = line.shift();
      this.lines.delete(tenantId);
      // To the end of the round.
      if (line.length > 0) this.lines.set(tenantId, line);
      this.count -= 1;
      return item;
    }
    return undefined;
  }

  /** Whether the tenant has at least an equal share of what waits. */
  hasFairShare(tenantId: string): boolean {
    return (this.lines.get(tenantId)?.length ?? 0) * this.lines.size >= this.count;
  }
}
