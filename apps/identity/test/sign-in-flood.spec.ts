import { beforeAll, describe, expect, it } from '@jest/globals';
import { hash } from '@node-rs/argon2';
import { HASH_POOL_DEFAULTS, queueLength, refusals } from '../src/passwords/hash-pool.js';
import { type Account, newEmail, PASSWORD, TestIdentity } from './identity.js';

const identity = TestIdentity.ofFile({
  hashPool: { cost: HASH_POOL_DEFAULTS.cost, concurrency: 1, queueLength: 5, queueMs: 10_000 },
});
let account: Account;
beforeAll(async () => {
  account = await identity.account();
});

/** Sign-ins at the same time, each to another account unless one is given. */
const flood = (count: number, addressOf: (index: number) => string, email?: string) =>
  Array.from({ length: count }, (_, index) =>
    identity.login(email ?? newEmail(), 'not-the-password', { 'x-forwarded-for': addressOf(index) }),
  );
const refused = async () => {
  const { values } = await refusals.get();
  return Object.fromEntries(values.map(({ labels, value }) => [labels.reason, value]));
};
const queued = async () => (await queueLength.get()).values[0]?.value;

describe('a flood of sign-ins', () => {
  it('is answered with 503 and Retry-After beyond the queue, while other requests go on', async () => {
    const before = await refused();
    const sent = flood(60, (index) => `203.0.113.${index}`);
    const others = await Promise.all(Array.from({ length: 20 }, () => identity.me(account.accessToken)));
    const answers = await Promise.all(sent);
    const turnedAway = answers.filter(({ status }) => status === 503);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 503]));
    expect(turnedAway.length).toBeGreaterThan(0);
    for (const { body, headers } of turnedAway) {
      expect(body.code).toBe('SERVICE_UNAVAILABLE');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(others.every(({ status }) => status === 200)).toBe(true);
    const after = await refused();
    expect((after.full ?? 0) - (before.full ?? 0)).toBe(turnedAway.length);
    expect(await queued()).toBe(0);
  });

  it('from one address does not keep a person at another from signing in', async () => {
    const sent = flood(60, () => '192.0.2.1');
    const person = { 'x-forwarded-for': '192.0.2.2' };
    const signIns = await Promise.all([1, 2].map(() => identity.login(account.email, undefined, person)));
    expect(signIns.map(({ status }) => status)).toEqual([200, 200]);
    await Promise.all(sent);
  });

  it('is as expensive for unknown addresses as for known ones: both wait in the same queue', async () => {
    const known = await Promise.all(Array.from({ length: 3 }, () => identity.account()));
    const before = await refused();
    const answers = await Promise.all([
      ...flood(30, (index) => `203.0.113.${100 + index}`),
      ...known.flatMap(({ email }) => flood(10, (index) => `203.0.113.${150 + index}`, email)),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses.slice(0, 30))).toEqual(new Set([401, 503]));
    for (const status of statuses.slice(30)) expect([401, 503]).toContain(status);
    const after = await refused();
    expect(after.full ?? 0).toBeGreaterThan(before.full ?? 0);
  });
});

describe('a sign-in to an account whose hash has other parameters', () => {
  it('stores a new hash, once', async () => {
    const { email, tenantId, userId } = await identity.account();
    const old = await hash(PASSWORD, { memoryCost: 8192, timeCost: 2, parallelism: 1 });
    const sql = 'SELECT password_hash AS hash FROM app_user WHERE id = $1';
    const stored = async () => (await identity.query<{ hash: string }>(tenantId, sql, [userId]))[0]?.hash;
    await identity.query(tenantId, 'UPDATE app_user SET password_hash = $2 WHERE id = $1', [userId, old]);
    expect((await identity.login(email, 'not-the-password')).status).toBe(401);
    expect(await stored()).toBe(old);
    expect((await identity.login(email)).status).toBe(200);
    const renewed = await stored();
    expect(renewed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await identity.login(email)).status).toBe(200);
    expect(await stored()).toBe(renewed);
  });
});
