import { PlatformError } from '@crm/contracts';

export interface CallLimits {
  /** Calls of one workspace at the same time in this process. */
  readonly perTenant: number;
  /** Of all workspaces together. */
  readonly all: number;
}

/** Seconds. */
const RETRY_AFTER = 5;

/** Bounds calls of developers that take long. */
export class ConcurrencyLimit {
  private readonly taken = new Map<string, number>();
  private all = 0;

  constructor(private readonly limits: CallLimits) {}

  /** Calls under way. */
  get count(): number {
    return this.all;
  }

  /** @throws PlatformError RATE_LIMITED when the workspace, or everybody together, has too many */
  async within<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    const { perTenant, all } = this.limits;
    const own = this.taken.get(tenantId) ?? 0;
    if (own >= perTenant || this.all >= all) {
      const detail =
        own >= perTenant
          ? `${perTenant} such calls of this workspace are under way already`
          : 'Too many such calls are under way at the moment';
      throw new PlatformError('RATE_LIMITED', detail, { retryAfterSeconds: RETRY_AFTER });
    }
    this.taken.set(tenantId, own + 1);
    this.all += 1;
    try {
      return await work();
    } finally {
      this.all -= 1;
      const left = (this.taken.get(tenantId) ?? 1) - 1;
      if (left > 0) this.taken.set(tenantId, left);
      else this.taken.delete(tenantId);
    }
  }
}
