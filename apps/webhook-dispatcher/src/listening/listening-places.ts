import { PlatformError } from '@crm/contracts';
import { Injectable } from '@nestjs/common';

/** Calls that wait at the same time in this process, for one workspace: each reads the ledger twice a second. */
const PLACES_PER_TENANT = 8;
/** The same of all workspaces. */
const PLACES = 256;
/** Seconds. */
const RETRY_AFTER = 5;

/** Who waits for deliveries in this process. */
@Injectable()
export class ListeningPlaces {
  private readonly taken = new Map<string, number>();
  private all = 0;

  /** Calls that wait now. */
  get count(): number {
    return this.all;
  }

  /** @throws PlatformError RATE_LIMITED when the workspace, or everybody together, has too many */
  async within<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    const own = this.taken.get(tenantId) ?? 0;
    if (own >= PLACES_PER_TENANT || this.all >= PLACES) {
      const detail =
        own >= PLACES_PER_TENANT
          ? `${PLACES_PER_TENANT} calls of this workspace are listening already`
          : 'Too many are listening at the moment';
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
