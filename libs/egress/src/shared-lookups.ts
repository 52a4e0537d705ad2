import { LRUCache } from 'lru-cache';
import type { Origin } from './destination.js';
import { EgressError } from './errors.js';

/** Looks up the checked addresses of an origin, whatever is known about it. */
export type Lookup = (origin: Origin, signal: AbortSignal) => Promise<readonly string[]>;

/** Milliseconds for which an answer serves new sockets to the same origin; a burst of sockets then costs one lookup. */
export const REUSE_MS = 1_000;

/** Origins whose answer is remembered; more than can be called within {@link REUSE_MS}. */
const REMEMBERED_ORIGINS = 4096;

interface LookupInProgress {
  readonly answer: Promise<readonly string[]>;
  readonly cancelling: AbortController;
  waiting: number;
}

/**
 * Lookups of one origin at the same time are one, and its answer is reused for a moment. What is reused are addresses that
 * were checked, not a name, and the peer of each socket is checked again: so the reuse cannot lead anywhere where the lookup
 * itself did not lead.
 */
export class SharedLookups {
  private readonly inProgress = new Map<string, LookupInProgress>();
  private readonly answers: LRUCache<string, { addresses: readonly string[]; at: number }>;

  /**
   * @param lookup checks the addresses it returns
   * @param reuseMs 0 to look up each time
   */
  constructor(
    private readonly lookup: Lookup,
    private readonly reuseMs: number,
  ) {
    this.answers = new LRUCache({ max: REMEMBERED_ORIGINS });
  }

  /**
   * @param signal ends the wait; the lookup itself is cancelled when nobody waits for it any longer
   * @throws EgressError of the lookup, or `connect` when the signal ended the wait
   */
  async addressesOf(origin: Origin, signal: AbortSignal): Promise<readonly string[]> {
    const known = this.answers.get(origin.origin);
    if (known && performance.now() - known.at < this.reuseMs) return known.addresses;
    const lookup = this.inProgress.get(origin.origin) ?? this.start(origin);
    lookup.waiting += 1;
    try {
      return await unlessAborted(lookup.answer, signal);
    } catch (error) {
      // The client notes in an error how its call ended, so calls must not share one.
      throw error instanceof EgressError ? new EgressError(error.code, error.message, { cause: error }) : error;
    } finally {
      lookup.waiting -= 1;
      if (lookup.waiting === 0) this.end(origin, lookup);
    }
  }

  /** Forgets the answer, because no socket could be opened with it. */
  forget(origin: Origin): void {
    this.answers.delete(origin.origin);
  }

  private start(origin: Origin): LookupInProgress {
    const cancelling = new AbortController();
    const answer = this.lookup(origin, cancelling.signal).then((addresses) => {
      if (this.reuseMs > 0) this.answers.set(origin.origin, { addresses, at: performance.now() });
      return addresses;
    });
    const lookup = { answer, cancelling, waiting: 0 };
    this.inProgress.set(origin.origin, lookup);
    return lookup;
  }

  private end(origin: Origin, lookup: LookupInProgress): void {
    if (this.inProgress.get(origin.origin) === lookup) this.inProgress.delete(origin.origin);
    lookup.cancelling.abort();
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new EgressError('connect', 'The call was cancelled'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
