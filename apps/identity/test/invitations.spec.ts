import { beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORDS_SET } from '../src/accounts/user-administration.service.js';
import { waitSeconds } from '../src/sign-in/hash-pool.js';
import { type Account, newEmail, PASSWORD, withMail } from './identity.js';

const { identity, mailServer } = withMail();

const invite = async (changes: Record<string, unknown> = {}) => {
  const owner = await identity.account({ name: 'Line\r\nBreakers' });
  const email = newEmail();
  const answer = await identity.post(
    '/api/tenant/users',
    { email, name: 'Guest', roles: ['member'], ...changes },
    owner.accessToken,
  );
  return { owner, email, answer };
};
const tokenIn = (text: string) => /#token=([\w.-]+)/.exec(text)?.[1] ?? '';
const accept = (token: string, password = PASSWORD) =>
  identity.post('/api/auth/invitations/accept', { token, password });

/** Has the invitation sent again; what its mail carries. */
const again = async (adminToken: string, userId: string, email: string) => {
  const seen = mailServer.mails.length;
  const answer = await identity.request('POST', `/api/tenant/users/${userId}/invitation`, { token: adminToken });
  expect(answer.status).toBe(204);
  return tokenIn((await mailServer.mailTo(email, seen)).text);
};

describe('an invitation', () => {
  it('is sent by mail, sets a password once and lets the user sign in', async () => {
    const { email, answer, owner } = await invite();
    expect([answer.status, answer.body.status]).toEqual([201, 'invited']);
    expect((await identity.login(email)).status).toBe(401);
    const mail = await mailServer.mailTo(email);
    expect(mail.text).toMatch(/^Subject: Invitation to Line Breakers\r?$/m);
    const token = tokenIn(mail.text);
    expect((await accept(token)).status).toBe(204);
    expect((await identity.signedIn(email)).tenantId).toBe(owner.tenantId);
    const again = await accept(token, 'another-good-password');
    expect([again.status, again.body.code]).toEqual([410, 'INVALID_INVITATION']);
    expect((await identity.login(email)).status).toBe(200);
  });

  it('carries no text of the sender but a plain name of the workspace', async () => {
    const owner = await identity.account({
      name: `Win https://evil.example/prize${'\u202E'}\r\n\r\nClick evil.example now, ${'it is free '.repeat(10)}`,
    });
    const email = newEmail();
    const name = 'friend, open www.evil.example';
    await identity.post('/api/tenant/users', { email, name, roles: ['member'] }, owner.accessToken);
    const { text } = await mailServer.mailTo(email);
    const content = decodeURIComponent(text.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, '%$1'));
    expect(content).toContain('Win https evil example prize Click evil example now, it is f');
    for (const sent of ['evil.example', 'https://evil', 'it is free it is free', 'friend', '\u202E']) {
      expect(content).not.toContain(sent);
    }
  });

  it('refuses a wrong token and a password that is too short', async () => {
    const { email } = await invite();
    const token = tokenIn((await mailServer.mailTo(email)).text);
    const [ids] = token.split('.');
    for (const wrong of ['nonsense', `${ids}.wrong`, `${ids}`, `.${token.split('.')[1]}`]) {
      expect((await accept(wrong)).body.code).toBe('INVALID_INVITATION');
    }
    expect((await accept(token, 'short')).status).toBe(422);
    expect((await accept(token)).status).toBe(204);
  });

  it('is refused after it has expired', async () => {
    const { email, owner } = await invite();
    const token = tokenIn((await mailServer.mailTo(email)).text);
    await identity.query(owner.tenantId, `UPDATE invitation SET expires_at = now() - interval '1 second'`);
    expect((await accept(token)).body.code).toBe('INVALID_INVITATION');
  });

  it('is refused after the user was disabled', async () => {
    const { email, owner, answer } = await invite();
    const token = tokenIn((await mailServer.mailTo(email)).text);
    await identity.changeUser(owner, answer.body.id, { status: 'disabled' });
    expect((await accept(token)).body.code).toBe('INVALID_INVITATION');
  });

  it('can be sent again, also after it has expired; earlier links stop working', async () => {
    const { email, owner, answer } = await invite();
    const first = tokenIn((await mailServer.mailTo(email)).text);
    await identity.query(owner.tenantId, `UPDATE invitation SET expires_at = now() - interval '1 second'`);
    const second = await again(owner.accessToken, answer.body.id, email);
    const third = await again(owner.accessToken, answer.body.id, email);
    for (const token of [first, second]) expect((await accept(token)).body.code).toBe('INVALID_INVITATION');
    expect((await accept(third)).status).toBe(204);
    expect((await identity.login(email)).status).toBe(200);
  });

  it('is sent again only by administrators who can grant its roles, only to invited users, and at most five times', async () => {
    const { owner, answer } = await invite({ roles: ['owner'] });
    const path = `/api/tenant/users/${answer.body.id}/invitation`;
    const post = async (token: string, to = path) => {
      const { status, body } = await identity.request('POST', to, { token });
      return [status, body?.code];
    };
    const [member, admin] = [await identity.member(owner), await identity.member(owner, ['admin'])];
    expect(await post(member.accessToken)).toEqual([403, 'FORBIDDEN']);
    expect(await post(admin.accessToken)).toEqual([403, 'ROLE_NOT_GRANTABLE']);
    expect(await post((await identity.account()).accessToken)).toEqual([404, 'NOT_FOUND']);
    expect(await post(owner.accessToken, `/api/tenant/users/${member.userId}/invitation`)).toEqual([409, 'CONFLICT']);
    for (let sent = 0; sent < 5; sent += 1) expect(await post(owner.accessToken)).toEqual([204, undefined]);
    expect(await post(owner.accessToken)).toEqual([429, 'RATE_LIMITED']);
  });

  it('becomes valid again when the user who was disabled is enabled', async () => {
    const { email, owner, answer } = await invite();
    const token = tokenIn((await mailServer.mailTo(email)).text);
    const become = async (status: string) => {
      const path = `/api/tenant/users/${answer.body.id}`;
      return (await identity.request('PATCH', path, { token: owner.accessToken, body: { status } })).body.status;
    };
    expect(await become('disabled')).toBe('disabled');
    expect(await become('active')).toBe('invited');
    expect((await accept(token)).status).toBe(204);
    expect(await become('disabled')).toBe('disabled');
    expect(await become('active')).toBe('active');
  });
});

describe('passwords that are refused', () => {
  /** More than the time of the test gives back, one in twelve seconds. */
  const GIVEN_BACK = 20;

  let owner: Account;
  beforeAll(async () => {
    owner = await identity.account({ name: 'Rocket Works' });
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
});
