import type { Principal } from '@crm/context';
import type { AccessTokenClaims } from '@crm/contracts';

/** Tokens remembered by one process, at about 2 KiB each. */
const CAPACITY = 10_000;

interface VerifiedToken {
  readonly claims: AccessTokenClaims;
  readonly principal: Principal;
}

/** Verified tokens by hash; the least recently used goes first when it is full. */
export class VerifiedTokens {
  private readonly entries = new Map<string, VerifiedToken>();

  constructor(private readonly capacity = CAPACITY) {}

  get(hash: string): VerifiedToken | undefined {
    const entry = this.entries.get(hash);
    if (entry) {
      // A Map keeps the order of insertion, so putting an entry back makes it the most recently used.
      this.entries.delete(hash);
      this.entries.set(hash, entry);
    }
    return entry;
  }

  set(hash: string, entry: VerifiedToken): void {
    this.entries.delete(hash);
    if (this.entries.size >= this.capacity) {
      const oldest = this.entries.keys().next();
      if (!oldest.done) this.entries.delete(oldest.value);
    }
    this.entries.set(hash, entry);
  }

  delete(hash: string): void {
    this.entries.delete(hash);
  }

  get size(): number {
    return this.entries.size;
  }
}
