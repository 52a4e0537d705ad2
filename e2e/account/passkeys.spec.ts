import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../embed/browser.mjs';
import { api, newUser, newWorkspace } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { Person } from './person.js';
import { addAuthenticator } from './virtual-authenticator.js';
import { Visit } from './visit.js';

/** Browsers know no passkeys of addresses in numbers. */
const PAGE = `${addresses.baseUrl.replace('127.0.0.1', 'localhost')}/account`;

let browser: Browser;
let visit: Visit;
let person: Person;
beforeAll(async () => {
  browser = await startBrowser({});
});
afterAll(() => browser?.close());
beforeEach(async () => {
  visit = await Visit.begin(browser);
  person = new Person(visit.page);
  await addAuthenticator(visit.context, visit.page);
  await visit.page.goto(PAGE);
});
afterEach(() => visit.end());

/** Sets up a passkey for an account, in this browser. */
const register = (token: string): Promise<number> =>
  visit.page.evaluate<number>(`(async () => {
    const post = (path, body) => fetch(path, {
      method: 'POST',
      headers: { authorization: 'Bearer ${token}', ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    const { challengeId, publicKey } = await (await post('/api/auth/passkeys/options')).json();
    const options = PublicKeyCredential.parseCreationOptionsFromJSON(publicKey);
    const credential = await navigator.credentials.create({ publicKey: options });
    return (await post('/api/auth/passkeys', { challengeId, credential: credential.toJSON() })).status;
  })()`);

describe('a passkey of this browser', () => {
  it('signs in on the page without an address, a password or a code', async () => {
    const { token, email } = await newWorkspace();
    expect(await register(token)).toBe(201);
    await person.press('Sign in with a passkey');
    await person.isAt('You are signed in');
    await person.reads(email);
    await visit.checkNothingKept();
    await person.press('Sign out');
    await person.isAt('Sign in');
    await person.press('Sign in with a passkey');
    await person.isAt('You are signed in');
  });

  it('completes a sign-in with the password, where the workspace requires a second factor', async () => {
    const owner = await newWorkspace();
    const member = await newUser(owner, 'member');
    expect(await register(member.token)).toBe(201);
    const policy = { token: owner.token, body: { secondFactor: 'required' } };
    expect((await api('PUT', '/api/tenant/sign-in-policy', policy)).status).toBeLessThan(300);
    await person.givesPassword(member.email);
    await person.isAt('Enter your code');
    await person.press('Sign in with a passkey');
    await person.isAt('You are signed in');
    await person.reads(member.email);
  });

  it('that was removed is refused, in words', async () => {
    const { token } = await newWorkspace();
    expect(await register(token)).toBe(201);
    const { body } = await api('GET', '/api/auth/passkeys', { token, expect: 200 });
    await api('DELETE', `/api/auth/passkeys/${body.data[0].id}`, { token, expect: 204 });
    await person.press('Sign in with a passkey');
    await person.reads('This passkey is not accepted.');
  });
});
