import { PlatformError } from '@crm/contracts';

/** Sign-ins of one workspace, and of all, that this process waits for at a time. */
const PER_TENANT = 16;
const IN_ALL = 128;

/**
 * Bounds the calls to providers in flight. Each workspace has its own room, whichever issuers it names: one that registers
 * the issuer of others, or one that hangs, holds up nobody else.
 */
export class CallGate {
  private readonly running = new Map<string, number>();
  private total = 0;

  /** @throws PlatformError SERVICE_UNAVAILABLE when too many calls are in flight, or what the work rejects with */
  async run<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    const present = this.running.get(tenantId) ?? 0;
    if (present >= PER_TENANT || this.total >= IN_ALL) {
      throw new PlatformError('SERVICE_UNAVAILABLE', 'Too many sign-ins wait for the identity provider', {
        retryAfterSeconds: 5,
      });
    }
    this.running.set(tenantId, present + 1);
    this.total += 1;
    try {
      return await work();
    } finally {
      this.total -= 1;
      const left = (this.running.get(tenantId) ?? 1) - 1;
      if (left === 0) this.running.delete(tenantId);
      else this.running.set(tenantId, left);
    }
  }
}
