import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Account, api, newWorkspace, PASSWORD } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { linkTo } from '../platform/mails.js';
import { dead, lookAfter, withAuthenticator } from './person.js';
import { page, person, visit } from './visiting.js';

const OWN_PASSWORD = 'tidal-lantern-orbits-quietly';

/** A workspace whose name no other has. */
async function named(name: string): Promise<Account & { readonly name: string }> {
  const owner = await newWorkspace();
  const unique = `${name} ${randomBytes(3).toString('hex')}`;
  await api('PATCH', '/api/tenant', { token: owner.token, body: { name: unique }, expect: 200 });
  return { ...owner, name: unique };
}

/** Has someone added by an administrator, with a password that the administrator knows. */
const addsUser = async ({ token }: Account, { email }: Account, password = OWN_PASSWORD): Promise<string> =>
  (
    await api('POST', '/api/tenant/users', {
      token,
      body: { email, name: 'Guest', password, roles: ['member'] },
      expect: 201,
    })
  ).body.id;

const workspaceShown = (name: string) => page.locator('header').getByText(name, { exact: true }).waitFor();
const entry = (name: string) => page.getByRole('listitem').filter({ hasText: name });

/** Makes someone a member of another workspace, by the link of the invitation. */
async function joins(guest: Account, { token }: Account): Promise<string> {
  const body = { email: guest.email, name: 'Guest', roles: ['member'] };
  const { id } = (await api('POST', '/api/tenant/users', { token, body, expect: 201 })).body;
  const link = new URL(await linkTo(guest.email, 'Invitation'));
  await api('POST', '/api/auth/invitations/accept', {
    body: { token: link.hash.replace('#token=', '') },
    expect: 204,
  });
  return id;
}

describe('a person with an account', () => {
  it('gives the code of the second factor that they have in the other workspace', async () => {
    const [host, guest] = await Promise.all([named('Host'), named('Guest')]);
    const userId = await joins(guest, host);
    const { accessToken: token } = (
      await api('POST', '/api/auth/switch', {
        token: guest.token,
        body: { tenantId: host.tenantId },
        expect: 200,
      })
    ).body;
    const { recoveryCodes } = await withAuthenticator({ ...guest, tenantId: host.tenantId, userId, token });
    await api('POST', '/api/auth/switch', { token, body: { tenantId: guest.tenantId }, expect: 200 });
    await lookAfter(person, guest, 'Workspaces');
    await person.presses('Switch to it', host.name);
    await page.getByRole('dialog').waitFor();
    await visit.checkAccessible('second factor of another workspace');
    await person.press('Use a recovery code instead');
    await page.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '');
    await person.press('Continue');
    await workspaceShown(host.name);
  });

  it('leaves the workspace that they are in, and not one whose only owner they are', async () => {
    const [host, guest] = await Promise.all([named('Host'), named('Guest')]);
    await joins(guest, host);
    await lookAfter(person, guest, 'Workspaces');
    await person.presses('Leave it', guest.name);
    await person.answers('Leave it');
    await person.reads('You are its only owner.');
    await person.answers('Cancel');
    await person.reads('To leave one, switch to it first.');
    expect(await entry(host.name).getByRole('button', { name: 'Leave it' }).count()).toBe(0);
    await person.presses('Switch to it', host.name);
    await workspaceShown(host.name);
    await page.goto(`${addresses.baseUrl}/account/security`);
    await person.opens('Workspaces');
    await person.presses('Leave it', host.name);
    await person.answers('Leave it');
    await person.isAt('Sign in');
    const { data } = (await api('GET', '/api/auth/workspaces', { token: guest.token, expect: 200 })).body;
    expect(data.map(({ tenantId }: Account) => tenantId)).toEqual([guest.tenantId]);
  });

  it('accepts what others have made with their address, which shuts those out, or declines it', async () => {
    const [mine, taken, unwanted] = await Promise.all([named('Mine'), named('Taken'), named('Unwanted')]);
    await addsUser(taken, mine);
    await addsUser(unwanted, mine);
    const workspace = taken.tenantId;
    const known = { email: mine.email, password: OWN_PASSWORD, workspace };
    const { accessToken } = (await api('POST', '/api/auth/login', { body: known, expect: 200 })).body;
    await lookAfter(person, mine, 'Workspaces');
    await entry(unwanted.name).waitFor();
    await person.presses('Decline', unwanted.name);
    await person.answers('Decline');
    await entry(unwanted.name).getByText('Declined', { exact: true }).waitFor();
    await person.presses('Accept', taken.name);
    await visit.checkAccessible('an offer');
    await person.answers('Accept');
    await entry(taken.name).getByText('Accepted', { exact: true }).waitFor();
    await dead(accessToken);
    await api('POST', '/api/auth/login', { body: known, expect: 401 });
    await api('POST', '/api/auth/login', { body: { ...known, password: PASSWORD }, expect: 200 });
    await api('POST', '/api/auth/login', { body: { ...known, workspace: unwanted.tenantId }, expect: 200 });
  });
});

describe('an administrator on the page', () => {
  it('resets the second factor of a member and removes them', async () => {
    const [host, guest] = await Promise.all([named('Host'), named('Guest')]);
    await joins(guest, host);
    const { accessToken: token } = (
      await api('POST', '/api/auth/switch', { token: guest.token, body: { tenantId: host.tenantId }, expect: 200 })
    ).body;
    await withAuthenticator({ ...guest, token });
    await visit.signIn(host);
    await page.goto(`${addresses.baseUrl}/settings/people`);
    const more = page.getByRole('button', { name: 'More for Guest' });
    await more.click();
    await page.getByRole('menuitem', { name: 'Reset the second factor' }).click();
    await person.answers('Reset the second factor');
    await person.reads('signs in without a second factor now');
    await dead(token);
    await more.click();
    await page.getByRole('menuitem', { name: 'Remove from the workspace' }).click();
    await visit.checkAccessible('removing somebody');
    await person.answers('Remove from the workspace');
    await person.reads('is removed');
    const { data } = (await api('GET', '/api/auth/workspaces', { token: guest.token, expect: 200 })).body;
    expect(data).toHaveLength(1);
  });
});
