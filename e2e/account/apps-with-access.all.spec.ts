import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Account, api, newWorkspace } from '../platform/accounts.js';
import { AskingApp } from './asking-app.js';
import { dead, lookAfter } from './person.js';
import { page, person, visit } from './visiting.js';

let account: Account;
beforeAll(async () => {
  account = await newWorkspace();
});

describe('the apps that act for someone', () => {
  it('are none at first', async () => {
    await lookAfter(person, account, 'Apps with access');
    await person.reads('You have given no app access.');
  });

  it('lose what someone takes away within a second, and go on with the rest', async () => {
    const owner = await newWorkspace();
    const app = await AskingApp.installedBy(owner);
    const { access_token: token, refresh_token } = await app.allowedBy(owner);
    await api('GET', '/api/crm/leads', { token, expect: 200 });
    await lookAfter(person, owner, 'Apps with access');
    await person.presses('Take something away', 'Acme Tasks');
    const dialog = page.getByRole('dialog', { name: 'What may Acme Tasks still do?' });
    await dialog.waitFor();
    expect(await dialog.getByLabel('records of custom objects').isDisabled()).toBe(true);
    await visit.checkAccessible('what an app keeps');
    await person.answers('Take it away');
    await dialog.getByRole('alert').waitFor();
    await api('GET', '/api/crm/leads', { token, expect: 200 });

    await dialog.getByLabel('View, create, edit, and delete tasks').uncheck();
    await person.answers('Take it away');
    await person.reads('Acme Tasks can do less now.');
    await dead(token);
    const words = () => page.locator('.entry').getByRole('listitem').allTextContents();
    expect(await words()).toEqual([
      'View, create, edit, and delete records of custom objects',
      'View, create, edit, and delete tasks (taken away)',
      'View leads',
    ]);
    await visit.checkAccessible('an app that has lost something');
    const { tokens } = await app.refresh(refresh_token);
    expect(tokens.scope).toBe('custom_objects leads:read');
    await api('GET', '/api/crm/leads', { token: tokens.access_token, expect: 200 });
    await api('GET', '/api/crm/tasks', { token: tokens.access_token, expect: 403 });

    await person.presses('Take something away', 'Acme Tasks');
    await dialog.getByLabel('View leads').uncheck();
    await person.answers('Take it away');
    // Nothing is left that it could lose: only all of it can be withdrawn.
    const least = page.getByRole('button', { name: 'Take something away: Acme Tasks' });
    await page.locator('[aria-disabled="true"]').waitFor();
    await dead(tokens.access_token);
    const focused = await page.evaluate('document.activeElement?.getAttribute("aria-label")');
    expect(focused).toBe('Take something away: Acme Tasks');
    await person.press('Back to the overview');
    await person.opens('Apps with access');
    await person.reads('Acme Tasks');
    expect(await words()).toEqual(['View, create, edit, and delete records of custom objects']);
    expect(await least.count()).toBe(0);
  });

  it('are shown with what they may do, and lose their access within a second', async () => {
    const app = await AskingApp.installedBy(account);
    const { access_token: token, refresh_token } = await app.allowedBy(account);
    await api('GET', '/api/crm/leads', { token, expect: 200 });
    await lookAfter(person, account, 'Apps with access');
    const entry = page.locator('.entry').filter({ hasText: 'Acme Tasks' });
    await entry.waitFor();
    expect(await entry.getByRole('listitem').allTextContents()).toEqual([
      'View, create, edit, and delete records of custom objects',
      'View, create, edit, and delete tasks',
      'View leads',
    ]);
    await visit.checkAccessible('an app');
    await person.presses('Withdraw the access', 'Acme Tasks');
    await page.getByRole('dialog', { name: 'Withdraw the access of Acme Tasks?' }).waitFor();
    await person.answers('Withdraw the access');
    await dead(token);
    await person.reads('Acme Tasks has no access any more.');
    expect((await app.refresh(refresh_token)).status).toBe(400);
    await person.press('Back to the overview');
    await person.opens('Apps with access');
    await person.reads('You have given no app access.');
  });
});
