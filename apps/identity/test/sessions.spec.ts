import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Account, TestIdentity } from './identity.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

const refresh = (refreshToken: string) => identity.post('/api/auth/refresh', { refreshToken });
const me = (token: string) => identity.request('GET', '/api/auth/me', { token });
const sessions = (token: string) => identity.request('GET', '/api/auth/sessions', { token });

/** Cut-offs take effect within a second. */
const refused = (account: Pick<Account, 'accessToken'>) =>
  waitUntil(async () => (await me(account.accessToken)).status === 401, {
    timeoutMs: 1000,
    describe: 'the access token is refused',
  });

describe('POST /api/auth/refresh', () => {
  it('exchanges a refresh token for a new pair of the same session', async () => {
    const account = await identity.account();
    const { status, body } = await refresh(account.refreshToken);
    expect(status).toBe(200);
    expect(body).toMatchObject({ tokenType: 'Bearer', expiresIn: 900 });
    expect(body.refreshToken).not.toBe(account.refreshToken);
    expect((await me(body.accessToken)).status).toBe(200);
    expect((await sessions(body.accessToken)).body.total).toBe(1);
  });

  it('ends the session when a spent refresh token is presented again', async () => {
    const account = await identity.account();
    const { body: next } = await refresh(account.refreshToken);
    const reuse = await refresh(account.refreshToken);
    expect([reuse.status, reuse.body.code]).toEqual([401, 'INVALID_REFRESH_TOKEN']);
    expect((await refresh(next.refreshToken)).status).toBe(401);
    await refused({ accessToken: next.accessToken });
  });

  it('accepts only one of two simultaneous exchanges of a refresh token', async () => {
    const account = await identity.account();
    const answers = await Promise.all([refresh(account.refreshToken), refresh(account.refreshToken)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('refuses a text that is not a refresh token, and an access token', async () => {
    const account = await identity.account();
    for (const token of ['nonsense', account.accessToken]) {
      const { status, body } = await refresh(token);
      expect([status, body.code]).toEqual([401, 'INVALID_REFRESH_TOKEN']);
    }
  });

  it('issues an access token with the current roles of the user', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    await identity.request('PATCH', `/api/tenant/users/${member.userId}`, {
      token: owner.accessToken,
      body: { roles: ['viewer'] },
    });
    const { body } = await refresh(member.refreshToken);
    expect((await me(body.accessToken)).body.roles).toEqual(['viewer']);
    await refused(member);
  });
});

describe('POST /api/auth/logout', () => {
  it('ends the session: the refresh token stops working at once, the access token within a second', async () => {
    const account = await identity.account();
    const other = await identity.signedIn(account.email);
    expect((await identity.request('POST', '/api/auth/logout', { token: account.accessToken })).status).toBe(204);
    expect((await refresh(account.refreshToken)).status).toBe(401);
    await refused(account);
    expect((await me(other.accessToken)).status).toBe(200);
  });
});

describe('sessions', () => {
  it('lists the sessions of the user and marks the current one', async () => {
    const account = await identity.account();
    await identity.signedIn(account.email);
    const { status, body } = await sessions(account.accessToken);
    expect(status).toBe(200);
    const data = body.data;
    expect(data.map(({ current }) => current).sort()).toEqual([false, true]);
    expect(data[0]).toMatchObject({ address: '127.0.0.1', createdAt: expect.stringMatching(/Z$/) });
  });

  it('ends one session and leaves the others open', async () => {
    const account = await identity.account();
    const other = await identity.signedIn(account.email);
    const { body } = await sessions(account.accessToken);
    const { id } = body.data.find(({ current }) => !current)!;
    const path = `/api/auth/sessions/${id}`;
    expect((await identity.request('DELETE', path, { token: account.accessToken })).status).toBe(204);
    expect((await identity.request('DELETE', path, { token: account.accessToken })).status).toBe(404);
    await refused(other);
    expect((await refresh(other.refreshToken)).status).toBe(401);
  });

  it('ends all sessions of the user in one call', async () => {
    const account = await identity.account();
    const other = await identity.signedIn(account.email);
    expect((await identity.request('DELETE', '/api/auth/sessions', { token: account.accessToken })).status).toBe(204);
    await refused(account);
    await refused(other);
    expect((await identity.login(account.email)).status).toBe(200);
  });

  it('answers 404 for a session of another user, in the same workspace and in another one', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    const stranger = await identity.account();
    const { body } = await sessions(member.accessToken);
    const id = body.data[0]?.id;
    for (const { accessToken } of [owner, stranger]) {
      expect((await identity.request('DELETE', `/api/auth/sessions/${id}`, { token: accessToken })).status).toBe(404);
    }
    expect((await me(member.accessToken)).status).toBe(200);
  });
});
