import { type ErrorCode, PlatformError } from '@crm/contracts';
import { expect, it } from '@jest/globals';
import { withRetries } from './installation.saga.js';

it.each<[ErrorCode, number]>([
  ['SERVICE_UNAVAILABLE', 2],
  ['TOKEN_REVOKED', 2],
  ['WORKSPACE_SUSPENDED', 2],
  ['DEADLINE_EXCEEDED', 1],
  ['FORBIDDEN', 1],
])('a call of a step that is refused once, with %s, is made %d times', async (code, times) => {
  let calls = 0;
  const refusedOnce = async () => {
    calls += 1;
    if (calls === 1) throw new PlatformError(code);
    return 'done';
  };
  const answer = withRetries(new AbortController().signal, refusedOnce).catch((error: PlatformError) => error.code);
  expect([await answer, calls]).toEqual([times === 2 ? 'done' : code, times]);
});
