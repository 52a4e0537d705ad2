/**
 * A reinstatement is remembered for longer than the bucket can have the suspension that it lifted, which is a day after that was
 * published for the last time: a bucket that is read again gives the suspension first.
 */
const RELEVANT_MS = 2 * 86_400_000;

/**
 * Which tenants are suspended: those whose last suspension is later than their last reinstatement. Each of the two only moves
 * forward, so that the order in which they arrive, or arrive again, does not matter.
 */
export class Suspensions {
  private readonly suspendedAt = new Map<string, number>();
  private readonly reinstatedAt = new Map<string, number>();
  private readonly suspended = new Set<string>();
  /** Undefined when it has to be made anew. */
  private listed: readonly string[] | undefined;

  /** Known entries of both kinds. */
  get size(): number {
    return this.suspendedAt.size + this.reinstatedAt.size;
  }

  suspend(tenantId: string, atMs: number): void {
    keepLater(this.suspendedAt, tenantId, atMs);
    this.decide(tenantId);
  }

  reinstate(tenantId: string, atMs: number): void {
    keepLater(this.reinstatedAt, tenantId, atMs);
    this.decide(tenantId);
  }

  /** Looked up for every token. */
  has(tenantId: string): boolean {
    return this.suspended.size > 0 && this.suspended.has(tenantId);
  }

  list(): readonly string[] {
    this.listed ??= [...this.suspended];
    return this.listed;
  }

  /** Forgets what was lifted long ago. A suspension in force is never forgotten. @param nowMs Unix time in milliseconds */
  prune(nowMs: number): void {
    for (const [tenantId, atMs] of this.reinstatedAt) {
      if (atMs >= nowMs - RELEVANT_MS) continue;
      this.reinstatedAt.delete(tenantId);
      if (!this.suspended.has(tenantId)) this.suspendedAt.delete(tenantId);
    }
  }

  private decide(tenantId: string): void {
    const isInForce = (this.suspendedAt.get(tenantId) ?? 0) > (this.reinstatedAt.get(tenantId) ?? 0);
    if (isInForce === this.suspended.has(tenantId)) return;
    if (isInForce) this.suspended.add(tenantId);
    else this.suspended.delete(tenantId);
    this.listed = undefined;
  }
}

function keepLater(times: Map<string, number>, id: string, atMs: number): void {
  times.set(id, Math.max(atMs, times.get(id) ?? 0));
}
