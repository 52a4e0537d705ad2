/**
 * Divides the places of a worker among tenants: a tenant may begin more as long as it has fewer under way than places are
 * free. One alone gets half of the places, the next half of what is left, and so on, so that somebody whose work never
 * ends leaves room for everybody else. (The dynamic threshold of Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998, with
 * alpha 1.)
 */
export class TenantShares {
  private readonly underWay = new Map<string, number>();
  private total = 0;

  /** @param places pieces of work at a time */
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

  /** Tenants that may begin nothing more now. */
  full(): string[] {
    return [...this.underWay.keys()].filter((tenantId) => !this.mayBegin(tenantId));
  }
}
