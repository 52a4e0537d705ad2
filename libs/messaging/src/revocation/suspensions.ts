/** Longer than the bucket can have the lifted suspension (a day), which a bucket that is read again gives first. */
const RELEVANT_MS = 2 * 86_400_000;

/** Suspended: the last suspension is later than the last reinstatement. Both only move forward, so order does not matter. */
export class Suspensions {
  private readonly suspendedAt = new Map<string, number>();
  private readonly reinstatedAt = new Map<string, number>();
  private readonly suspended = new Set<string>();
  private listed: readonly string[] | undefined;

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
