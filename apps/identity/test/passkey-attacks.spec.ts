import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { auditOf, entryOf } from './audit.js';
import { type Answer, OPERATORS, TestIdentity, USERS } from './identity.js';
import { answer, mailSubjects, optionsFor, passkeyAccount, register, signIn, signInOptions } from './passkeys.js';
import { type Deviation, SoftwareAuthenticator } from './software-authenticator.js';

let identity: TestIdentity;
/** A second replica of the service, on the same database. */
let replica: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
  replica = await identity.replica();
});
afterAll(async () => {
  await replica?.close();
  await identity?.close();
});

const [ORIGIN = ''] = USERS.origins;
const REFUSED = [401, 'INVALID_CREDENTIALS'];
const outcome = ({ status, body }: Answer) => [status, body.code];
const query = (tenantId: string, sql: string) => identity.query(tenantId, sql);
const subjects = ({ tenantId }: { tenantId: string }) => mailSubjects(identity, tenantId);

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

  it.each([...LIES, ['the type of a registration', { type: 'webauthn.create' }] as const])(
    'is refused from %s',
    async (_, deviation) => {
      const { authenticator } = await passkeyAccount(identity);
      expect(outcome(await signIn(identity, authenticator, deviation))).toEqual(REFUSED);
      expect((await signIn(identity, authenticator)).status).toBe(200);
    },
  );

  it('is accepted once: neither the same answer nor a new signature of the same challenge works again', async () => {
    const { authenticator } = await passkeyAccount(identity, 'EdDSA', { counts: false });
    const { challengeId, publicKey } = await signInOptions(identity);
    const credential = authenticator.get(publicKey);
    expect((await answer(identity, challengeId, credential)).status).toBe(200);
    expect(outcome(await answer(identity, challengeId, credential))).toEqual(REFUSED);
    expect(outcome(await answer(replica, challengeId, authenticator.get(publicKey)))).toEqual(REFUSED);
  });

  it('is accepted once of twenty at once, at two replicas', async () => {
    const { authenticator } = await passkeyAccount(identity, 'ES256', { counts: false });
    const { challengeId, publicKey } = await signInOptions(identity);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        // From several addresses, so that no limit plays a part.
        (index % 2 ? replica : identity).request('POST', '/api/auth/login/passkey', {
          body: { challengeId, credential: authenticator.get(publicKey) },
          headers: { 'x-forwarded-for': `203.0.113.${index}` },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(401)]);
  });

  it('spends its challenge when it is refused, too', async () => {
    const { authenticator } = await passkeyAccount(identity);
    const { challengeId, publicKey } = await signInOptions(identity);
    const lie = authenticator.get(publicKey, { userVerified: false });
    expect(outcome(await answer(identity, challengeId, lie))).toEqual(REFUSED);
    expect(outcome(await answer(identity, challengeId, authenticator.get(publicKey)))).toEqual(REFUSED);
  });

  it('answers a challenge that another replica gave out', async () => {
    const { authenticator } = await passkeyAccount(identity);
    const { challengeId, publicKey } = await signInOptions(replica);
    expect((await answer(identity, challengeId, authenticator.get(publicKey))).status).toBe(200);
  });

  it('is refused after five minutes, and for an expiry that was changed', async () => {
    const { authenticator } = await passkeyAccount(identity);
    const [expired, valid] = [await optionsBefore(302_000), await optionsBefore(298_000)];
    const [id = '', expires = ''] = expired.challengeId.split('.');
    const later = `${id}.${(Number.parseInt(expires, 36) + 3600).toString(36)}`;
    expect(outcome(await answer(identity, expired.challengeId, authenticator.get(expired.publicKey)))).toEqual(REFUSED);
    expect(outcome(await answer(identity, later, authenticator.get(expired.publicKey)))).toEqual(REFUSED);
    expect((await answer(identity, valid.challengeId, authenticator.get(valid.publicKey))).status).toBe(200);
  });

  it('is refused with the challenge of a registration', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    const { challengeId, publicKey } = await optionsFor(identity, '/api/auth/passkeys/options', account.accessToken);
    const credential = authenticator.get({ rpId: USERS.id, challenge: publicKey.challenge });
    expect(outcome(await answer(identity, challengeId, credential))).toEqual(REFUSED);
  });

  it("is refused with another user's credential id or handle", async () => {
    const victim = (await passkeyAccount(identity)).authenticator;
    const thief = (await passkeyAccount(identity)).authenticator;
    const { credentialId, userHandle } = victim;
    for (const deviation of [{ credentialId, userHandle }, { credentialId }, { userHandle }]) {
      expect(outcome(await signIn(identity, thief, deviation))).toEqual(REFUSED);
    }
    expect((await signIn(identity, victim)).status).toBe(200);
  });

  it("is refused with one's own passkey and the handle of a colleague, which no signature covers", async () => {
    const { account: owner, authenticator } = await passkeyAccount(identity);
    const member = await identity.member(owner);
    const own = new SoftwareAuthenticator(ORIGIN);
    expect((await register(identity, member, own)).status).toBe(201);
    const { userHandle } = authenticator;
    expect(outcome(await signIn(identity, own, { userHandle }))).toEqual(REFUSED);
    expect((await signIn(identity, own)).status).toBe(200);
  });

  it('is refused with a passkey that was removed', async () => {
    const { account, authenticator, passkeyId } = await passkeyAccount(identity);
    const path = `/api/auth/passkeys/${passkeyId}`;
    expect((await identity.request('DELETE', path, { token: account.accessToken })).status).toBe(204);
    expect(outcome(await signIn(identity, authenticator))).toEqual(REFUSED);
  });

  it('is refused while the user is disabled', async () => {
    const { owner, member } = await identity.team('member');
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    expect((await register(identity, member, authenticator)).status).toBe(201);
    const change = (status: string) => identity.changeUser(owner, member.userId, { status });
    await change('disabled');
    expect(outcome(await signIn(identity, authenticator))).toEqual(REFUSED);
    await change('active');
    expect((await signIn(identity, authenticator)).status).toBe(200);
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
      const refused = await identity.request('POST', '/api/auth/login/passkey', {
        body: { challengeId, credential },
        headers: { 'x-forwarded-for': `198.51.100.${index}` },
      });
      expect([index, ...outcome(refused)]).toEqual([index, ...REFUSED]);
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
      expect(outcome(await signIn(identity, authenticator, { counter }))).toEqual(REFUSED);
    }
    const told = (await subjects(account)).filter((subject) => subject === 'A passkey of your account was refused');
    expect(told).toHaveLength(3);
    expect(await entryOf(identity, account, 'passkey.refused')).toMatchObject({
      outcome: 'failure',
      actor: { kind: 'system', id: null },
      subject: { kind: 'user', id: account.userId },
      address: '127.0.0.1',
      detail: { passkeyId },
    });
    await waitUntil(async () => (await auditOf(identity, account, '&action=passkey.refused')).length === 5, {
      describe: 'every refusal is in the audit trail',
    });
    expect((await signIn(identity, authenticator)).status).toBe(200);
  });

  it('tells nobody anything when the signature is wrong: whoever lacks the key cannot cause mail', async () => {
    const { account, authenticator } = await passkeyAccount(identity);
    await signIn(identity, authenticator);
    const thief = new SoftwareAuthenticator(ORIGIN);
    const { credentialId, userHandle } = authenticator;
    expect(outcome(await signIn(identity, thief, { credentialId, userHandle, counter: 1 }))).toEqual(REFUSED);
    expect(await subjects(account)).toEqual(['A passkey was added to your account']);
  });

  it('is accepted once of many with the same counter at once', async () => {
    const { authenticator } = await passkeyAccount(identity);
    const prepared = await Promise.all(Array.from({ length: 6 }, () => signInOptions(identity)));
    const answers = await Promise.all(
      prepared.map(({ challengeId, publicKey }, index) =>
        (index % 2 ? replica : identity).request('POST', '/api/auth/login/passkey', {
          body: { challengeId, credential: authenticator.get(publicKey, { counter: 50 }) },
          headers: { 'x-forwarded-for': `203.0.113.${index}` },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(401)]);
  });
});

describe('setting up a passkey', () => {
  it.each([...LIES, ['the type of a sign-in', { type: 'webauthn.get' }] as const])(
    'is refused from %s',
    async (_, deviation) => {
      const account = await identity.account();
      const refused = await register(identity, account, new SoftwareAuthenticator(ORIGIN), deviation);
      expect(outcome(refused)).toEqual(REFUSED);
      expect(await query(account.tenantId, 'SELECT id FROM passkey')).toEqual([]);
    },
  );

  it('is refused in another session, for another user, and a second time', async () => {
    const { account, passkeyId } = await passkeyAccount(identity);
    const elsewhere = await identity.signedIn(account.email);
    const other = await identity.account();
    const { challengeId, publicKey } = await optionsFor(identity, '/api/auth/passkeys/options', account.accessToken);
    const body = { challengeId, credential: new SoftwareAuthenticator(ORIGIN).create(publicKey) };
    expect(outcome(await identity.post('/api/auth/passkeys', body, elsewhere.accessToken))).toEqual(REFUSED);
    expect(outcome(await identity.post('/api/auth/passkeys', body, other.accessToken))).toEqual(REFUSED);
    const added = await identity.post('/api/auth/passkeys', body, account.accessToken);
    expect(added.status).toBe(201);
    // Removed, it does not come back by what was recorded.
    const path = `/api/auth/passkeys/${added.body.id}`;
    await identity.request('DELETE', path, { token: account.accessToken });
    expect(outcome(await identity.post('/api/auth/passkeys', body, account.accessToken))).toEqual(REFUSED);
    expect(await query(account.tenantId, 'SELECT id FROM passkey')).toEqual([{ id: passkeyId }]);
  });

  it('is refused with the challenge of a step-up in the same session', async () => {
    const { account } = await passkeyAccount(identity);
    const token = account.accessToken;
    const { challengeId, publicKey } = await optionsFor(identity, '/api/auth/step-up/passkey/options', token);
    const options = { rp: { id: USERS.id }, user: { id: 'AAAA' }, challenge: publicKey.challenge };
    const credential = new SoftwareAuthenticator(ORIGIN).create(options);
    expect(outcome(await identity.post('/api/auth/passkeys', { challengeId, credential }, token))).toEqual(REFUSED);
  });

  it("is refused with the credential of a colleague, and leaves the colleague's as it is", async () => {
    const { account: owner, authenticator } = await passkeyAccount(identity);
    const member = await identity.member(owner);
    const { credentialId } = authenticator;
    const taken = await register(identity, member, new SoftwareAuthenticator(ORIGIN), { credentialId });
    expect(outcome(taken)).toEqual([409, 'CONFLICT']);
    expect((await signIn(identity, authenticator)).status).toBe(200);
  });

  it("does not rename or remove another user's", async () => {
    const { account: owner, passkeyId } = await passkeyAccount(identity);
    const { accessToken: token } = await identity.member(owner, ['admin']);
    const path = `/api/auth/passkeys/${passkeyId}`;
    expect((await identity.request('PATCH', path, { token, body: { name: 'Mine' } })).status).toBe(404);
    expect((await identity.request('DELETE', path, { token })).status).toBe(404);
    expect((await identity.request('GET', '/api/auth/passkeys', { token })).body.data).toEqual([]);
  });

  it.each([
    ['a certificate', { fmt: 'packed', attStmt: { alg: -7, sig: Buffer.alloc(70), x5c: [Buffer.alloc(10)] } }],
    ['a format that was not asked for', { fmt: 'android-key', attStmt: {} }],
    ['a statement that says more than none', { fmt: 'none', attStmt: { alg: -7 } }],
  ])('is refused with %s', async (_, attestation) => {
    const account = await identity.account();
    const refused = await register(identity, account, new SoftwareAuthenticator(ORIGIN), { attestation });
    expect(outcome(refused)).toEqual(REFUSED);
  });
});
