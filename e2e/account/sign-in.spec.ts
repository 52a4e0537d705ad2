import { describe, expect, it } from '@jest/globals';
import { api, newWorkspace, PASSWORD } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { mailTo } from '../platform/mails.js';
import { page, person, visit } from './visiting.js';

async function fillIn(email: string): Promise<void> {
  await page.goto(`${addresses.baseUrl}/account/sign-in`);
  await person.givesPassword(email);
}
const isIn = (at = page) => at.locator('header [aria-haspopup="menu"]').waitFor();

describe('signing in with a password', () => {
  it('works with the keyboard alone, says what is wrong, and leads to where someone wanted to go', async () => {
    const account = await newWorkspace();
    await page.goto(`${addresses.baseUrl}/settings/workspace`);
    await person.isAt('Sign in');
    await visit.checkAccessible('sign-in');
    await page.getByLabel('E-mail address').waitFor();
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
    await person.isAt('Workspace');
    expect(new URL(page.url()).pathname).toBe('/settings/workspace');
    await visit.checkNothingKept();
  });
});

describe('the page of the workspace', () => {
  it('is read by everybody and changed by administrators', async () => {
    const owner = await newWorkspace();
    await page.goto(`${addresses.baseUrl}/settings/workspace`);
    await person.givesPassword(owner.email);
    await person.isAt('Workspace');
    await page.getByLabel('Name').fill('Renamed');
    await page.getByRole('combobox', { name: 'Currency' }).click();
    await page.getByRole('option', { name: /^CHF/ }).click();
    await person.press('Save');
    await page.getByText('The workspace is saved.').waitFor();
    await visit.checkAccessible('workspace');
    const { body } = await api('GET', '/api/tenant', { token: owner.token, expect: 200 });
    expect(body).toMatchObject({ name: 'Renamed', currency: 'CHF' });
  });
});

describe('a second factor', () => {
  it('by mail is the code that was sent', async () => {
    const { email, token } = await newWorkspace();
    await api('PUT', '/api/auth/mfa', { token, body: { enabled: true, password: PASSWORD }, expect: 204 });
    await fillIn(email);
    await person.isAt('Enter your code');
    await person.reads('A mail with a code of six digits');
    const code = /\b\d{6}\b/.exec((await mailTo(email, 'Your sign-in code')).text)?.[0] ?? '';
    await page.getByLabel('Code of six digits').fill(code === '000000' ? '111111' : '000000');
    await person.press('Continue');
    await person.reads('This code is wrong');
    await visit.checkAccessible('wrong code');
    await page.getByLabel('Code of six digits').fill(code);
    await person.press('Continue');
    await isIn();
    await visit.checkNothingKept();
  });
});
