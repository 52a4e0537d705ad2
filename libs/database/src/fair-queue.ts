import type { CallOrigin } from '@crm/access';
import { PlatformError } from '@crm/contracts';

/** For so many milliseconds after its last call a tenant counts as present, so that its next call finds free slots. */
const PRESENT_MS = 1_000;

export interface FairQueueOptions {
  readonly slots: number;
  /** Slots of one tenant at most while another is present; default: all. */
  readonly share?: number;
  /** Milliseconds after which a waiting call is refused. */
  readonly timeoutMs: number;
  /** The detail of that refusal. */
  readonly refusal?: string;
}

interface TenantCalls {
  running: number;
  /** Begins each, in the order in which they came. */
  readonly waiting: Set<() => void>;
}

/**
 * Slots that tenants share: a free one goes to the tenant with the fewest, of equals to the one served longest ago. A tenant
 * that is alone has all of them, beside others its share, so that their calls need not wait for its own to end.
 */
export class FairQueue {
  private readonly tenants = new Map<string, TenantCalls>();
  private running = 0;
  /** The tenant whose call was the last to come, and the last one of another. */
  private latest = { tenant: '', at: Number.NEGATIVE_INFINITY };
  private other = this.latest;

  constructor(private readonly options: FairQueueOptions) {}

  /** Calls that wait. */
  get waiting(): number {
    let sum = 0;
    for (const { waiting } of this.tenants.values()) sum += waiting.size;
    return sum;
  }

  /**
   * Takes a slot; `leave` gives it back.
   * @returns undefined when there was one at once
   * @throws PlatformError SERVICE_UNAVAILABLE when there was none in time, or when the client has gone meanwhile
   */
  enter(tenant: string, connection?: CallOrigin['connection']): Promise<void> | undefined {
    this.see(tenant);
    let calls = this.tenants.get(tenant);
    if (!calls) {
      calls = { running: 0, waiting: new Set() };
      this.tenants.set(tenant, calls);
    }
    const mayRun = this.mayRun(tenant, calls);
    if (mayRun && calls.waiting.size === 0) {
      this.begin(calls);
      return undefined;
    }
    const begun = this.wait(tenant, calls, connection);
    // The others have gone since its calls began to wait.
    if (mayRun) this.beginWaiting();
    return begun;
  }

  leave(tenant: string): void {
    const calls = this.tenants.get(tenant) as TenantCalls;
    calls.running -= 1;
    this.running -= 1;
    this.forget(tenant, calls);
    this.beginWaiting();
  }

  private see(tenant: string): void {
    if (this.latest.tenant !== tenant) {
      this.other = this.latest;
      this.latest = { tenant, at: 0 };
    }
    this.latest.at = performance.now();
  }

  private mayRun(tenant: string, { running }: TenantCalls): boolean {
    const { slots, share = slots } = this.options;
    return this.running < slots && (running < share || !this.isBesideOthers(tenant, running));
  }

  private isBesideOthers(tenant: string, running: number): boolean {
    const { at } = this.latest.tenant === tenant ? this.other : this.latest;
    return this.running > running || performance.now() - at < PRESENT_MS;
  }

  private begin(calls: TenantCalls): void {
    calls.running += 1;
    this.running += 1;
  }

  private wait(tenant: string, calls: TenantCalls, connection: CallOrigin['connection']): Promise<void> {
    const { timeoutMs, refusal = 'The database is unavailable. Try again in a second' } = this.options;
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        connection?.off('close', gone);
        calls.waiting.delete(begin);
      };
      const begin = () => {
        end();
        this.begin(calls);
        resolve();
      };
      const refuse = (detail: string) => {
        end();
        this.forget(tenant, calls);
        reject(new PlatformError('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds: 1 }));
      };
      const gone = () => refuse('The client closed the connection');
      const timer = setTimeout(() => refuse(refusal), timeoutMs);
      calls.waiting.add(begin);
      connection?.once('close', gone);
    });
  }

  private beginWaiting(): void {
    while (this.running < this.options.slots) {
      let next: { tenant: string; calls: TenantCalls } | undefined;
      for (const [tenant, calls] of this.tenants) {
        if (calls.waiting.size === 0 || (next && calls.running >= next.calls.running)) continue;
        if (this.mayRun(tenant, calls)) next = { tenant, calls };
      }
      if (!next) return;
      const { tenant, calls } = next;
      // All others come before its next one.
      this.tenants.delete(tenant);
      this.tenants.set(tenant, calls);
      for (const begin of calls.waiting) {
        begin();
        break;
      }
    }
  }

  private forget(tenant: string, calls: TenantCalls): void {
    if (calls.running === 0 && calls.waiting.size === 0) this.tenants.delete(tenant);
  }
}
