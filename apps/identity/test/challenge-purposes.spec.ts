import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { enrol, TestAuthenticator } from './authenticators.js';
import { type Account, NEW_PASSWORD, newEmail, PASSWORD, USERS } from './identity.js';
import { register } from './passkeys.js';
import { Stage } from './single-sign-on/stage.js';
import { SoftwareAuthenticator } from './software-authenticator.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.set();
});
afterAll(() => stage?.close());
afterEach(async () => {
  stage.reset();
  await demand({ singleSignOn: false, secondFactor: 'optional' });
});

interface Demands {
  singleSignOn?: boolean;
  secondFactor?: 'optional' | 'required';
}

async function demand({ singleSignOn, secondFactor }: Demands) {
  const { identity, workspace } = stage;
  const policy = '/api/tenant/sign-in-policy';
  const set = async (path: string, body: object) => {
    const { status } = await identity.request('PUT', path, { token: workspace.owner.accessToken, body });
    expect(status).toBeLessThan(300);
  };
  if (singleSignOn !== undefined) await set(`${policy}/single-sign-on`, { required: singleSignOn });
  if (secondFactor !== undefined) await set(policy, { secondFactor });
}

/** A member at the domain of the workspace, whom the provider knows too. */
async function colleague(): Promise<Account> {
  const { identity, workspace } = stage;
  const email = newEmail().replace(/@.*/, `@${workspace.domain}`);
  const added = await identity.post(
    '/api/tenant/users',
    { email, name: 'Ada', password: PASSWORD, roles: ['member'] },
    workspace.owner.accessToken,
  );
  expect(added.status).toBe(201);
  return identity.signedIn(email);
}

/** What the exchange answers when the person has come back from the provider. */
async function atProvider(email: string) {
  const { browser, state, nonce } = await stage.begun();
  stage.provider.person = { sub: `sub-of-${email}`, email, nonce };
  const { code } = await browser.comeBack(stage.callback(state));
  return browser.exchange(code ?? '');
}

const verify = (challengeId: string, code: string) =>
  stage.identity.post('/api/auth/mfa/verify', { challengeId, code });
const changePassword = ({ accessToken }: Account, more: object = {}) =>
  stage.identity.post(
    '/api/auth/password',
    { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, ...more },
    accessToken,
  );
const startEnrolment = (enrolmentToken: string) => stage.identity.post('/api/auth/mfa/enrolment', { enrolmentToken });

describe('a challenge', () => {
  it('of a change of the account opens no session', async () => {
    const member = await colleague();
    const { app } = await enrol(stage.identity, member);
    const asked = await changePassword(member);
    expect(asked.body).toMatchObject({ mfaRequired: true });
    const { challengeId } = asked.body;
    const { status, body } = await verify(challengeId, await app.freshCode());
    expect([status, body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    // It is still good for what it was asked for.
    const changed = await changePassword(member, { challengeId, code: await app.freshCode() });
    expect(changed.status).toBeLessThan(300);
  });

  it('of a sign-in changes no account', async () => {
    const member = await colleague();
    const { app } = await enrol(stage.identity, member);
    const { challengeId } = (await stage.identity.login(member.email)).body;
    const refused = await changePassword(member, { challengeId, code: await app.freshCode() });
    expect([refused.status, refused.body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await verify(challengeId, await app.freshCode())).status).toBe(200);
  });
});

describe('single sign-on that is required after the password was given', () => {
  it('refuses the code of a member, and takes that of an owner', async () => {
    const { identity, workspace } = stage;
    const member = await colleague();
    const { app } = await enrol(identity, member);
    const owned = await enrol(identity, workspace.owner);
    const ofMember = (await identity.login(member.email)).body;
    const ofOwner = (await identity.login(workspace.owner.email)).body;
    await demand({ singleSignOn: true });
    const { status, body } = await verify(ofMember.challengeId, await app.freshCode());
    expect([status, body.code]).toEqual([403, 'SINGLE_SIGN_ON_REQUIRED']);
    expect((await verify(ofOwner.challengeId, await owned.app.freshCode())).status).toBe(200);
  });

  it('refuses an enrolment that a password began, and adds no authenticator', async () => {
    const { identity } = stage;
    const member = await colleague();
    await demand({ secondFactor: 'required' });
    const { enrolmentToken } = (await identity.login(member.email)).body;
    const { secret } = (await startEnrolment(enrolmentToken)).body;
    const app = new TestAuthenticator(identity, member.tenantId, secret);
    await demand({ singleSignOn: true });
    const answers = [
      await startEnrolment(enrolmentToken),
      await identity.post('/api/auth/mfa/enrolment/confirm', { enrolmentToken, code: app.code() }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [403, 'SINGLE_SIGN_ON_REQUIRED'],
      [403, 'SINGLE_SIGN_ON_REQUIRED'],
    ]);
    const settings = await identity.request('GET', '/api/auth/mfa', { token: member.accessToken });
    expect(settings.body).toMatchObject({ enabled: false, authenticator: false });
  });

  it('takes what the provider began: a code, and an enrolment', async () => {
    const { identity } = stage;
    const [withApp, without] = [await colleague(), await colleague()];
    const { app } = await enrol(identity, withApp);
    await demand({ singleSignOn: true, secondFactor: 'required' });
    const asked = await atProvider(withApp.email);
    expect((await verify(asked.body.challengeId, await app.freshCode())).status).toBe(200);
    const { enrolmentToken } = (await atProvider(without.email)).body;
    const { secret } = (await startEnrolment(enrolmentToken)).body;
    const code = new TestAuthenticator(identity, without.tenantId, secret).code();
    const confirmed = await identity.post('/api/auth/mfa/enrolment/confirm', { enrolmentToken, code });
    expect([confirmed.status, confirmed.body]).toMatchObject([200, { accessToken: expect.any(String) }]);
  });

  it('offers a passkey only to whom it would let in', async () => {
    const { identity } = stage;
    const [member, other] = [await colleague(), await colleague()];
    for (const account of [member, other]) {
      const authenticator = new SoftwareAuthenticator(USERS.origins[0] ?? '');
      expect((await register(identity, account, authenticator)).status).toBe(201);
    }
    await enrol(identity, other);
    await demand({ secondFactor: 'required' });
    expect((await atProvider(member.email)).body.methods).toEqual(['mail', 'passkey']);
    await demand({ singleSignOn: true });
    expect((await atProvider(member.email)).body.methods).toEqual(['mail']);
    expect((await atProvider(other.email)).body.methods).toEqual(['authenticator', 'recovery_code']);
  });
});
