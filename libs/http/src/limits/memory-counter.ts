interface Window {
  used: number;
  /** Unix time in milliseconds. */
  readonly endsAt: number;
}

/**
 * Counts in fixed windows, one per key, from its first use. All windows are equally long, so they end in the order in which
 * they stand in the map: those that have ended are forgotten from its front, without a timer per key.
 */
export class MemoryCounter {
  private readonly windows = new Map<string, Window>();

  /** @param now Unix time in milliseconds */
  constructor(
    private readonly windowMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  use(key: string): { readonly used: number; readonly endsInMs: number } {
    const now = this.now();
    let window = this.windows.get(key);
    if (!window || window.endsAt <= now) {
      this.forgetEnded(now);
      window = { used: 0, endsAt: now + this.windowMs };
      this.windows.set(key, window);
    }
    window.used += 1;
    return { used: window.used, endsInMs: window.endsAt - now };
  }

  find(key: string): { readonly used: number; readonly endsInMs: number } | undefined {
    const now = this.now();
    const window = this.windows.get(key);
    return window && window.endsAt > now ? { used: window.used, endsInMs: window.endsAt - now } : undefined;
  }

  private forgetEnded(now: number): void {
    for (const [key, { endsAt }] of this.windows) {
      if (endsAt > now) return;
      this.windows.delete(key);
    }
  }
}
