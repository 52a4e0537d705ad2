import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../scripts/demo/client.mjs';
import { type Account, admin, api, newWorkspace, PASSWORD } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { mailsTo } from '../platform/mails.js';
import { createOperator, operatorToken } from '../platform/operators.js';
import { forgetProofs, lookAfter } from './person.js';
import { addAuthenticator } from './virtual-authenticator.js';
import { page, person, visit } from './visiting.js';

/** Browsers know no passkeys of addresses in numbers. */
const BASE = addresses.baseUrl.replace('127.0.0.1', 'localhost');

beforeEach(async () => {
  await addAuthenticator(visit.context, visit.page);
});

/** Sets up a passkey of this browser on the page, and leaves it. */
async function register(account: Account): Promise<void> {
  await lookAfter(person, account, 'Passkeys', BASE);
  await person.press('Add a passkey');
  await person.reads('The passkey is added.');
  await person.signsOut();
}

const used = new Set<string>();
/** The token of a link for a new password that was not opened yet. */
const unused = (email: string): Promise<string> =>
  eventually(async () => {
    const tokens = (await mailsTo(email)).map(({ text }) => /\/password-reset(#token=\S+)/.exec(text)?.[1]);
    const token = tokens.find((token) => token !== undefined && !used.has(token));
    if (token !== undefined) used.add(token);
    return token;
  }, 'a link for a new password');

describe('a passkey of this browser', () => {
  it('is set up, renamed and removed on the page, by who proves who they are', async () => {
    const account = await newWorkspace();
    await lookAfter(person, account, 'Passkeys', BASE);
    await person.reads('You have none.');
    await forgetProofs(account);
    await person.press('Add a passkey');
    const dialog = page.getByRole('dialog', { name: 'Prove that it is you' });
    // There is none yet to prove it with.
    await dialog.getByLabel('Password').fill(PASSWORD);
    expect(await dialog.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
    await person.answers('Continue');
    await person.reads('The passkey is added.');
    await visit.checkAccessible('passkeys');
    await person.press('Add a passkey');
    await person.reads('This device has a passkey of your account already.');

    await page.getByRole('button', { name: /^Rename: / }).click();
    await visit.checkAccessible('another name');
    await page.getByLabel('Name', { exact: true }).fill('Key in the drawer');
    await person.answers('Rename');
    await person.reads('The passkey has another name.');
    await forgetProofs(account);
    await person.presses('Remove', 'Key in the drawer');
    await person.answers('Remove');
    // Another call is refused while the proof is on its way, and made again with it, too.
    const OPTIONS = '**/api/auth/passkeys/options';
    let prove = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      prove = resolve;
    });
    await page.route('**/api/auth/step-up/passkey', (route) => held.then(() => route.continue()), { times: 1 });
    await dialog.getByRole('button', { name: 'Use a passkey' }).click();
    const refused = page.waitForResponse(OPTIONS);
    await page.getByRole('button', { name: 'Add a passkey', includeHidden: true }).dispatchEvent('click');
    expect((await refused).status()).toBe(403);
    // It has no answer then, so that nothing is added.
    await page.route(OPTIONS, () => undefined);
    const again = page.waitForRequest(OPTIONS);
    prove();
    await person.reads('The passkey is removed.');
    await again;
    const { body } = await api('GET', '/api/auth/passkeys', { token: account.token, expect: 200 });
    expect(body.data).toEqual([]);
    await visit.checkNothingKept();
  });

  it('signs in on the page without an address, a password or a code', async () => {
    const account = await newWorkspace();
    await register(account);
    await person.press('Sign in with a passkey');
    await person.isIn(account.email);
    await visit.checkNothingKept();
    await person.signsOut();
    await person.press('Sign in with a passkey');
    await person.isIn(account.email);
  });

  it('goes on signing in after a new password by mail, unless the person has it removed with the link', async () => {
    const account = await newWorkspace();
    await register(account);
    for (const [removes, tells] of [
      [false, 'Passkeys that still sign in to your account: 1'],
      [true, 'Passkeys that were removed: 1'],
    ] as const) {
      await api('POST', '/api/auth/password-resets', { body: { email: account.email }, expect: 202 });
      await page.goto(`${BASE}/password-reset${await unused(account.email)}`);
      await page.getByLabel('New password').fill(`tidal-lantern-orbits-quietly-${removes}`);
      const box = page.getByRole('checkbox', { name: 'Remove the passkeys of my account too' });
      expect(await box.isChecked()).toBe(false);
      if (removes) await box.check();
      await visit.checkAccessible('a new password, with passkeys');
      await person.press('Set the password');
      await person.reads(tells);
      await page.goto(`${BASE}/account`);
    }
    await person.press('Sign in with a passkey');
    await person.reads('This passkey is not accepted.');
  });
});

/** What a page of the operators would do: there is none yet. */
const askForPasskey = (kind: 'create' | 'get', path: string, token?: string): Promise<{ accessToken: string }> =>
  page.evaluate(`(async () => {
    const post = async (path, body) => {
      const headers = { 'content-type': 'application/json', authorization: ${JSON.stringify(token ? `Bearer ${token}` : '')} };
      return (await fetch(path, { method: 'POST', headers, body: body && JSON.stringify(body) })).json();
    };
    const { challengeId, publicKey } = await post('${path}/options');
    const parse = PublicKeyCredential.parse${kind === 'create' ? 'Creation' : 'Request'}OptionsFromJSON;
    const credential = await navigator.credentials.${kind}({ publicKey: parse(publicKey) });
    return post('${path}', { challengeId, credential: credential.toJSON() });
  })()`);

it('a passkey of an operator signs in at the address of the operators', async () => {
  const email = 'passkey@platform.test';
  await createOperator(email, 'reviewer');
  await page.route('**/blank', (route) => route.fulfill({ contentType: 'text/html', body: '<title>A page</title>' }));
  await page.goto(`${addresses.adminUrl.replace('127.0.0.1', 'localhost')}/blank`);
  await askForPasskey('create', '/api/auth/passkeys', await operatorToken(email));
  const { accessToken } = await askForPasskey('get', '/api/auth/login/passkey');
  const { body: me } = await admin('GET', '/api/auth/me', { token: accessToken, expect: 200 });
  expect(me.email).toBe(email);
});
