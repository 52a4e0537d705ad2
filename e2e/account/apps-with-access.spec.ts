import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../embed/browser.mjs';
import { type Account, api, newWorkspace } from '../platform/accounts.js';
import { AskingApp } from './asking-app.js';
import { dead, lookAfter, Person } from './person.js';
import { Visit } from './visit.js';

let browser: Browser;
let account: Account;
let visit: Visit;
let person: Person;
beforeAll(async () => {
  [browser, account] = await Promise.all([startBrowser({}), newWorkspace()]);
});
afterAll(() => browser?.close());
beforeEach(async () => {
  visit = await Visit.begin(browser);
  person = new Person(visit.page);
});
afterEach(() => visit.end());

describe('the apps that act for somebody', () => {
  it('are none at first', async () => {
    await lookAfter(person, account, 'Apps with access');
    await person.reads('You have given no app access.');
  });

  it('are shown with what they may do, and lose their access within a second', async () => {
    const app = await AskingApp.installedBy(account);
    const { access_token: token, refresh_token } = await app.allowedBy(account);
    await api('GET', '/api/crm/leads', { token, expect: 200 });
    await lookAfter(person, account, 'Apps with access');
    const entry = visit.page.locator('.entry').filter({ hasText: 'Acme Tasks' });
    expect(await entry.getByRole('listitem').allTextContents()).toEqual([
      'See, add, change and delete records of your own lists',
      'See, add, change and delete tasks',
      'See your leads',
    ]);
    await visit.checkAccessible('an app');
    await person.presses('Withdraw the access', 'Acme Tasks');
    await visit.page.getByRole('dialog', { name: 'Withdraw the access of Acme Tasks?' }).waitFor();
    await person.answers('Withdraw the access');
    await dead(token);
    await person.reads('Acme Tasks has no access any more.');
    expect((await app.refresh(refresh_token)).status).toBe(400);
    await person.press('Back to the overview');
    await person.opens('Apps with access');
    await person.reads('You have given no app access.');
  });
});
