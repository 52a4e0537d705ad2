import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { withRetries } from './installation.saga.js';

const { signal } = new AbortController();

/** A call that is refused once. */
function refusedOnce(refusal: PlatformError) {
  const calls: string[] = [];
  const call = async () => {
    calls.push('called');
    if (calls.length === 1) throw refusal;
    return calls.length;
  };
  return { calls, call };
}

describe('the calls of a step', () => {
  it.each(['SERVICE_UNAVAILABLE', 'TOKEN_REVOKED', 'WORKSPACE_SUSPENDED'] as const)(
    'are repeated after %s',
    async (code) => {
      const { call } = refusedOnce(new PlatformError(code));
      await expect(withRetries(signal, call)).resolves.toBe(2);
    },
  );

  it.each(['DEADLINE_EXCEEDED', 'FORBIDDEN'] as const)('are not repeated after %s', async (code) => {
    const { calls, call } = refusedOnce(new PlatformError(code));
    await expect(withRetries(signal, call)).rejects.toMatchObject({ code });
    expect(calls).toHaveLength(1);
  });
});
