import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Account, api, newWorkspace, PASSWORD } from '../platform/accounts.js';
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
  it('are shown with their devices, and one ends within a second', async () => {
    const token = await signInOn(FIREFOX);
    await lookAfter(person, account, 'Sessions');
    const entry = page.getByRole('listitem').filter({ hasText: 'Firefox on Linux' });
    await entry.getByText('127.0.0.1').waitFor();
    // The focus is where the topic begins, so that the next Tab leads into it.
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    const own = page.getByRole('listitem').filter({ hasText: 'this browser' });
    expect(await own.getByRole('button').count()).toBe(0);
    await visit.checkAccessible('sessions');
    await person.presses('End the session', 'Firefox on Linux');
    await dead(token);
    await person.reads('The session has ended.');
    // Where the button was there is what has become of it, and the focus.
    await entry.getByText('Ended', { exact: true }).waitFor();
    expect(await entry.evaluate((shown) => shown.matches(':focus'))).toBe(true);
    expect((await api('GET', '/api/auth/sessions', { token: account.token, expect: 200 })).body.data).toHaveLength(2);
    await visit.checkNothingKept();
  });
});
