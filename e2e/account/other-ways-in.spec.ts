import { describe, expect, it } from '@jest/globals';
import { api, newWorkspace, PASSWORD } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { type Answers, answerCalls } from './stand-in.js';
import { addAuthenticator } from './virtual-authenticator.js';
import { page, person, visit } from './visiting.js';

// What the page does with answers that are hard to bring about: a stand-in within the browser gives them, everything else is the
// real platform. In passkeys.spec.ts and single-sign-on.spec.ts nothing is a stand-in. At `localhost`, because browsers have no
// passkeys for addresses in numbers.
const at = (path: string) => addresses.baseUrl.replace('127.0.0.1', 'localhost') + path;

const signInAnswer = async (email: string) =>
  (await api('POST', '/api/auth/login', { body: { email, password: PASSWORD }, expect: 200 })).body;
const NOT_FOUND = { status: 404, body: { code: 'NOT_FOUND', title: 'Not found' } };

/** A passkey of this browser that needs nobody to touch anything. */
async function addPasskey(): Promise<void> {
  const { devtools, authenticatorId } = await addAuthenticator(visit.context, page);
  await page.goto(at('/account'));
  const { credentialId, privateKey } = await page.evaluate<{ credentialId: string; privateKey: string }>(`(async () => {
    const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
    const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)));
    return { credentialId: text(new Uint8Array(16).fill(7)), privateKey: text(await crypto.subtle.exportKey('pkcs8', privateKey)) };
  })()`);
  const credential = {
    credentialId,
    privateKey,
    rpId: 'localhost',
    isResidentCredential: true,
    userHandle: Buffer.from('a user').toString('base64'),
    signCount: 1,
  };
  await devtools.send('WebAuthn.addCredential', { authenticatorId, credential });
}

const passkeyAnswers = (email: string): Answers => ({
  'POST /api/auth/login/passkey/options': () => ({
    body: {
      challengeId: 'challenge-1',
      expiresIn: 300,
      publicKey: { challenge: 'Y2hhbGxlbmdl', rpId: 'localhost', allowCredentials: [], userVerification: 'required' },
    },
  }),
  'POST /api/auth/login/passkey': async () => ({ body: await signInAnswer(email) }),
});

describe('a passkey', () => {
  it('takes the place of a code', async () => {
    const { email } = await newWorkspace();
    await addPasskey();
    await answerCalls(page, {
      ...passkeyAnswers(email),
      'POST /api/auth/session': () => ({
        body: { mfaRequired: true, challengeId: 'c', expiresIn: 600, methods: ['passkey'] },
      }),
    });
    await person.givesPassword(email);
    await person.isAt('Use your passkey');
    expect(await page.getByRole('textbox').count()).toBe(0);
    await visit.checkAccessible('passkey in the place of a code');
    await person.press('Sign in with a passkey');
    await person.isIn(email);
  });

  it('that nobody chose leaves the other ways in', async () => {
    await page.goto(at('/account'));
    const devtools = await visit.context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await answerCalls(page, {
      ...passkeyAnswers(''),
      'POST /api/auth/login/passkey/options': () => ({
        body: { challengeId: 'c', publicKey: { challenge: 'Y2hhbGxlbmdl', rpId: 'localhost', timeout: 200 } },
      }),
    });
    await person.press('Sign in with a passkey');
    await person.reads('No passkey was used.');
    await visit.checkAccessible('no passkey');
    expect(await page.getByRole('button', { name: 'Sign in', exact: true }).isEnabled()).toBe(true);
  });

  it('is not offered any more where the API knows none', async () => {
    await page.goto(at('/account'));
    await answerCalls(page, { 'POST /api/auth/login/passkey/options': () => NOT_FOUND });
    await person.press('Sign in with a passkey');
    await person.reads('Passkeys are not in use here.');
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0);
  });
});

const ASKED = {
  id: 'request-1',
  app: { key: 'acme-sync', name: 'Acme Sync', publisher: 'Acme GmbH' },
  tenant: { id: '0199aa00-0000-7000-8000-000000000001', name: 'Globex' },
  scopes: [{ name: 'tasks:read', description: 'See tasks', writes: false }],
  accessPeriod: { maxSeconds: 7_776_000, idleSeconds: 1_209_600 },
  redirectHost: 'sync.acme.test',
  expiresAt: '2030-01-01T00:00:00Z',
};

describe('the identity provider of a workspace', () => {
  /** Stands for the provider: it sends the browser back at once, as one does where the user is signed in already. */
  const providerAnswers = (email: string): Answers => ({
    'POST /api/auth/oidc/discover': () => ({ body: { providers: [{ id: 'provider-1', name: 'Acme ID' }] } }),
    'POST /api/auth/oidc/provider-1/start': () => ({ body: { redirectTo: at('/account/signed-in#code=code-1') } }),
    'POST /api/auth/oidc/exchange': async () => ({ body: await signInAnswer(email) }),
  });

  it('has to ask who someone is, once a proof was wanted, and not before', async () => {
    const { email } = await newWorkspace();
    const start = 'POST /api/auth/oidc/provider-1/start';
    const refused = {
      status: 403,
      body: { code: 'STEP_UP_REQUIRED', title: 'Prove it', proofs: ['identity_provider'] },
    };
    const { bodies } = await answerCalls(page, {
      ...providerAnswers(email),
      'GET /api/auth/oauth/requests/request-1': () => ({ body: ASKED }),
      'POST /api/auth/oauth/requests/request-1/decision': () => refused,
    });
    await page.goto(at('/account/authorize?request=request-1'));
    await page.getByLabel('E-mail address').fill(email);
    await person.press('Continue with Acme ID');
    await person.isAt('Give Acme Sync access?');
    expect(bodies[start]).toEqual({ fresh: false });
    await person.press('Give access');
    await person.press('Sign in again instead');
    await person.isAt('Sign in');
    await page.getByLabel('E-mail address').fill(email);
    await person.press('Continue with Acme ID');
    await person.isAt('Give Acme Sync access?');
    expect(bodies[start]).toEqual({ fresh: true });
  });

  it('that has proven someone for another page says so, and keeps nothing', async () => {
    await page.goto(at('/account/signed-in#proof=noted'));
    await person.isAt('You have proven who you are');
    await visit.checkAccessible('a proof that is noted');
    await visit.checkNothingKept();
  });

  it.each([
    ['error=SINGLE_SIGN_ON_REFUSED&reason=not_recent', 'does not say that it has just asked who you are'],
    ['error=SINGLE_SIGN_ON_EXPIRED', 'The sign-in took too long'],
    ['error=SINGLE_SIGN_ON_REFUSED&reason=user_disabled', 'Your account is disabled.'],
    ['error=SOMETHING_NEW', 'What your identity provider has sent is not valid any more.'],
  ])('that sends the browser back with %s is explained', async (fragment, words) => {
    await page.goto(at(`/account/signed-in#${fragment}`));
    await person.isAt('The sign-in did not succeed');
    await person.reads(words);
    await visit.checkNothingKept();
  });

  it('that answers with a code that is not valid leads to the sign-in', async () => {
    await answerCalls(page, {
      'POST /api/auth/oidc/exchange': () => ({ status: 401, body: { code: 'INVALID_CREDENTIALS', title: 'No' } }),
    });
    await page.goto(at('/account/signed-in#code=code-2'));
    await person.isAt('The sign-in did not succeed');
    await visit.checkAccessible('no sign-in');
    await visit.checkNothingKept();
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await person.isAt('Sign in');
  });

  it('is not asked for again where the API knows none', async () => {
    const { counts } = await answerCalls(page, { 'POST /api/auth/oidc/discover': () => NOT_FOUND });
    await page.goto(at('/account'));
    for (const email of ['ada@acme.test', 'ada@globex.test']) {
      await page.getByLabel('E-mail address').fill(email);
      await page.waitForTimeout(700);
    }
    expect(counts['POST /api/auth/oidc/discover']).toBe(1);
  });
});
