import { describe, expect, it } from '@jest/globals';
import { enrol } from './authenticators.js';
import { type Account, TestIdentity, USERS } from './identity.js';
import { mailSubjects, optionsFor, passkeyAccount, register, signIn, signInOptions } from './passkeys.js';
import { SoftwareAuthenticator } from './software-authenticator.js';

const identity = TestIdentity.ofFile();

const [ORIGIN = ''] = USERS.origins;
const list = async ({ accessToken }: Account) =>
  (await identity.request('GET', '/api/auth/passkeys', { token: accessToken })).body.data as unknown as {
    id: string;
    name: string;
    synced: boolean;
    lastUsedAt: string | null;
  }[];
const query = (tenantId: string, sql: string) => identity.query(tenantId, sql);
/** The last proof of every session of the tenant is long ago. */
const forgetProofs = ({ tenantId }: Account) =>
  query(tenantId, "UPDATE session SET proven_at = now() - interval '1 day'");
const subjects = ({ tenantId }: Account) => mailSubjects(identity, tenantId);

describe('setting up a passkey', () => {
  it('asks for one that the authenticator keeps and that verifies its user', async () => {
    const account = await identity.account();
    const { publicKey } = await optionsFor(identity, '/api/auth/passkeys/options', account.accessToken);
    expect(publicKey).toMatchObject({
      rp: { id: 'crm.example.com' },
      user: { name: account.email, displayName: 'Somebody' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: [],
    });
  });

  it.each(['ES256', 'EdDSA', 'RS256'] as const)(
    'signs in with %s, without password and second factor',
    async (algorithm) => {
      const { account, authenticator } = await passkeyAccount(identity, algorithm);
      for (let count = 0; count < 2; count += 1) {
        const { status, body } = await signIn(identity, authenticator);
        expect([status, body]).toEqual([
          200,
          { accessToken: expect.any(String), refreshToken: expect.any(String), tokenType: 'Bearer', expiresIn: 900 },
        ]);
        const me = await identity.request('GET', '/api/auth/me', { token: body.accessToken });
        expect(me.body.id).toBe(account.userId);
      }
    },
  );

  it('accepts the attestation that a key signs itself, which browsers do not remove', async () => {
    const account = await identity.account();
    expect((await register(identity, account, new SoftwareAuthenticator(ORIGIN), { attestation: 'self' })).status).toBe(
      201,
    );
    const { status, body } = await register(identity, account, new SoftwareAuthenticator(ORIGIN), {
      attestation: { fmt: 'packed', attStmt: { alg: -7, sig: Buffer.alloc(70, 1) } },
    });
    expect([status, body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('lists the name, whether it is synchronised, and the last use', async () => {
    const account = await identity.account();
    const synced = new SoftwareAuthenticator(ORIGIN, 'ES256', { counts: false, backedUp: true });
    await register(identity, account, synced, {}, 'Phone');
    await register(identity, account, new SoftwareAuthenticator(ORIGIN));
    expect(await list(account)).toMatchObject([
      { name: 'Phone', synced: true, lastUsedAt: null },
      { name: expect.any(String), synced: false, lastUsedAt: null },
    ]);
    synced.backedUp = false;
    expect((await signIn(identity, synced)).status).toBe(200);
    expect((await list(account))[0]).toMatchObject({ synced: false, lastUsedAt: expect.any(String) });
  });

  it('tells the user by mail when one is added and when one is removed', async () => {
    const { account, passkeyId } = await passkeyAccount(identity);
    expect(await subjects(account)).toEqual(['A passkey was added to your account']);
    const path = `/api/auth/passkeys/${passkeyId}`;
    expect((await identity.request('DELETE', path, { token: account.accessToken })).status).toBe(204);
    expect(await subjects(account)).toEqual([
      'A passkey was added to your account',
      'A passkey was removed from your account',
    ]);
  });

  it('needs a recent proof, as removing one does; renaming does not', async () => {
    const { account, passkeyId } = await passkeyAccount(identity);
    const { challengeId, publicKey } = await optionsFor(identity, '/api/auth/passkeys/options', account.accessToken);
    await forgetProofs(account);
    const token = account.accessToken;
    const credential = new SoftwareAuthenticator(ORIGIN).create(publicKey);
    const refused = [
      await identity.post('/api/auth/passkeys/options', undefined, token),
      await identity.post('/api/auth/passkeys', { challengeId, credential }, token),
      await identity.request('DELETE', `/api/auth/passkeys/${passkeyId}`, { token }),
    ];
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([403, 'STEP_UP_REQUIRED']));
    const renamed = await identity.request('PATCH', `/api/auth/passkeys/${passkeyId}`, {
      token,
      body: { name: 'Key' },
    });
    expect([renamed.status, renamed.body.name]).toEqual([200, 'Key']);
    expect(await list(account)).toHaveLength(1);
  });

  it('is possible ten times, also at once', async () => {
    const account = await identity.account();
    const token = account.accessToken;
    const prepared = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { challengeId, publicKey } = await optionsFor(identity, '/api/auth/passkeys/options', token);
        return { challengeId, credential: new SoftwareAuthenticator(ORIGIN).create(publicKey) };
      }),
    );
    const answers = await Promise.all(prepared.map((body) => identity.post('/api/auth/passkeys', body, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), 409, 409]);
    expect(await list(account)).toHaveLength(10);
    expect((await identity.post('/api/auth/passkeys/options', undefined, token)).body.code).toBe('CONFLICT');
  });

  it('names the passkeys that exist, so that the same authenticator is not registered twice', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    const { publicKey } = await optionsFor(identity, '/api/auth/passkeys/options', account.accessToken);
    expect(publicKey.excludeCredentials).toEqual([
      { id: authenticator.credentialId.toString('base64url'), type: 'public-key', transports: ['internal', 'hybrid'] },
    ]);
    const again = await register(identity, account, authenticator);
    expect([again.status, again.body.code]).toEqual([409, 'CONFLICT']);
  });
});

describe('a passkey as second factor', () => {
  const requireFactor = ({ accessToken }: Account) =>
    identity.request('PUT', '/api/tenant/sign-in-policy', { token: accessToken, body: { secondFactor: 'required' } });

  it('satisfies a workspace that requires one', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    expect((await requireFactor(account)).status).toBeLessThan(300);
    expect((await signIn(identity, authenticator)).body.accessToken).toBeTruthy();
  });

  it('is offered after the password there, beside a code by mail, and keeps the password from setting up another', async () => {
    const { account } = await passkeyAccount(identity);
    await requireFactor(account);
    const { body } = await identity.login(account.email);
    expect(body).toMatchObject({ mfaRequired: true, methods: ['mail', 'passkey'] });
    expect(body.enrolmentToken).toBeUndefined();
  });

  it('is offered beside an authenticator', async () => {
    const { account } = await passkeyAccount(identity);
    await enrol(identity, account);
    const { body } = await identity.login(account.email);
    expect(body.methods).toEqual(['authenticator', 'recovery_code', 'passkey']);
  });

  it('does not change what the password needs where no second factor is on', async () => {
    const { account } = await passkeyAccount(identity);
    expect((await identity.login(account.email)).body.accessToken).toBeTruthy();
  });
});

describe('proving it again with a passkey', () => {
  const stepUpOptions = ({ accessToken }: Account) =>
    optionsFor(identity, '/api/auth/step-up/passkey/options', accessToken);
  const stepUp = (account: Account, challengeId: string, credential: object) =>
    identity.post('/api/auth/step-up/passkey', { challengeId, credential }, account.accessToken);
  const isProven = async ({ accessToken }: Account) =>
    (await identity.post('/api/auth/passkeys/options', undefined, accessToken)).status === 200;

  it('counts as a proof, also of one with an authenticator', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    await enrol(identity, account);
    await forgetProofs(account);
    const { challengeId, publicKey } = await stepUpOptions(account);
    expect(publicKey.allowCredentials).toMatchObject([{ id: authenticator.credentialId.toString('base64url') }]);
    expect(await isProven(account)).toBe(false);
    expect((await stepUp(account, challengeId, authenticator.get(publicKey))).status).toBe(204);
    expect(await isProven(account)).toBe(true);
  });

  it('is bound to the session that asked, and to the user', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    const elsewhere = await identity.signedIn(account.email);
    const other = await passkeyAccount(identity);
    await forgetProofs(account);
    const first = await stepUpOptions(account);
    const wrongSession = await stepUp(elsewhere, first.challengeId, authenticator.get(first.publicKey));
    const second = await stepUpOptions(account);
    const wrongUser = await stepUp(account, second.challengeId, other.authenticator.get(second.publicKey));
    const ofSignIn = await signInOptions(identity);
    const wrongAct = await stepUp(account, ofSignIn.challengeId, authenticator.get(ofSignIn.publicKey));
    expect([wrongSession, wrongUser, wrongAct].map(({ status, body }) => [status, body.code])).toEqual(
      Array(3).fill([401, 'INVALID_CREDENTIALS']),
    );
    expect([await isProven(account), await isProven(elsewhere)]).toEqual([false, false]);
  });

  it('needs a passkey', async () => {
    const account = await identity.account();
    const { status, body } = await identity.post('/api/auth/step-up/passkey/options', undefined, account.accessToken);
    expect([status, body.code]).toEqual([409, 'CONFLICT']);
  });
});

describe('without an address that browsers accept', () => {
  it('there are no passkeys', async () => {
    const without = await TestIdentity.start({ settings: { passkeys: { users: null, operators: null } } });
    try {
      const { accessToken } = await without.account();
      const answers = [
        await without.post('/api/auth/login/passkey/options', undefined),
        await without.post('/api/auth/login/passkey', { challengeId: 'c', credential: {} }),
        await without.post('/api/auth/passkeys/options', undefined, accessToken),
      ];
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([409, 'CONFLICT']));
    } finally {
      await without.close();
    }
  });
});

describe('mails about factors', () => {
  it('tell of a recovery code that was used, at a sign-in and within a session', async () => {
    const account = await identity.account();
    const { recoveryCodes } = await enrol(identity, account);
    const { challengeId } = (await identity.login(account.email)).body;
    await identity.post('/api/auth/mfa/verify', { challengeId, code: recoveryCodes[0] });
    const used = ['An authenticator was added to your account', 'A recovery code of your account was used'];
    expect(await subjects(account)).toEqual(used);
    const stepUp = await identity.post('/api/auth/step-up', { code: recoveryCodes[1] }, account.accessToken);
    expect(stepUp.status).toBe(204);
    expect(await subjects(account)).toEqual([...used, used[1]]);
  });

  it('do not tell of a wrong recovery code', async () => {
    const account = await identity.account();
    const { recoveryCodes } = await enrol(identity, account);
    const wrong = (recoveryCodes[0] ?? '').replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    const stepUp = await identity.post('/api/auth/step-up', { code: wrong }, account.accessToken);
    expect([stepUp.status, await subjects(account)]).toEqual([401, ['An authenticator was added to your account']]);
  });
});
