import { randomBytes } from 'node:crypto';
import { mintEmbedToken } from '@crm/sdk/embed/server';
import { describe, expect, it } from '@jest/globals';
import { client } from '../../scripts/demo/client.mjs';
import { newPublisher } from '../embed/publisher.mjs';
import { api, newUser, newWorkspace, PASSWORD, signIn } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { linkTo, mailTo } from '../platform/mails.js';
import { page, person, visit } from './visiting.js';

const NEW_PASSWORD = 'tidal-lantern-orbits-quietly';
const newEmail = (name: string) => `${name}-${randomBytes(5).toString('hex')}@example.test`;

/** Opens a link as a program does that scans mails, and then as the recipient does. */
async function open(link: string): Promise<void> {
  for (const method of ['HEAD', 'GET']) expect((await fetch(link, { method })).status).toBe(200);
  await page.goto(link);
  await page.getByRole('main').waitFor();
  await visit.checkNothingKept();
}

describe('the link of a mail that sets a new password', () => {
  it('is asked for and used on the page, which says in words why a password is refused', async () => {
    const { email } = await newWorkspace();
    await page.goto(`${addresses.baseUrl}/account/sign-in`);
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await person.isAt('Forgot your password?');
    await visit.checkAccessible('forgotten password');
    await page.getByLabel('E-mail address').fill(email);
    await person.press('Send the link');
    await person.isAt('Look into your mailbox');

    await open(await linkTo(email, 'Set a new password'));
    await page.getByLabel('New password').fill('password1234');
    await person.press('Set the password');
    await person.reads('among the first that an attacker tries');
    await visit.checkAccessible('new password, refused');
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await person.press('Set the password');
    await person.isAt('Your new password is set');
    await visit.checkNothingKept();

    await api('POST', '/api/auth/login', { body: { email, password: PASSWORD }, expect: 401 });
    await page.getByRole('link', { name: 'Go to the sign-in' }).click();
    await person.givesPassword(email, NEW_PASSWORD);
    await page.locator('header [aria-haspopup="menu"]').waitFor();
  });
});

describe('an invitation', () => {
  it('is accepted with a password of one’s own', async () => {
    const owner = await newWorkspace();
    const email = newEmail('invited');
    const body = { email, name: 'Invited', roles: ['member'] };
    await api('POST', '/api/tenant/users', { token: owner.token, body, expect: 201 });
    await open(await linkTo(email, 'Invitation'));
    await page.getByLabel('New password').fill('short');
    await person.press('Accept');
    // The browser holds it back: nothing was sent.
    expect(await page.getByLabel('New password').evaluate((input) => input.matches(':invalid'))).toBe(true);
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await visit.checkAccessible('invitation');
    await person.press('Accept');
    await person.isAt('Welcome');
    expect(await signIn(email, NEW_PASSWORD)).toMatch(/^ey/);
  });
});

describe('the link that verifies an address', () => {
  /** Registers as from elsewhere: from this machine an address counts as verified in the development profile. */
  const register = async (email: string): Promise<void> => {
    const identity = client(addresses.services.identity?.url ?? '');
    const { body } = await identity('POST', '/api/auth/register', {
      body: { email, password: PASSWORD, name: 'Owner', workspace: { name: 'Workspace' } },
      headers: { 'x-forwarded-for': `203.0.113.${randomBytes(1)[0]}` },
      expect: 201,
    });
    expect(body.tenant.verified).toBe(false);
  };

  it('needs the account that registered, and is replaced by another mail when it does not belong to it', async () => {
    const [email, other] = [newEmail('registered'), newEmail('registered')];
    await register(email);
    await register(other);
    await open(await linkTo(other, 'Verify your email address'));
    await person.givesPassword(email);
    await page.getByText(`Signed in as ${email}.`).waitFor();
    await person.press('Verify this address');
    await person.reads('This link does not work for the account.');
    await visit.checkAccessible('verification, refused');
    await person.press('Send another mail');
    await person.reads('A new mail is on its way.');
    await person.press('Use another account');
    await person.givesPassword(other);
    await page.getByText(`Signed in as ${other}.`).waitFor();
    await person.press('Verify this address');
    await person.isAt('Your address is verified');
    await visit.checkNothingKept();
    const { body } = await api('GET', '/api/auth/me', { token: await signIn(other), expect: 200 });
    expect(body.tenant.verified).toBe(true);
  });
});

describe('the links of a change of address', () => {
  it('confirm it, and undo it from the old address', async () => {
    const { email, token } = await newWorkspace();
    const changed = newEmail('changed');
    const body = { email: changed, password: PASSWORD };
    await api('POST', '/api/auth/email-change', { token, body, expect: 202 });
    await open(await linkTo(changed, 'Confirm your new email address'));
    await visit.checkAccessible('confirmation');
    await person.press('Confirm the address');
    await person.isAt('Your new address is confirmed');
    await signIn(changed);

    await open(await linkTo(email, 'The email address of your account was changed'));
    await person.isAt('Take back your e-mail address');
    await person.press('Undo the change');
    await person.isAt('The change is undone');
    await visit.checkNothingKept();
    await api('POST', '/api/auth/login', { body: { email: changed, password: PASSWORD }, expect: 401 });
    await open(await linkTo(email, 'Set a new password'));
    await person.isAt('Set a new password');
  });
});

describe('the link that undoes what a host said', () => {
  it('ends the connection of its user with the account', async () => {
    const publisher = await newPublisher(addresses, ['https://host.example.com']);
    const owner = { email: '', token: publisher.token, tenantId: publisher.tenantId, userId: '' };
    const { email } = await newUser(owner, 'member');
    const mint = () =>
      mintEmbedToken({
        embedUrl: addresses.embedApiUrl,
        credentials: publisher.credentials,
        user: { sub: email, email, name: 'Member' },
      });
    await mint();
    await open(await linkTo(email, 'The app'));
    await visit.checkAccessible('the end of a connection');
    expect(await mint()).toBeDefined();
    await person.press('End the connection');
    await person.isAt('The connection is ended');
    await expect(mint()).rejects.toMatchObject({ code: expect.stringMatching(/^EMBED_/) });
    expect((await mailTo(email, 'The app')).text).toContain('/undo-link#token=');
  });
});
