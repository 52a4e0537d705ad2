import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../embed/browser.mjs';
import { type Account, api, newUser, newWorkspace, PASSWORD } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { mailTo } from '../platform/mails.js';
import { codeOf } from './authenticator.js';
import { withAuthenticator } from './person.js';
import { qrText } from './qr-text.js';
import { Visit } from './visit.js';

let browser: Browser;
let visit: Visit;
let page: Page;
beforeAll(async () => {
  browser = await startBrowser({});
});
afterAll(() => browser?.close());
beforeEach(async () => {
  visit = await Visit.begin(browser);
  ({ page } = visit);
});
afterEach(() => visit.end());

const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const isAt = (heading: string) => page.getByRole('heading', { name: heading }).waitFor();
async function fillIn(email: string, password = PASSWORD): Promise<void> {
  await page.goto(`${addresses.baseUrl}/account/sign-in`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await press('Sign in');
}
const openSessions = async ({ token }: Account): Promise<number> =>
  (await api('GET', '/api/auth/sessions', { token, expect: 200 })).body.data.length;

describe('signing in with a password', () => {
  it('works with the keyboard alone, says what is wrong, and ends with the page', async () => {
    const account = await newWorkspace();
    const before = await openSessions(account);
    await page.goto(`${addresses.baseUrl}/account`);
    await isAt('Sign in');
    await visit.checkAccessible('sign-in');
    await page.keyboard.press('Tab');
    await page.keyboard.type(account.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('not the password');
    await page.keyboard.press('Enter');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toBe('The e-mail address or the password is wrong.');
    await visit.checkAccessible('sign-in, refused');
    await page.getByLabel('Password').focus();
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await isAt('You are signed in');
    // The focus is where the new step begins.
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    await page.getByText(account.email).waitFor();
    await visit.checkAccessible('signed in');
    await visit.checkNothingKept();
    expect(await openSessions(account)).toBe(before + 1);
    await page.reload();
    await isAt('Sign in');
    for (let waited = 0; (await openSessions(account)) > before && waited < 50; waited += 1)
      await page.waitForTimeout(100);
    expect(await openSessions(account)).toBe(before);
  });
});

describe('a second factor', () => {
  it('by mail is the code that was sent', async () => {
    const { email, token } = await newWorkspace();
    await api('PUT', '/api/auth/mfa', { token, body: { enabled: true, password: PASSWORD }, expect: 204 });
    await fillIn(email);
    await isAt('Enter your code');
    await page.getByText('A mail with a code of six digits', { exact: false }).waitFor();
    const code = /\b\d{6}\b/.exec((await mailTo(email, 'Your sign-in code')).text)?.[0] ?? '';
    await page.getByLabel('Code of six digits').fill(code === '000000' ? '111111' : '000000');
    await press('Continue');
    await page.getByText('This code is wrong', { exact: false }).waitFor();
    await visit.checkAccessible('wrong code');
    await page.getByLabel('Code of six digits').fill(code);
    await press('Continue');
    await isAt('You are signed in');
    await visit.checkNothingKept();
  });

  it('of an authenticator app is its code, also typed in two groups, or a recovery code', async () => {
    const account = await newWorkspace();
    const { secret, recoveryCodes } = await withAuthenticator(account);
    await fillIn(account.email);
    await isAt('Enter your code');
    const code = codeOf(secret);
    await page.getByLabel('Code of six digits').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
    await press('Continue');
    await isAt('You are signed in');
    await press('Sign out');
    await isAt('Sign in');

    await fillIn(account.email);
    await press('Use a recovery code instead');
    await visit.checkAccessible('recovery code');
    await page.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '');
    await press('Continue');
    await isAt('You are signed in');
  });

  it('that a workspace requires is set up within the sign-in, from a QR code that can be read', async () => {
    const owner = await newWorkspace();
    const member = await newUser(owner, 'member');
    const policy = { token: owner.token, body: { secondFactor: 'required' } };
    expect((await api('PUT', '/api/tenant/sign-in-policy', policy)).status).toBeLessThan(300);
    await fillIn(member.email);
    await isAt('Set up a second factor');
    await visit.checkAccessible('enrolment');
    await press('Set up the app');
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    await visit.checkAccessible('QR code');
    const uri = new URL(await qrText(page.getByRole('img')));
    const secret = (await page.locator('code').textContent()) ?? '';
    expect([uri.protocol, uri.searchParams.get('secret')]).toEqual(['otpauth:', secret]);
    await page.getByLabel('Code of six digits').fill(codeOf(secret));
    await press('Confirm');
    await isAt('Keep your recovery codes');
    expect(await page.getByRole('listitem').count()).toBe(10);
    await visit.checkAccessible('recovery codes');
    await press('I have kept them');
    await isAt('You are signed in');
    await visit.checkNothingKept();
  });
});
