import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { enrol, TestAuthenticator } from './authenticators.js';
import { type Account, NEW_PASSWORD, newEmail, PASSWORD } from './identity.js';
import { Stage } from './single-sign-on/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.set();
});
afterAll(() => stage?.close());
afterEach(() => stage.reset());

const changePassword = async ({ accessToken }: Account) => {
  const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  const { status } = await stage.identity.post('/api/auth/password', body, accessToken);
  expect(status).toBe(200);
};
const signOutEverywhere = async ({ accessToken }: Account) => {
  const { status } = await stage.identity.request('DELETE', '/api/auth/sessions', { token: accessToken });
  expect(status).toBeLessThan(300);
};

describe.each([
  ['a change of the password', changePassword],
  ['signing out everywhere', signOutEverywhere],
])('%s', (_, end) => {
  it('ends an enrolment that was begun with the password of before', async () => {
    const { identity } = stage;
    const owner = await identity.account();
    const member = await identity.member(owner);
    const policy = { token: owner.accessToken, body: { secondFactor: 'required' } };
    expect((await identity.request('PUT', '/api/tenant/sign-in-policy', policy)).status).toBe(200);
    const { enrolmentToken } = (await identity.login(member.email)).body;
    const { secret } = (await identity.post('/api/auth/mfa/enrolment', { enrolmentToken })).body;
    const code = new TestAuthenticator(identity, member.tenantId, secret).code();
    await end(member);
    const { status, body } = await identity.post('/api/auth/mfa/enrolment/confirm', { enrolmentToken, code });
    expect([status, body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('ends a sign-in whose page has yet to exchange the code of the provider', async () => {
    const { identity, workspace } = stage;
    const email = newEmail().replace(/@.*/, `@${workspace.domain}`);
    const added = { email, name: 'Ada', password: PASSWORD, roles: ['member'] };
    expect((await identity.post('/api/tenant/users', added, workspace.owner.accessToken)).status).toBe(201);
    const member = await identity.signedIn(email);
    const { browser, state, nonce } = await stage.begun();
    stage.provider.person = { sub: `sub-of-${email}`, email, nonce };
    const { code } = await browser.comeBack(stage.callback(state));
    await end(member);
    const { status, body } = await browser.exchange(code ?? '');
    expect([status, body.code]).toEqual([410, 'SINGLE_SIGN_ON_EXPIRED']);
  });
});

describe('signing out everywhere', () => {
  it('ends a sign-in that waits for a code', async () => {
    const { identity } = stage;
    const account = await identity.account();
    const { app } = await enrol(identity, account);
    const { challengeId } = (await identity.login(account.email)).body;
    await signOutEverywhere(account);
    const { status } = await identity.post('/api/auth/mfa/verify', { challengeId, code: await app.freshCode() });
    expect(status).toBe(401);
  });
});
