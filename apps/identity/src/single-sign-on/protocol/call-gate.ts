import { PlatformError } from '@crm/contracts';

/** Sign-ins of one provider, and of all, that this process waits for at a time. */
const PER_PROVIDER = 16;
const IN_ALL = 128;

/** Bounds the calls to providers in flight, so that one that hangs holds up nobody else. */
export class CallGate {
  private readonly running = new Map<string, number>();
  private total = 0;

  /** @throws PlatformError SERVICE_UNAVAILABLE when too many calls are in flight, or what the work rejects with */
  async run<T>(provider: string, work: () => Promise<T>): Promise<T> {
    const present = this.running.get(provider) ?? 0;
    if (present >= PER_PROVIDER || this.total >= IN_ALL) {
      throw new PlatformError('SERVICE_UNAVAILABLE', 'Too many sign-ins wait for the identity provider', {
        retryAfterSeconds: 5,
      });
    }
    this.running.set(provider, present + 1);
    this.total += 1;
    try {
      return await work();
    } finally {
      this.total -= 1;
      const left = (this.running.get(provider) ?? 1) - 1;
      if (left === 0) this.running.delete(provider);
      else this.running.set(provider, left);
    }
  }
}
