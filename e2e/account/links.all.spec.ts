import { describe, expect, it } from '@jest/globals';
import { api, newWorkspace } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { linkTo } from '../platform/mails.js';
import { Visit } from './visit.js';
import { browser, page, person, visit } from './visiting.js';

const NEW_PASSWORD = 'tidal-lantern-orbits-quietly';

/** Opens a link as a program does that scans mails, and then as the recipient does. */
async function open(link: string): Promise<void> {
  for (const method of ['HEAD', 'GET']) expect((await fetch(link, { method })).status).toBe(200);
  await page.goto(link);
  await page.getByRole('main').waitFor();
  await visit.checkNothingKept();
}

describe('the link of a mail that sets a new password', () => {
  it('works once, and is gone from the address when the page is loaded again', async () => {
    const { email } = await newWorkspace();
    await api('POST', '/api/auth/password-resets', { body: { email }, expect: 202 });
    const link = await linkTo(email, 'Set a new password');
    await open(link);
    await page.reload();
    await person.isAt('Open the link from the mail again');
    const token = new URL(link).hash.replace('#token=', '');
    await api('POST', '/api/auth/password-resets/complete', { body: { token, password: NEW_PASSWORD }, expect: 204 });
    // In the same tab, where the address is already that of the page.
    await page.goto(link);
    await page.getByLabel('New password').fill(`${NEW_PASSWORD}-again`);
    await person.press('Set the password');
    await person.isAt('This link does not work any more');
    await visit.checkAccessible('a link that is used');
  });
});

describe('the page', () => {
  it('speaks German to who reads German, and says so', async () => {
    const german = await Visit.begin(browser, { locale: 'de-AT' });
    await german.page.goto(`${addresses.baseUrl}/account`);
    await german.page.getByRole('heading', { name: 'Anmelden' }).waitFor();
    expect(await german.page.evaluate('document.documentElement.lang')).toBe('de');
    expect(await german.page.title()).toBe('Anmelden – CRM-Konto');
    await german.checkAccessible('sign-in in German');
    await german.end();
    await page.goto(`${addresses.baseUrl}/account/nowhere`);
    await page.getByText('This page does not exist').waitFor();
  });
});
