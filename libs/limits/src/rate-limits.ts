import { type LimitState, PlatformError } from '@crm/contracts';

/**
 * The error for a caller of an exhausted limit.
 * @param states of the limits that were applied, the exhausted one last
 * @param detail error detail; default: that of the code
 */
export function rateLimited(states: readonly LimitState[], detail?: string): PlatformError {
  return new PlatformError('RATE_LIMITED', detail, { retryAfterSeconds: states.at(-1)?.resetSeconds, limits: states });
}

/**
 * The fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers, section 3 and 4): every applied policy, and
 * the state of the one with the least remaining.
 * @param states at least one
 */
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
