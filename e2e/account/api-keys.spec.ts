import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Account, api, newUser, newWorkspace, PASSWORD } from '../platform/accounts.js';
import { dead, forgetProofs, lookAfter } from './person.js';
import { page, person, visit } from './visiting.js';

let owner: Account;
beforeAll(async () => {
  owner = await newWorkspace();
});

describe('the API keys of someone', () => {
  it('are made with what they reach and when they end, shown once, and withdrawn within a second', async () => {
    const member = await newUser(owner, 'member');
    await lookAfter(person, member, 'API keys');
    await person.reads('You have no API key.');
    await person.press('Make an API key');
    await person.isAt('Make an API key');
    await page.getByLabel('Name').fill('Nightly import');
    await page.getByLabel('Ends after').selectOption('7 days');
    await person.press('Make the key');
    await person.reads('Choose something that the key reaches.');
    // Webhooks are for administrators, and a key never changes workflows.
    expect(await page.getByLabel('Webhooks').count()).toBe(0);
    expect(await page.getByLabel('Automations').locator('option').allTextContents()).toEqual(['Nothing', 'Reads only']);
    await page.getByLabel('Leads').selectOption('Reads only');
    await visit.checkAccessible('form of a key');
    await person.press('Make the key');
    await person.isAt('Keep your API key');
    const token = (await page.locator('code').textContent()) ?? '';
    expect(token).toMatch(/^crmk_[0-9A-Za-z]{44}_[0-9A-Za-z]{49}$/);
    await person.press('I have kept it');

    await person.isAt('API keys');
    const entry = page.locator('.entry').filter({ hasText: 'Nightly import' });
    await entry.getByText('View leads').waitFor();
    expect(await page.getByRole('main').textContent()).not.toContain(token);
    await visit.checkAccessible('keys');
    await visit.checkNothingKept();
    await api('GET', '/api/crm/leads', { token, expect: 200 });
    await api('POST', '/api/crm/leads', { token, body: { lastName: 'Lovelace' }, expect: 403 });
    const { body } = await api('GET', '/api/auth/api-keys', { token: member.token, expect: 200 });
    const life = Date.parse(body.data[0].expiresAt) - Date.parse(body.data[0].createdAt);
    expect(Math.round(life / 86_400_000)).toBe(7);

    await person.presses('Withdraw', 'Nightly import');
    await person.answers('Withdraw');
    await dead(token);
    await person.reads('The key does not work any more.');
  });

  it('are made only by who proves again who they are, once the sign-in is some time ago', async () => {
    await lookAfter(person, owner, 'API keys');
    await person.press('Make an API key');
    await page.getByLabel('Name').fill('Events');
    await page.getByLabel('Webhooks').selectOption('Reads and changes');
    await forgetProofs(owner);
    await person.press('Make the key');
    const dialog = page.getByRole('dialog', { name: 'Prove that it is you' });
    await dialog.getByLabel('Password').waitFor();
    await visit.checkAccessible('proof by the password');
    await person.answers('Cancel');
    expect(await page.getByLabel('Name').inputValue()).toBe('Events');
    expect((await api('GET', '/api/auth/api-keys', { token: owner.token, expect: 200 })).body.data).toEqual([]);

    await person.press('Make the key');
    await dialog.getByLabel('Password').fill('not the password');
    await person.answers('Continue');
    await person.reads('The password is wrong.');
    await dialog.getByLabel('Password').fill(PASSWORD);
    await person.answers('Continue');
    await person.isAt('Keep your API key');
  });
});
