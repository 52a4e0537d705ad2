import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../../scripts/demo/client.mjs';
import { admin, api, embed, newWorkspace, PASSWORD } from '../platform/accounts.js';
import { type House, newHouse } from './house.js';
import { claimsOf } from './signer.js';

const TIMES = 20;

/** The answers to calls that are all under way before the first is answered. */
const atOnce = (call: (index: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: TIMES }, (_, index) => call(index)));

const countBy = (answers: readonly Answer[], of: (answer: Answer) => string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[of(answer)] = (counts[of(answer)] ?? 0) + 1;
  return counts;
};

describe('twenty calls at once', () => {
  let house: House;
  beforeAll(async () => {
    house = await newHouse();
  });

  it.each([
    { who: 'a user', call: api, email: async () => (await newWorkspace()).email },
    { who: 'an operator', call: admin, email: async () => 'operator@platform.test' },
  ])('with one refresh token of $who get one successor, and reuse after it is seen', async ({ call, email }) => {
    const body = { email: await email(), password: PASSWORD };
    const { body: pair } = await call('POST', '/api/auth/login', { body, expect: 200 });
    const refresh = (refreshToken: string) => call('POST', '/api/auth/refresh', { body: { refreshToken } });
    const answers = await atOnce(() => refresh(pair.refreshToken));
    expect(countBy(answers, ({ status }) => String(status))).toEqual({ 200: TIMES });
    const successors = new Set<string>(answers.map((answer) => answer.body.refreshToken));
    expect(successors.size).toBe(1);
    const [successor = ''] = successors;
    const answer: Answer = await refresh(successor);
    expect(answer.status).toBe(200);
    // Now someone else presents what was used: the session ends for all.
    expect((await refresh(pair.refreshToken)).status).toBe(401);
    expect((await refresh(answer.body.refreshToken)).status).toBe(401);
    expect((await call('GET', '/api/auth/me', { token: answer.body.accessToken })).status).toBe(401);
  });

  it('for one new host user make one user', async () => {
    const { clientId, clientSecret } = house.app.embedding;
    const sub = randomBytes(5).toString('hex');
    const answers = await atOnce(() =>
      embed('POST', '/api/auth/v1/embed/sessions', {
        headers: { 'x-embed-key': clientId, 'x-embed-secret': clientSecret },
        body: { sub, email: `${sub}@host.test`, name: 'Host user' },
      }),
    );
    expect(countBy(answers, ({ status }) => String(status))).toEqual({ 201: TIMES });
    expect(new Set(answers.map(({ body }) => claimsOf(body.embed_token).sub)).size).toBe(1);
    const { body: users } = await api('GET', '/api/tenant/users?size=200', { token: house.owner.token, expect: 200 });
    expect(users.data.filter(({ email }: { email: string }) => email === `${sub}@host.test`)).toHaveLength(1);
  });

  it('with guesses of a code take the five tries that there are, and not one more', async () => {
    const { email, token } = await newWorkspace();
    await api('PUT', '/api/auth/mfa', { token, body: { enabled: true, password: PASSWORD }, expect: 204 });
    const { body: challenge } = await api('POST', '/api/auth/login', {
      body: { email, password: PASSWORD },
      expect: 200,
    });
    expect(challenge.mfaRequired).toBe(true);
    const guess = (index: number) =>
      api('POST', '/api/auth/mfa/verify', {
        body: { challengeId: challenge.challengeId, code: String(index).padStart(6, '0') },
      });
    const counts = countBy(await atOnce(guess), ({ body }) => body.code);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(TIMES);
    expect(counts.INVALID_CREDENTIALS ?? 0).toBeLessThanOrEqual(5);
    expect(Object.keys(counts).sort()).toEqual(['INVALID_CREDENTIALS', 'RATE_LIMITED']);
  });
});
