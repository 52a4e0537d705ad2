import { type LimitState, PlatformError } from '@crm/contracts';

/** What is read of a limiter of rate-limiter-flexible. */
export interface LimiterRule {
  /** Stands as the name of the policy in the answers. */
  readonly keyPrefix: string;
  readonly points: number;
  /** Seconds. */
  readonly duration: number;
}

/** What a limiter of rate-limiter-flexible says of one key. */
export interface LimiterCount {
  readonly consumedPoints: number;
  readonly msBeforeNext: number;
}

/** What is left of a limit for the key that was counted. */
export function limitState({ keyPrefix, points, duration }: LimiterRule, count: LimiterCount): LimitState {
  return {
    name: keyPrefix,
    quota: points,
    windowSeconds: duration,
    remaining: Math.max(0, points - count.consumedPoints),
    resetSeconds: Math.max(1, Math.ceil(count.msBeforeNext / 1000)),
  };
}

/**
 * The answer to a caller who has to wait until the window of an exhausted limit ends.
 * @param detail what there was too much of; that of the code when left out
 */
export function rateLimited(limiter: LimiterRule, count: LimiterCount, detail?: string): PlatformError {
  const state = limitState(limiter, count);
  return new PlatformError('RATE_LIMITED', detail, { retryAfterSeconds: state.resetSeconds, limits: [state] });
}

/**
 * The fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers, section 3 and 4): every policy that was applied, and
 * the state of the one with the least left.
 * @param states at least one
 */
export function limitHeaders(states: readonly LimitState[]): Record<string, string> {
  const scarcest = states.reduce((left, right) => (right.remaining < left.remaining ? right : left));
  return {
    'ratelimit-policy': states
      .map(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`)
      .join(', '),
    ratelimit: `"${scarcest.name}";r=${scarcest.remaining};t=${scarcest.resetSeconds}`,
  };
}
