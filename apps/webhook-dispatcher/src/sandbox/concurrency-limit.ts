import { PlatformError } from '@crm/contracts';
import { Injectable } from '@nestjs/common';

const RETRY_AFTER_SECONDS = 5;

/** Limits concurrent calls of developers that take long: of one workspace, and of all together. */
abstract class ConcurrencyLimit {
  private readonly byTenant = new Map<string, number>();
  private all = 0;

  constructor(private readonly limits: { readonly perTenant: number; readonly all: number }) {}

  get count(): number {
    return this.all;
  }

  async within<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    const { perTenant, all } = this.limits;
    const own = this.byTenant.get(tenantId) ?? 0;
    if (own >= perTenant || this.all >= all) {
      const detail =
        own >= perTenant
          ? `This workspace already has ${perTenant} such calls in progress`
          : 'Too many such calls are in progress. Try again shortly';
      throw new PlatformError('RATE_LIMITED', detail, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.byTenant.set(tenantId, own + 1);
    this.all += 1;
    try {
      return await work();
    } finally {
      this.all -= 1;
      const left = (this.byTenant.get(tenantId) ?? 1) - 1;
      if (left > 0) this.byTenant.set(tenantId, left);
      else this.byTenant.delete(tenantId);
    }
  }
}

/** Each call that waits reads the ledger twice a second. */
@Injectable()
export class ListeningLimit extends ConcurrencyLimit {
  constructor() {
    super({ perTenant: 8, all: 256 });
  }
}

/** Attempts of sample events, up to 15 seconds each, take no slots of deliveries. */
@Injectable()
export class SampleEventLimit extends ConcurrencyLimit {
  constructor() {
    super({ perTenant: 2, all: 64 });
  }
}
