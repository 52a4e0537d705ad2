import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { enrol } from './authenticators.js';
import { type Account, type Answer, newEmail, PASSWORD, type TestIdentity } from './identity.js';
import { optionsFor, passkeyAccount } from './passkeys.js';
import { Browser } from './single-sign-on/browser.js';
import { Stage } from './single-sign-on/stage.js';
import type { SoftwareAuthenticator } from './software-authenticator.js';

let stage: Stage;
let identity: TestIdentity;
beforeAll(async () => {
  stage = await Stage.set();
  ({ identity } = stage);
});
afterAll(() => stage?.close());
beforeEach(() => stage.reset());

type Holder = Pick<Account, 'tenantId' | 'userId' | 'accessToken'>;
const query = ({ tenantId, userId }: Holder, sql: string) => identity.query(tenantId, sql, [userId]);
const forgetProofs = (holder: Holder) => query(holder, 'UPDATE session SET proven_at = NULL WHERE user_id = $1');
const forgetPassword = (holder: Holder) => query(holder, 'UPDATE app_user SET password_hash = NULL WHERE id = $1');
const codeAndProofs = ({ status, body }: Answer) => [status, body.code, (body as { proofs?: string[] }).proofs];
/** What a call is answered with that needs a recent proof, which there is none of. */
const refusalOf = async (holder: Holder) => {
  await forgetProofs(holder);
  return codeAndProofs(await identity.post('/api/auth/passkeys/options', undefined, holder.accessToken));
};
const stepUp = ({ accessToken }: Holder, proof: object) => identity.post('/api/auth/step-up', proof, accessToken);
const stepUpByPasskey = async ({ accessToken }: Holder, authenticator: SoftwareAuthenticator) => {
  const { challengeId, publicKey } = await optionsFor(identity, '/api/auth/step-up/passkey/options', accessToken);
  const answer = { challengeId, credential: authenticator.get(publicKey) };
  return identity.post('/api/auth/step-up/passkey', answer, accessToken);
};
const setMfa = ({ accessToken }: Holder, body: object) =>
  identity.request('PUT', '/api/auth/mfa', { token: accessToken, body });
const changeEmail = ({ accessToken }: Holder, body: object = {}) =>
  identity.post('/api/auth/email-change', { email: newEmail(), ...body }, accessToken);

/** Somebody whom a provider has brought: they have no password. */
async function broughtByProvider(at = stage.configured): Promise<Holder> {
  const name = newEmail().replace(/@.*/, '');
  stage.provider.claims = { sub: name, email: `${name}@${stage.workspace.domain}` };
  const { body } = await stage.exchanged(await stage.begun(at), at);
  const { sub, tid } = decodeJwt(body.accessToken) as { sub: string; tid: string };
  return { userId: sub, tenantId: tid, accessToken: body.accessToken };
}

describe('a refusal for want of a proof says which ones are possible', () => {
  it('the password', async () => {
    expect(await refusalOf(await identity.account())).toEqual([403, 'STEP_UP_REQUIRED', ['password']]);
  });

  it('the authenticator, with its recovery codes, and not the password then', async () => {
    const account = await identity.account();
    await enrol(identity, account);
    expect(await refusalOf(account)).toEqual([403, 'STEP_UP_REQUIRED', ['authenticator', 'recovery_code']]);
    expect(codeAndProofs(await stepUp(account, { password: PASSWORD }))).toEqual([
      401,
      'INVALID_CREDENTIALS',
      ['authenticator', 'recovery_code'],
    ]);
  });

  it('a passkey, with and without a password', async () => {
    const { account } = await passkeyAccount(identity);
    expect(await refusalOf(account)).toEqual([403, 'STEP_UP_REQUIRED', ['passkey', 'password']]);
    await forgetPassword(account);
    expect(await refusalOf(account)).toEqual([403, 'STEP_UP_REQUIRED', ['passkey']]);
    const answer = await stepUp(account, { password: PASSWORD });
    expect(codeAndProofs(answer)).toEqual([401, 'INVALID_CREDENTIALS', ['passkey']]);
  });

  it('the provider of the workspace, unless it knows no second factor where the account has one', async () => {
    const person = await broughtByProvider();
    expect(await refusalOf(person)).toEqual([403, 'STEP_UP_REQUIRED', ['identity_provider']]);
    await query(person, 'UPDATE app_user SET mfa_enabled = true WHERE id = $1');
    expect(await refusalOf(person)).toEqual([403, 'STEP_UP_REQUIRED', []]);
    const change = (secondFactorValues: string[]) =>
      identity.request('PATCH', `/api/tenant/identity-providers/${stage.configured.id}`, {
        token: stage.workspace.owner.accessToken,
        body: { secondFactorValues },
      });
    expect((await change(['mfa'])).status).toBe(200);
    expect(await refusalOf(person)).toEqual([403, 'STEP_UP_REQUIRED', ['identity_provider']]);
    await change([]);
  });
});

describe('a user without a password', () => {
  it('proves themselves by a passkey, and changes what others change with their password', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    await forgetPassword(account);
    await forgetProofs(account);
    const attempts = () => Promise.all([setMfa(account, { enabled: true }), changeEmail(account)]);
    expect((await attempts()).map(codeAndProofs)).toEqual(Array(2).fill([403, 'STEP_UP_REQUIRED', ['passkey']]));
    // Nor is any password theirs.
    expect((await setMfa(account, { enabled: true, password: '' })).status).toBe(401);
    expect((await stepUpByPasskey(account, authenticator)).status).toBe(204);
    expect((await changeEmail(account)).status).toBe(202);
    expect((await setMfa(account, { enabled: true })).status).toBe(204);
    // As after a password: what was proven before the factor was there does not turn it off.
    expect((await setMfa(account, { enabled: false })).body.code).toBe('STEP_UP_REQUIRED');
    expect((await stepUpByPasskey(account, authenticator)).status).toBe(204);
    expect((await setMfa(account, { enabled: false })).status).toBe(204);
  });

  it('answers the second factor besides, where it is on', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    await enrol(identity, account);
    await forgetPassword(account);
    await stepUpByPasskey(account, authenticator);
    const { status, body } = await changeEmail(account);
    expect([status, body]).toMatchObject([202, { mfaRequired: true }]);
  });

  it('proves themselves at the provider', async () => {
    const person = await broughtByProvider();
    expect((await changeEmail(person)).body.code).toBe('STEP_UP_REQUIRED');
    const browser = new Browser(identity);
    const sent = await browser.startStepUp(stage.configured.signInId, person.accessToken);
    stage.provider.person = { nonce: sent.searchParams.get('nonce') };
    stage.provider.claims = { ...stage.provider.claims, auth_time: Math.floor(Date.now() / 1000) };
    const callback = stage.callback(sent.searchParams.get('state') ?? '');
    expect(await browser.comeBack(callback)).toEqual({ proof: 'noted' });
    expect((await changeEmail(person)).status).toBe(202);
  });
});

describe('a user with a password', () => {
  it('cannot do without it by a proof of the session', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    expect((await stepUpByPasskey(account, authenticator)).status).toBe(204);
    const attempts = await Promise.all([setMfa(account, { enabled: true }), changeEmail(account)]);
    expect(attempts.map(({ status, body }) => [status, body.code])).toEqual(
      Array(2).fill([401, 'INVALID_CREDENTIALS']),
    );
  });
});
