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

describe('the identity provider of a workspace', () => {
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
