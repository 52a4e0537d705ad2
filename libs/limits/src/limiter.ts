import { type LimitState, PlatformError } from '@crm/contracts';
import {
  type Claim,
  type Decision,
  hasCapacity,
  type Limit,
  type LimiterStore,
  type OpenLimit,
  type Operation,
  remainingUses,
  secondsUntilCapacity,
  secondsUntilEmpty,
  windowSeconds,
} from './limiter-store.js';

/** IPv4, also mapped or with the port that some load balancers write; IPv6 in brackets, which have it too. */
const IPV4 = /^(?:(?:::|(?:0+:){5})ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/i;
const BRACKETED = /^\[(.*)\](?::\d+)?$/;

/**
 * The key of a limit for an address: an IPv6 customer can choose from a whole /64, so these addresses share a key.
 * @param address undefined for a client that has gone, of whom nothing is known any more
 */
export function addressKey(address: string | undefined): string {
  if (!address?.includes(':')) return address ?? '';
  const ipv4 = IPV4.exec(address)?.[1];
  if (ipv4) return ipv4;
  const text = BRACKETED.exec(address)?.[1] ?? address;
  const [head = '', tail = ''] = text.split('::', 2);
  const before = head.split(':').filter(Boolean);
  const after = tail.split(':').filter(Boolean);
  const zeros = text.includes('::') ? Math.max(0, 8 - before.length - after.length) : 0;
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after].map((group) => Number.parseInt(group, 16));
  const [high = 0, low = 0] = groups.slice(6);
  // Mapped IPv4, written as IPv6 is.
  if (groups.slice(0, 6).join() === MAPPED) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

const MAPPED = [0, 0, 0, 0, 0, 0xffff].join();

export const isLoopback = (address: string): boolean => /^(127\.|::1$|::ffff:127\.)/i.test(address);

/** @param states of the limits that were applied, the exhausted one last */
export function rateLimited(states: readonly LimitState[], detail?: string): PlatformError {
  return new PlatformError('RATE_LIMITED', detail, { retryAfterSeconds: states.at(-1)?.resetSeconds, limits: states });
}

/** draft-ietf-httpapi-ratelimit-headers, sections 3 and 4: every applied policy, and the state of the scarcest limit. */
export function limitHeaders(states: readonly LimitState[]): Record<string, string> {
  let scarcest = states[0] as LimitState;
  let policies = '';
  for (const state of states) {
    if (state.remaining < scarcest.remaining) scarcest = state;
    policies += `${policies && ', '}"${state.name}";q=${state.quota};w=${state.windowSeconds}`;
  }
  return {
    'ratelimit-policy': policies,
    ratelimit: `"${scarcest.name}";r=${scarcest.remaining};t=${scarcest.resetSeconds}`,
  };
}

interface GroupedLimit {
  readonly store: LimiterStore;
  readonly open: OpenLimit;
  /** What a caller with this debt is told. */
  stateOf(debtUs: number): LimitState;
  isExhausted(debtUs: number): boolean;
  /** @param states of the limits that were applied, this one last */
  refusalFor(states: readonly LimitState[]): PlatformError;
}

/** Limits for the same calls, asked in one step: one round trip where the store is a server. One key for each, in order. */
export class LimitGroup {
  /** @param limiters at least one, all different */
  constructor(private readonly limiters: readonly GroupedLimit[]) {}

  /** At once if the store answers at once. @throws PlatformError RATE_LIMITED with the states up to the exhausted one */
  consume(...keys: readonly string[]): readonly LimitState[] | Promise<readonly LimitState[]> {
    const decision = this.apply('take', keys);
    return decision instanceof Promise ? decision.then((later) => this.admit(later)) : this.admit(decision);
  }

  /** Uses a point of every key after the attempt, even if none is left: for limits that count only failures. */
  async penalise(...keys: readonly string[]): Promise<void> {
    await this.apply('charge', keys);
  }

  /** Undoes a use, for limits of simultaneous attempts; a full key gains no more than the time since the use. */
  async giveBack(...keys: readonly string[]): Promise<void> {
    await this.apply('restore', keys);
  }

  /** Uses nothing. @throws PlatformError RATE_LIMITED when one of the keys has no point left */
  async refuseExhausted(...keys: readonly string[]): Promise<void> {
    const { debtsUs } = await this.apply('look', keys);
    const refused = this.limiters.findIndex((limiter, index) => limiter.isExhausted(debtsUs[index] as number));
    this.admit({ refused, debtsUs });
  }

  private apply(operation: Operation, keys: readonly string[]): Decision | Promise<Decision> {
    const claims: Claim[] = [];
    for (let index = 0; index < this.limiters.length; index += 1) {
      claims.push({ open: (this.limiters[index] as GroupedLimit).open, key: keys[index] as string });
    }
    return (this.limiters[0] as GroupedLimit).store.apply(operation, claims);
  }

  private admit({ refused, debtsUs }: Decision): readonly LimitState[] {
    const states: LimitState[] = [];
    for (let index = 0; index < this.limiters.length; index += 1) {
      const limiter = this.limiters[index] as GroupedLimit;
      states.push(limiter.stateOf(debtsUs[index] as number));
      if (index === refused) throw limiter.refusalFor(states);
    }
    return states;
  }
}

export class Limiter implements GroupedLimit {
  readonly open: OpenLimit;
  private readonly alone: LimitGroup;

  /** @param refusal error detail; default: that of RATE_LIMITED */
  constructor(
    readonly store: LimiterStore,
    limit: Limit,
    private readonly refusal?: string,
  ) {
    this.open = store.open(limit);
    this.alone = new LimitGroup([this]);
  }

  /** @returns the remaining points, at once if the store answers at once @throws PlatformError RATE_LIMITED */
  consume(key: string): LimitState | Promise<LimitState> {
    const states = this.alone.consume(key);
    return states instanceof Promise ? states.then(([state]) => state as LimitState) : (states[0] as LimitState);
  }

  /** Like {@link consume}, for a caller who is not told. @returns whether a point was left */
  async admits(key: string): Promise<boolean> {
    try {
      await this.consume(key);
      return true;
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'RATE_LIMITED') return false;
      throw error;
    }
  }

  /** Uses a point after the attempt, even if none is left: for limits that count only failures. */
  penalise(key: string): Promise<void> {
    return this.alone.penalise(key);
  }

  /** Uses nothing. @throws PlatformError RATE_LIMITED when the key has no point left */
  refuseExhausted(key: string): Promise<void> {
    return this.alone.refuseExhausted(key);
  }

  stateOf(debtUs: number): LimitState {
    const { limit, burst, pace } = this.open;
    const remaining = remainingUses(pace, debtUs);
    return {
      name: limit.name,
      quota: burst,
      windowSeconds: windowSeconds(pace),
      remaining,
      resetSeconds: remaining > 0 ? secondsUntilEmpty(debtUs) : secondsUntilCapacity(pace, debtUs),
    };
  }

  isExhausted(debtUs: number): boolean {
    return !hasCapacity(this.open.pace, debtUs);
  }

  refusalFor(states: readonly LimitState[]): PlatformError {
    return rateLimited(states, this.refusal);
  }
}
