import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORDS_SET } from '../src/accounts/user-administration.service.js';
import { waitSeconds } from '../src/sign-in/hash-pool.js';
import { type Account, newEmail, PASSWORD, TestIdentity } from './identity.js';
import { MailServer } from './mail-server.js';

/** More than the time of the test gives back, one in twelve seconds. */
const GIVEN_BACK = 20;

let mailServer: MailServer;
let identity: TestIdentity;
let owner: Account;
beforeAll(async () => {
  mailServer = await MailServer.start();
  identity = await TestIdentity.start({ smtpUrl: mailServer.url });
  owner = await identity.account({ name: 'Rocket Works' });
});
afterAll(async () => {
  await identity?.close();
  await mailServer?.close();
});

const register = (password: string) =>
  identity.post('/api/auth/register', {
    email: newEmail(),
    password,
    name: 'Grace Hopper',
    workspace: { name: 'Rocket Works' },
  });
const add = (password: string) =>
  identity.post(
    '/api/tenant/users',
    { email: newEmail(), name: 'Grace Hopper', password, roles: ['member'] },
    owner.accessToken,
  );
const accept = async (password: string) => {
  const email = newEmail();
  const body = { email, name: 'Grace Hopper', roles: ['member'] };
  await identity.post('/api/tenant/users', body, owner.accessToken);
  const token = /#token=([\w.-]+)/.exec((await mailServer.mailTo(email)).text)?.[1];
  return identity.post('/api/auth/invitations/accept', { token, password });
};
const hashes = async () =>
  (await waitSeconds.get()).values.find(({ metricName }) => metricName?.endsWith('_count'))?.value;

describe.each([
  ['registration', register, 201],
  ['adding a user', add, 201],
  ['accepting an invitation', accept, 204],
])('%s', (_, call, success) => {
  it.each([
    ['iloveyou2024', 'COMMON_PASSWORD'],
    ['1qaz2wsx3edc', 'COMMON_PASSWORD'],
    ['Grace-Hopper-1', 'OWN_DATA_PASSWORD'],
    ['rocketworks2026', 'OWN_DATA_PASSWORD'],
  ])('refuses the password %p before it hashes anything', async (password, code) => {
    const before = await hashes();
    const { status, body } = await call(password);
    expect([status, body.code]).toEqual([422, 'WEAK_PASSWORD']);
    expect(body.errors).toMatchObject([{ pointer: '/password', code }]);
    expect(await hashes()).toBe(before);
  });

  it('accepts the password of the demo accounts', async () => {
    expect((await call(PASSWORD)).status).toBe(success);
  });
});

describe('a long password', () => {
  const ofLength = (length: number): string => 'correct-horse-battery-staple-'.repeat(9).slice(0, length);

  it.each([64, 256])('of %i characters is accepted, and verified to its last one', async (length) => {
    const email = newEmail();
    const body = { email, password: ofLength(length), name: 'Ada', workspace: { name: 'Long' } };
    expect((await identity.post('/api/auth/register', body)).status).toBe(201);
    const signIn = async (password: string) => (await identity.post('/api/auth/login', { email, password })).status;
    expect(await signIn(ofLength(length))).toBe(200);
    expect(await signIn(`${ofLength(length - 1)}!`)).toBe(401);
  });

  it('of more than 256 characters is refused and not cut', async () => {
    const { status, body } = await register(ofLength(257));
    expect([status, body.errors]).toMatchObject([422, [{ pointer: '/password' }]]);
  });
});

describe('passwords that administrators set', () => {
  it('are limited by workspace, before they are looked at', async () => {
    const other = await identity.account();
    const body = { email: newEmail(), name: 'Grace Hopper', password: 'iloveyou2024', roles: ['member'] };
    const set = async () => (await identity.post('/api/tenant/users', body, other.accessToken)).status;
    const statuses = await Promise.all(Array.from({ length: PASSWORDS_SET.points + GIVEN_BACK }, set));
    expect(new Set(statuses)).toEqual(new Set([422, 429]));
    const lookedAt = statuses.filter((status) => status === 422).length;
    expect(lookedAt).toBeGreaterThanOrEqual(PASSWORDS_SET.points);
    expect(lookedAt).toBeLessThan(PASSWORDS_SET.points + GIVEN_BACK);
  });
});

describe('an invitation that is not valid', () => {
  it('is refused before a password is hashed', async () => {
    const before = await hashes();
    const token = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.x';
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => identity.post('/api/auth/invitations/accept', { token, password: PASSWORD })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([410]));
    expect(await hashes()).toBe(before);
  });
});
