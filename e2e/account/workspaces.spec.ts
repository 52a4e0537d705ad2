import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Account, api, newWorkspace } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { linkTo } from '../platform/mails.js';
import { lookAfter, Person } from './person.js';
import { Visit } from './visit.js';
import { browser, page, person, visit } from './visiting.js';

/** A workspace whose name no other has. */
async function named(name: string): Promise<Account & { readonly name: string }> {
  const owner = await newWorkspace();
  const unique = `${name} ${randomBytes(3).toString('hex')}`;
  await api('PATCH', '/api/tenant', { token: owner.token, body: { name: unique }, expect: 200 });
  return { ...owner, name: unique };
}

const workspaceShown = (name: string) => page.locator('header').getByText(name, { exact: true }).waitFor();
const entry = (name: string) => page.getByRole('listitem').filter({ hasText: name });

describe('a person with an account', () => {
  it('is invited on the page of another workspace, joins without a new password, and switches in the menu', async () => {
    const [host, guest] = await Promise.all([named('Host'), named('Guest')]);
    await visit.signIn(host);
    await page.goto(`${addresses.baseUrl}/settings/people`);
    await person.press('Invite somebody');
    await page.getByLabel('E-mail address').fill(guest.email);
    await page.getByLabel('Name', { exact: true }).fill('Somebody invited');
    await visit.checkAccessible('an invitation');
    await person.press('Send the invitation');
    await entry('Somebody invited').getByText('invited', { exact: true }).waitFor();
    await visit.checkAccessible('people with an invited one');

    const other = await Visit.begin(browser);
    const invited = new Person(other.page);
    await other.page.goto(await linkTo(guest.email, 'Invitation'));
    await invited.reads(`To the workspace ${host.name}, as ${guest.email}`);
    expect(await other.page.getByLabel('New password').count()).toBe(0);
    await other.checkAccessible('invitation of a person');
    await invited.press('Accept');
    await invited.isAt('Welcome');
    await other.end();

    await visit.context.clearCookies();
    await lookAfter(person, guest, 'Workspaces');
    await entry(host.name).waitFor();
    await entry(guest.name).getByText('you are here').waitFor();
    await visit.checkAccessible('workspaces');
    await person.opensMenu();
    await page.getByRole('menuitem', { name: `Switch to ${host.name}` }).click();
    await workspaceShown(host.name);
    await person.opensMenu();
    await page.getByRole('menuitem', { name: `Switch to ${guest.name}` }).waitFor();
    await visit.checkAccessible('menu of a person of two workspaces');
  });
});
