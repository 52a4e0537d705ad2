import { type LimitState, PlatformError } from '@crm/contracts';

/** The used part of a limiter of rate-limiter-flexible. */
export interface LimiterRule {
  /** The name of the policy in responses. */
  readonly keyPrefix: string;
  readonly points: number;
  /** Seconds. */
  readonly duration: number;
}

/** The state of one key of a limiter of rate-limiter-flexible. */
export interface LimiterCount {
  readonly consumedPoints: number;
  readonly msBeforeNext: number;
}

/** The remaining part of a limit for the counted key. */
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
 * The error for a caller who must wait until the window of an exhausted limit ends.
 * @param detail error detail; default: that of the code
 * @param earlier limits that the call has passed
 */
export function rateLimited(
  limiter: LimiterRule,
  count: LimiterCount,
  detail?: string,
  earlier: readonly LimitState[] = [],
): PlatformError {
  const state = limitState(limiter, count);
  return new PlatformError('RATE_LIMITED', detail, {
    retryAfterSeconds: state.resetSeconds,
    limits: [...earlier, state],
  });
}

/**
 * The fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers, section 3 and 4): every applied policy, and
 * the state of the one with the least remaining.
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
