/**
 * Divides the places of a worker among tenants: a tenant may start more as long as it has fewer running than places are
 * free. A single tenant gets half of the places, the next one half of the rest, and so on, so that a tenant whose work
 * never ends leaves places for all others. (The dynamic threshold of Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998, with
 * alpha 1.)
 */
export class TenantShares {
  private readonly underWay = new Map<string, number>();
  private total = 0;

  /** @param places concurrent items */
  constructor(private readonly places: number) {}

  get free(): number {
    return Math.max(0, this.places - this.total);
  }

  mayBegin(tenantId: string): boolean {
    return (this.underWay.get(tenantId) ?? 0) < this.free;
  }

  begun(tenantId: string): void {
    this.underWay.set(tenantId, (this.underWay.get(tenantId) ?? 0) + 1);
    this.total += 1;
  }

  ended(tenantId: string): void {
    const left = (this.underWay.get(tenantId) ?? 0) - 1;
    if (left > 0) this.underWay.set(tenantId, left);
    else this.underWay.delete(tenantId);
    this.total -= 1;
  }

  /** Tenants that may not start more work now. */
  full(): string[] {
    return [...this.underWay.keys()].filter((tenantId) => !this.mayBegin(tenantId));
  }
}
