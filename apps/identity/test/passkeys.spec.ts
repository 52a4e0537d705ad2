import { waitUntil } from '@crm/testing';
import { describe, expect, it, jest } from '@jest/globals';
import { auditOf, entryOf } from './audit.js';
import { enrol } from './authenticators.js';
import { type Account, OPERATORS, outcome, TestIdentity, USERS } from './identity.js';
import {
  answer,
  mailSubjects,
  newAuthenticator,
  optionsFor,
  passkeyAccount,
  register,
  signIn,
  signInOptions,
} from './passkeys.js';
import type { Algorithm, Deviation } from './software-authenticator.js';

const { identity, replica } = TestIdentity.replicasOfFile();

const REFUSED = [401, 'INVALID_CREDENTIALS'];
const add = (account: Account, authenticator = newAuthenticator(), deviation?: Deviation) =>
  register(identity, account, authenticator, deviation);
const addOptions = ({ accessToken }: Account) => optionsFor(identity, '/api/auth/passkeys/options', accessToken);
const stepUpOptions = ({ accessToken }: Account) =>
  optionsFor(identity, '/api/auth/step-up/passkey/options', accessToken);
const list = async ({ accessToken }: Account) =>
  (await identity.request('GET', '/api/auth/passkeys', { token: accessToken })).body.data;
const rename = ({ accessToken }: Account, id: string, name: string) =>
  identity.request('PATCH', `/api/auth/passkeys/${id}`, { token: accessToken, body: { name } });
const remove = ({ accessToken }: Account, id: string) =>
  identity.request('DELETE', `/api/auth/passkeys/${id}`, { token: accessToken });
const subjects = ({ tenantId }: Account) => mailSubjects(identity, tenantId);
const ADDED = 'A passkey was added to your account';

describe('setting up a passkey', () => {
  it('asks for one that the authenticator keeps and that verifies its user', async () => {
    const account = await identity.account();
    const { publicKey } = await addOptions(account);
    expect(publicKey).toMatchObject({
      rp: { id: 'crm.example.com' },
      user: { name: account.email, displayName: 'Somebody' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: [],
    });
  });

  it.each<Algorithm>(['ES256', 'EdDSA', 'RS256'])(
    'signs in with %s, without password and second factor',
    async (kind) => {
      const { account, authenticator } = await passkeyAccount(identity, kind);
      for (let count = 0; count < 2; count += 1) {
        const { status, body } = await signIn(identity, authenticator);
        const tokens = { accessToken: expect.any(String), refreshToken: expect.any(String) };
        expect([status, body]).toEqual([200, { ...tokens, tokenType: 'Bearer', expiresIn: 900 }]);
        expect((await identity.me(body.accessToken)).body.id).toBe(account.userId);
      }
    },
  );

  it('accepts the attestation that a key signs itself, which browsers do not remove', async () => {
    const account = await identity.account();
    expect((await add(account, newAuthenticator(), { attestation: 'self' })).status).toBe(201);
  });

  it('lists the name, whether it is synchronised, and the last use', async () => {
    const account = await identity.account();
    const synced = newAuthenticator('ES256', { counts: false, backedUp: true });
    await register(identity, account, synced, {}, 'Phone');
    await add(account);
    expect(await list(account)).toMatchObject([
      { name: 'Phone', synced: true, lastUsedAt: null },
      { name: expect.any(String), synced: false, lastUsedAt: null },
    ]);
    synced.backedUp = false;
    expect((await signIn(identity, synced)).status).toBe(200);
    expect((await list(account))[0]).toMatchObject({ synced: false, lastUsedAt: expect.any(String) });
  });

  it('is told by mail, as removing it is, after which it does not sign in', async () => {
    const { account, authenticator, passkeyId } = await passkeyAccount(identity);
    expect(await subjects(account)).toEqual([ADDED]);
    expect((await remove(account, passkeyId)).status).toBe(204);
    expect(await outcome(signIn(identity, authenticator))).toEqual(REFUSED);
    expect(await subjects(account)).toEqual([ADDED, 'A passkey was removed from your account']);
  });

  it('needs a recent proof, as removing one does; renaming does not', async () => {
    const { account, passkeyId } = await passkeyAccount(identity);
    const { challengeId, publicKey } = await addOptions(account);
    await identity.forgetProofs(account.tenantId);
    const token = account.accessToken;
    const credential = newAuthenticator().create(publicKey);
    for (const refused of [
      identity.post('/api/auth/passkeys/options', undefined, token),
      identity.post('/api/auth/passkeys', { challengeId, credential }, token),
      remove(account, passkeyId),
    ]) {
      expect(await outcome(refused)).toEqual([403, 'STEP_UP_REQUIRED']);
    }
    expect(await rename(account, passkeyId, 'Key')).toMatchObject({ status: 200, body: { name: 'Key' } });
    expect(await list(account)).toHaveLength(1);
  });

  it('is possible ten times, also at once', async () => {
    const account = await identity.account();
    const token = account.accessToken;
    const prepared = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { challengeId, publicKey } = await addOptions(account);
        return { challengeId, credential: newAuthenticator().create(publicKey) };
      }),
    );
    const answers = await Promise.all(prepared.map((body) => identity.post('/api/auth/passkeys', body, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), 409, 409]);
    expect(await list(account)).toHaveLength(10);
    expect((await identity.post('/api/auth/passkeys/options', undefined, token)).body.code).toBe('CONFLICT');
  });

  it('names the passkeys that exist, so that the same authenticator is not registered twice', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    const { publicKey } = await addOptions(account);
    const id = authenticator.credentialId.toString('base64url');
    const known = { id, type: 'public-key', transports: ['internal', 'hybrid'] };
    expect(publicKey.excludeCredentials).toEqual([known]);
    expect(await outcome(add(account, authenticator))).toEqual([409, 'CONFLICT']);
  });
});

describe('a passkey as second factor', () => {
  const requireFactor = ({ accessToken }: Account) =>
    identity.request('PUT', '/api/tenant/sign-in-policy', { token: accessToken, body: { secondFactor: 'required' } });

  it('satisfies a workspace that requires one, or a code by mail does, and the password sets up no other', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    expect((await requireFactor(account)).status).toBeLessThan(300);
    expect((await signIn(identity, authenticator)).body.accessToken).toBeTruthy();
    const { body } = await identity.login(account.email);
    expect(body).toMatchObject({ mfaRequired: true, methods: ['mail', 'passkey'] });
    expect(body.enrolmentToken).toBeUndefined();
  });

  it('is offered beside an authenticator, and changes nothing where no second factor is on', async () => {
    const { account } = await passkeyAccount(identity);
    expect((await identity.login(account.email)).body.accessToken).toBeTruthy();
    await enrol(identity, account);
    const methods = ['authenticator', 'recovery_code', 'passkey'];
    expect((await identity.login(account.email)).body.methods).toEqual(methods);
  });
});

describe('proving it again with a passkey', () => {
  const stepUp = (account: Account, challengeId: string, credential: object) =>
    identity.post('/api/auth/step-up/passkey', { challengeId, credential }, account.accessToken);
  const isProven = async ({ accessToken }: Account) =>
    (await identity.post('/api/auth/passkeys/options', undefined, accessToken)).status === 200;

  it('counts as a proof, also of one with an authenticator', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    await enrol(identity, account);
    await identity.forgetProofs(account.tenantId);
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
    await identity.forgetProofs(account.tenantId);
    const first = await stepUpOptions(account);
    const wrongSession = await stepUp(elsewhere, first.challengeId, authenticator.get(first.publicKey));
    const second = await stepUpOptions(account);
    const wrongUser = await stepUp(account, second.challengeId, other.authenticator.get(second.publicKey));
    const ofSignIn = await signInOptions(identity);
    const wrongAct = await stepUp(account, ofSignIn.challengeId, authenticator.get(ofSignIn.publicKey));
    for (const refused of [wrongSession, wrongUser, wrongAct]) expect(await outcome(refused)).toEqual(REFUSED);
    expect([await isProven(account), await isProven(elsewhere)]).toEqual([false, false]);
  });

  it('needs a passkey', async () => {
    const account = await identity.account();
    const refused = identity.post('/api/auth/step-up/passkey/options', undefined, account.accessToken);
    expect(await outcome(refused)).toEqual([409, 'CONFLICT']);
  });
});

describe('without an address that browsers accept', () => {
  it('there are no passkeys', async () => {
    const without = await TestIdentity.start({ settings: { passkeys: { users: null, operators: null } } });
    try {
      const { accessToken } = await without.account();
      for (const refused of [
        without.post('/api/auth/login/passkey/options', undefined),
        without.post('/api/auth/login/passkey', { challengeId: 'c', credential: {} }),
        without.post('/api/auth/passkeys/options', undefined, accessToken),
      ]) {
        expect(await outcome(refused)).toEqual([409, 'CONFLICT']);
      }
    } finally {
      await without.close();
    }
  });
});

/** What neither an honest browser nor an honest authenticator sends. */
const LIES: readonly (readonly [string, Deviation])[] = [
  ['a page of another origin', { origin: 'https://crm.example.net' }],
  ['a page without TLS', { origin: 'http://app.crm.example.com' }],
  ['a neighbouring host of the domain', { origin: 'https://evil.crm.example.com' }],
  ['a frame of another origin', { crossOrigin: true }],
  ['another domain', { rpId: 'example.com' }],
  ["the operators' domain", { rpId: OPERATORS.id, origin: OPERATORS.origins[0] ?? '' }],
  ['an authenticator that has not verified its user', { userVerified: false }],
  ['an authenticator that nobody touched', { userPresent: false, userVerified: false }],
  ['another challenge', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
];

/** Signs in at two replicas by turns, each time from another address, so that no limit plays a part. */
const answerFrom = (index: number, challengeId: string, credential: object) =>
  (index % 2 ? replica : identity).request('POST', '/api/auth/login/passkey', {
    body: { challengeId, credential },
    headers: { 'x-forwarded-for': `203.0.113.${index}` },
  });

/** Options from so many milliseconds ago. The clock never runs ahead: ids, and the tokens named by them, do not go back with it. */
async function optionsBefore(ms: number) {
  const now = Date.now();
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now - ms);
  try {
    return await signInOptions(identity);
  } finally {
    clock.mockRestore();
  }
}

describe('a sign-in with a passkey', () => {
  it('is offered in the same way to everybody, with and without an account', async () => {
    await passkeyAccount(identity);
    const { publicKey } = await signInOptions(identity);
    expect(publicKey).toEqual({
      rpId: 'crm.example.com',
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      timeout: 300_000,
      allowCredentials: [],
      userVerification: 'required',
    });
  });

  it('is refused from what is not honest, each time at another address, and accepted afterwards', async () => {
    const { authenticator } = await passkeyAccount(identity);
    const lies = [...LIES, ['the type of a registration', { type: 'webauthn.create' }]] as const;
    for (const [index, [lie, deviation]] of lies.entries()) {
      const { challengeId, publicKey } = await signInOptions(identity);
      const refused = answerFrom(60 + index, challengeId, authenticator.get(publicKey, deviation));
      expect([lie, await outcome(refused)]).toEqual([lie, REFUSED]);
    }
    expect((await signIn(identity, authenticator)).status).toBe(200);
  });

  it('is in the audit trail when it is refused, at a sign-in as within a session', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    const lie = { origin: 'https://crm.example.net' };
    expect(await outcome(signIn(identity, authenticator, lie))).toEqual(REFUSED);
    const failed = { outcome: 'failure', subject: { kind: 'user', id: account.userId } };
    const expected = { ...failed, actor: { kind: 'system' }, detail: { reason: 'passkey' } };
    expect(await entryOf(identity, account, 'sign_in.failed')).toMatchObject(expected);
    const { challengeId, publicKey } = await stepUpOptions(account);
    const credential = authenticator.get(publicKey, lie);
    const proof = identity.post('/api/auth/step-up/passkey', { challengeId, credential }, account.accessToken);
    expect((await proof).status).toBe(401);
    const actor = { kind: 'user', id: account.userId };
    expect(await entryOf(identity, account, 'proof.failed')).toMatchObject({ ...failed, actor });
  });

  it('is in the audit trail when it is right and its user is disabled', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    const authenticator = newAuthenticator();
    await register(identity, member, authenticator);
    await identity.changeUser(owner, member.userId, { status: 'disabled' });
    expect(await outcome(signIn(identity, authenticator))).toEqual(REFUSED);
    const subject = { id: member.userId };
    expect(await entryOf(identity, owner, 'sign_in.failed')).toMatchObject({ subject, detail: { reason: 'passkey' } });
  });

  it('is accepted once of twenty at once, at two replicas', async () => {
    const { authenticator } = await passkeyAccount(identity, 'ES256', { counts: false });
    const { challengeId, publicKey } = await signInOptions(identity);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => answerFrom(index, challengeId, authenticator.get(publicKey))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(401)]);
  });

  it('spends its challenge when it is refused, too', async () => {
    const { authenticator } = await passkeyAccount(identity);
    const { challengeId, publicKey } = await signInOptions(identity);
    const lie = authenticator.get(publicKey, { userVerified: false });
    expect(await outcome(answer(identity, challengeId, lie))).toEqual(REFUSED);
    expect(await outcome(answer(identity, challengeId, authenticator.get(publicKey)))).toEqual(REFUSED);
  });

  it('is refused after five minutes, and for an expiry that was changed', async () => {
    const { authenticator } = await passkeyAccount(identity);
    const [expired, valid] = [await optionsBefore(302_000), await optionsBefore(298_000)];
    const [id = '', expires = ''] = expired.challengeId.split('.');
    const later = `${id}.${(Number.parseInt(expires, 36) + 3600).toString(36)}`;
    expect(await outcome(answer(identity, expired.challengeId, authenticator.get(expired.publicKey)))).toEqual(REFUSED);
    expect(await outcome(answer(identity, later, authenticator.get(expired.publicKey)))).toEqual(REFUSED);
    expect((await answer(identity, valid.challengeId, authenticator.get(valid.publicKey))).status).toBe(200);
  });

  it('is refused with the challenge of a registration', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    const { challengeId, publicKey } = await addOptions(account);
    const credential = authenticator.get({ rpId: USERS.id, challenge: publicKey.challenge });
    expect(await outcome(answer(identity, challengeId, credential))).toEqual(REFUSED);
  });

  it("is refused with another user's credential id or handle", async () => {
    const { authenticator: victim } = await passkeyAccount(identity);
    const { authenticator: thief } = await passkeyAccount(identity);
    const { credentialId, userHandle } = victim;
    for (const deviation of [{ credentialId, userHandle }, { credentialId }, { userHandle }]) {
      expect(await outcome(signIn(identity, thief, deviation))).toEqual(REFUSED);
    }
    expect((await signIn(identity, victim)).status).toBe(200);
  });

  it("is refused with one's own passkey and the handle of a colleague, which no signature covers", async () => {
    const { account: owner, authenticator } = await passkeyAccount(identity);
    const member = await identity.member(owner);
    const own = newAuthenticator();
    expect((await add(member, own)).status).toBe(201);
    const { userHandle } = authenticator;
    expect(await outcome(signIn(identity, own, { userHandle }))).toEqual(REFUSED);
    expect((await signIn(identity, own)).status).toBe(200);
  });

  it('is refused, without a defect, for whatever is not the answer of a browser', async () => {
    const { authenticator } = await passkeyAccount(identity);
    const { challengeId, publicKey } = await signInOptions(identity);
    const honest = authenticator.get(publicKey);
    const response = honest.response as Record<string, unknown>;
    const clientData = (text: string) => Buffer.from(text).toString('base64url');
    const credentials: object[] = [
      {},
      { ...honest, type: 'password' },
      { ...honest, rawId: 'other' },
      { ...honest, id: 7, rawId: 7 },
      { ...honest, id: 'A'.repeat(9000) },
      { ...honest, response: null },
      { ...honest, response: 'text' },
      { ...honest, response: { ...response, clientDataJSON: clientData('not json') } },
      { ...honest, response: { ...response, clientDataJSON: clientData('null') } },
      { ...honest, response: { ...response, clientDataJSON: clientData('{"challenge":7}') } },
      { ...honest, response: { ...response, authenticatorData: 'AAAA' } },
      { ...honest, response: { ...response, signature: '+/=' } },
      { ...honest, response: { ...response, userHandle: 'x' } },
      { ...honest, response: { ...response, userHandle: { a: 1 } } },
    ];
    for (const [index, credential] of credentials.entries()) {
      expect(await outcome(answerFrom(30 + index, challengeId, credential))).toEqual(REFUSED);
    }
  });

  it('is limited: ten failures of an account from an address', async () => {
    const { authenticator } = await passkeyAccount(identity);
    const headers = { 'x-forwarded-for': '192.0.2.77' };
    const attempt = async (deviation: Deviation) => {
      const { challengeId, publicKey } = await signInOptions(identity);
      const body = { challengeId, credential: authenticator.get(publicKey, deviation) };
      return outcome(await identity.request('POST', '/api/auth/login/passkey', { body, headers }));
    };
    for (let count = 0; count < 10; count += 1) expect(await attempt({ userVerified: false })).toEqual(REFUSED);
    expect(await attempt({})).toEqual([429, 'RATE_LIMITED']);
    expect((await signIn(identity, authenticator)).status).toBe(200);
  });
});

describe('a counter that goes back', () => {
  it('is refused, and the user is told, three times a day at most', async () => {
    const { account, authenticator, passkeyId } = await passkeyAccount(identity);
    expect((await signIn(identity, authenticator)).status).toBe(200);
    const seen = authenticator.counter;
    for (const counter of [seen, seen - 1, 0, seen, seen]) {
      expect(await outcome(signIn(identity, authenticator, { counter }))).toEqual(REFUSED);
    }
    const told = (await subjects(account)).filter((subject) => subject === 'A passkey of your account was refused');
    expect(told).toHaveLength(3);
    const subject = { kind: 'user', id: account.userId };
    const entry = { outcome: 'failure', actor: { kind: 'system', id: null }, subject, address: '127.0.0.1' };
    expect(await entryOf(identity, account, 'passkey.refused')).toMatchObject({ ...entry, detail: { passkeyId } });
    const recorded = async () => (await auditOf(identity, account, '&action=passkey.refused')).length;
    await waitUntil(async () => (await recorded()) === 5, { describe: 'every refusal is in the audit trail' });
    expect((await signIn(identity, authenticator)).status).toBe(200);
  });

  it('tells nobody anything when the signature is wrong: anyone who lacks the key cannot cause mail', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    await signIn(identity, authenticator);
    const thief = newAuthenticator();
    const { credentialId, userHandle } = authenticator;
    expect(await outcome(signIn(identity, thief, { credentialId, userHandle, counter: 1 }))).toEqual(REFUSED);
    expect(await subjects(account)).toEqual([ADDED]);
  });

  it('is accepted once of many with the same counter at once', async () => {
    const { authenticator } = await passkeyAccount(identity);
    const prepared = await Promise.all(Array.from({ length: 6 }, () => signInOptions(identity)));
    const answers = await Promise.all(
      prepared.map(({ challengeId, publicKey }, index) =>
        answerFrom(20 + index, challengeId, authenticator.get(publicKey, { counter: 50 })),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(401)]);
  });
});

describe('setting up a passkey under attack', () => {
  const stated = (fmt: string, attStmt: object): Deviation => ({ attestation: { fmt, attStmt } });

  it('is refused from what is not honest', async () => {
    const lies: readonly (readonly [string, Deviation])[] = [
      ...LIES,
      ['the type of a sign-in', { type: 'webauthn.get' }],
      ['a certificate', stated('packed', { alg: -7, sig: Buffer.alloc(70), x5c: [Buffer.alloc(10)] })],
      ['a signature of nobody', stated('packed', { alg: -7, sig: Buffer.alloc(70, 1) })],
      ['a format that was not asked for', stated('android-key', {})],
      ['a statement that says more than none', stated('none', { alg: -7 })],
    ];
    const account = await identity.account();
    for (const [lie, deviation] of lies) {
      const refused = add(account, newAuthenticator(), deviation);
      expect([lie, await outcome(refused)]).toEqual([lie, REFUSED]);
    }
    expect(await list(account)).toEqual([]);
  });

  it('is refused in another session, for another user, and a second time', async () => {
    const { account, passkeyId } = await passkeyAccount(identity);
    const elsewhere = await identity.signedIn(account.email);
    const other = await identity.account();
    const { challengeId, publicKey } = await addOptions(account);
    const body = { challengeId, credential: newAuthenticator().create(publicKey) };
    const present = ({ accessToken }: Account) => identity.post('/api/auth/passkeys', body, accessToken);
    for (const who of [elsewhere, other]) expect(await outcome(present(who))).toEqual(REFUSED);
    const added = await present(account);
    expect(added.status).toBe(201);
    // Removed, it does not come back by what was recorded.
    await remove(account, added.body.id);
    expect(await outcome(present(account))).toEqual(REFUSED);
    expect(await list(account)).toMatchObject([{ id: passkeyId }]);
  });

  it('is refused with the challenge of a step-up in the same session', async () => {
    const { account } = await passkeyAccount(identity);
    const { challengeId, publicKey } = await stepUpOptions(account);
    const options = { rp: { id: USERS.id }, user: { id: 'AAAA' }, challenge: publicKey.challenge };
    const body = { challengeId, credential: newAuthenticator().create(options) };
    expect(await outcome(identity.post('/api/auth/passkeys', body, account.accessToken))).toEqual(REFUSED);
  });

  it("is refused with the credential of a colleague, and leaves the colleague's as it is", async () => {
    const { account: owner, authenticator } = await passkeyAccount(identity);
    const member = await identity.member(owner);
    const { credentialId } = authenticator;
    expect(await outcome(add(member, newAuthenticator(), { credentialId }))).toEqual([409, 'CONFLICT']);
    expect((await signIn(identity, authenticator)).status).toBe(200);
  });

  it("does not rename or remove another user's", async () => {
    const { account: owner, passkeyId } = await passkeyAccount(identity);
    const admin = await identity.member(owner, ['admin']);
    expect((await rename(admin, passkeyId, 'Mine')).status).toBe(404);
    expect((await remove(admin, passkeyId)).status).toBe(404);
    expect(await list(admin)).toEqual([]);
  });
});
