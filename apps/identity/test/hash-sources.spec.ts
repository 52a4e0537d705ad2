import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { HashPool } from '../src/sign-in/hash-pool.js';
import { PASSWORD, TestIdentity } from './identity.js';
import { ORIGIN, TestOperators } from './operators.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

/** For whom passwords are hashed meanwhile. */
async function sourcesOf(work: () => Promise<unknown>): Promise<string[]> {
  const run = jest.spyOn(identity.get(HashPool), 'run');
  try {
    await work();
    return run.mock.calls.map(([source]) => source);
  } finally {
    run.mockRestore();
  }
}

describe('a password that is checked takes its turn', () => {
  it('with others of the same user, within a session', async () => {
    const { userId, accessToken: token } = await identity.account();
    const sources = await sourcesOf(async () => {
      await identity.stepUp(token);
      await identity.request('PUT', '/api/auth/mfa', { token, body: { enabled: true, password: PASSWORD } });
    });
    expect(sources).toEqual([userId, userId]);
  });

  it('with others of the same address at the sign-in of an operator, and of the operator afterwards', async () => {
    const operators = new TestOperators(identity);
    const email = await operators.create();
    const sources = await sourcesOf(async () => {
      const { accessToken } = await operators.signedIn(email);
      await operators.call('stepUp', { password: PASSWORD }, accessToken);
    });
    expect(sources).toEqual([ORIGIN.address, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });
});
