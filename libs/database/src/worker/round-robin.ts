/** Waiting items of tenants, taken round robin: a tenant with many delays each item of another by one of its own. */
export class RoundRobin<Item> {
  /** The first tenant is next. */
  private readonly queues = new Map<string, Item[]>();
  private count = 0;

  get length(): number {
    return this.count;
  }

  add(tenantId: string, item: Item): void {
    const queue = this.queues.get(tenantId);
    if (queue) queue.push(item);
    else this.queues.set(tenantId, [item]);
    this.count += 1;
  }

  /** The oldest item of the next tenant that may have one now. */
  take(mayHave: (tenantId: string) => boolean): Item | undefined {
    for (const [tenantId, queue] of this.queues) {
      if (!mayHave(tenantId)) continue;
      const item = queue.shift();
      this.queues.delete(tenantId);
      // To the end of the round.
      if (queue.length > 0) this.queues.set(tenantId, queue);
      this.count -= 1;
      return item;
    }
    return undefined;
  }

  /** Returns whether the tenant has at least an equal share of what waits. */
  hasFairShare(tenantId: string): boolean {
    return (this.queues.get(tenantId)?.length ?? 0) * this.queues.size >= this.count;
  }
}
