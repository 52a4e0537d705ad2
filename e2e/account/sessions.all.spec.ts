import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Account, api, newWorkspace, PASSWORD, signIn } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { dead, lookAfter } from './person.js';
import { page, person, visit } from './visiting.js';

let account: Account;
beforeEach(async () => {
  account = await newWorkspace();
});

/** Signs in on another device. */
async function signInOn(userAgent: string): Promise<string> {
  const headers = { 'user-agent': userAgent };
  const body = { email: account.email, password: PASSWORD };
  return (await api('POST', '/api/auth/login', { body, headers, expect: 200 })).body.accessToken;
}
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0';

describe('the sessions of an account', () => {
  it('all end but that of the page, when someone says so twice', async () => {
    const tokens = [account.token, await signInOn(FIREFOX)];
    await lookAfter(person, account, 'Sessions');
    // Opened after the list was shown.
    tokens.push(await signIn(account.email));
    const button = page.getByRole('button', { name: 'End all other sessions' });
    await button.click();
    const dialog = page.getByRole('dialog', { name: 'End all other sessions?' });
    expect(await dialog.getByRole('button', { name: 'Cancel' }).evaluate((shown) => shown.matches(':focus'))).toBe(
      true,
    );
    await visit.checkAccessible('question');
    await page.keyboard.press('Escape');
    expect(await button.evaluate((shown) => shown.matches(':focus'))).toBe(true);
    await api('GET', '/api/auth/me', { token: account.token, expect: 200 });

    await button.click();
    await person.answers('End all other sessions');
    await person.reads('3 sessions have ended.');
    for (const token of tokens) await dead(token);
    await person.press('Back to the overview');
    await person.reads(`Signed in as ${account.email}.`);
  });

  it('lead to a sign-in above the page when its own is ended elsewhere', async () => {
    await page.goto(`${addresses.baseUrl}/account/security`);
    await person.givesPassword(account.email);
    await person.isAt('Security of your account');
    await visit.checkAccessible('overview');
    await api('DELETE', '/api/auth/sessions', { token: account.token, expect: 204 });
    await dead(account.token);
    await page.getByRole('button', { name: 'Sessions' }).click();
    await person.isAt('Sign in');
    await visit.checkAccessible('sign-in above the page');
    await person.givesPassword(account.email);
    await person.isAt('Sessions');
    await page.getByText('this browser').waitFor();
  });
});
