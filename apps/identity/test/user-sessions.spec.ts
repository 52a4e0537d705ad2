import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Account, TestIdentity } from './identity.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

const list = ({ accessToken }: Account, userId: string) =>
  identity.request('GET', `/api/tenant/users/${userId}/sessions`, { token: accessToken });
const end = ({ accessToken }: Account, userId: string, sessionId = '') =>
  identity.request('DELETE', `/api/tenant/users/${userId}/sessions${sessionId && `/${sessionId}`}`, {
    token: accessToken,
  });
const isRefused =
  ({ accessToken }: Account) =>
  async () =>
    (await identity.request('GET', '/api/auth/me', { token: accessToken })).status === 401;

describe('the sessions of a user of the workspace', () => {
  it('are listed and ended one by one or all by an administrator', async () => {
    const owner = await identity.account();
    const admin = await identity.member(owner, ['admin']);
    const member = await identity.member(owner);
    const second = await identity.signedIn(member.email);
    const { status, body } = await list(admin, member.userId);
    expect([status, body.total]).toEqual([200, 2]);
    const [newest] = body.data;
    expect((await end(admin, member.userId, newest?.id)).status).toBe(204);
    await waitUntil(isRefused(second), { timeoutMs: 1000, describe: 'the ended session is refused' });
    expect((await end(admin, member.userId, newest?.id)).status).toBe(404);
    expect(await isRefused(member)()).toBe(false);
    expect((await end(admin, member.userId)).status).toBe(204);
    await waitUntil(isRefused(member), { timeoutMs: 1000, describe: 'every session is refused' });
    expect((await identity.post('/api/auth/refresh', { refreshToken: member.refreshToken })).status).toBe(401);
  });

  it('are neither shown to nor ended by a member, an administrator of less rank, or another workspace', async () => {
    const owner = await identity.account();
    const admin = await identity.member(owner, ['admin']);
    const member = await identity.member(owner);
    const stranger = await identity.account();
    for (const [account, userId, status] of [
      [member, admin.userId, 403],
      [admin, owner.userId, 403],
      [stranger, member.userId, 404],
    ] as const) {
      expect([(await list(account, userId)).status, (await end(account, userId)).status]).toEqual([status, status]);
    }
    expect(await isRefused(owner)()).toBe(false);
  });

  it('are ended only with a recent proof', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    await identity.forgetProofs(owner.tenantId);
    expect((await end(owner, member.userId)).body.code).toBe('STEP_UP_REQUIRED');
    // A refresh proves nothing.
    const refreshed = await identity.post('/api/auth/refresh', { refreshToken: owner.refreshToken });
    const again = { ...owner, accessToken: refreshed.body.accessToken };
    expect((await end(again, member.userId)).body.code).toBe('STEP_UP_REQUIRED');
    expect((await identity.post('/api/auth/step-up', { password: 'wrong' }, again.accessToken)).status).toBe(401);
    expect((await identity.post('/api/auth/step-up', {}, again.accessToken)).status).toBe(401);
    expect((await identity.stepUp(again.accessToken)).status).toBe(204);
    expect((await end(again, member.userId)).status).toBe(204);
  });
});
