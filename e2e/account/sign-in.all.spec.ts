import { describe, expect, it } from '@jest/globals';
import { api, newUser, newWorkspace } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { codeOf } from './authenticator.js';
import { dead, withAuthenticator } from './person.js';
import { qrText } from './qr-text.js';
import { page, person, visit } from './visiting.js';

async function fillIn(email: string): Promise<void> {
  await page.goto(`${addresses.baseUrl}/account/sign-in`);
  await person.givesPassword(email);
}
const isIn = (at = page) => at.locator('header [aria-haspopup="menu"]').waitFor();

describe('signing in with a password', () => {
  it('lasts over a reload and in other windows, and is over in all of them when one signs out', async () => {
    const account = await newWorkspace();
    await fillIn(account.email);
    await isIn();
    await page.reload();
    await isIn();
    const other = await visit.context.newPage();
    await other.goto(addresses.baseUrl);
    await isIn(other);
    const { accessToken } = (await (
      await other.evaluateHandle(`fetch('/api/auth/session/refresh', { method: 'POST', body: '{}',
        headers: { 'content-type': 'application/json', 'x-requested-with': 'crm-page' } }).then((answer) => answer.json())`)
    ).jsonValue()) as { accessToken: string };

    await person.signsOut();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await dead(accessToken);
    await page.reload();
    await person.isAt('Sign in');
    await other.close();
  });
});

describe('a second factor', () => {
  it('of an authenticator app is its code, also typed in two groups, or a recovery code', async () => {
    const account = await newWorkspace();
    const { secret, recoveryCodes } = await withAuthenticator(account);
    await fillIn(account.email);
    await person.isAt('Enter your code');
    const code = codeOf(secret);
    await page.getByLabel('Code of six digits').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
    await person.press('Continue');
    await isIn();
    await person.signsOut();

    await fillIn(account.email);
    await person.press('Use a recovery code instead');
    await visit.checkAccessible('recovery code');
    await page.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '');
    await person.press('Continue');
    await isIn();
  });

  it('that a workspace requires is set up within the sign-in, from a QR code that can be read', async () => {
    const owner = await newWorkspace();
    const member = await newUser(owner, 'member');
    const policy = { token: owner.token, body: { secondFactor: 'required' } };
    expect((await api('PUT', '/api/tenant/sign-in-policy', policy)).status).toBeLessThan(300);
    await fillIn(member.email);
    await person.isAt('Set up a second factor');
    await visit.checkAccessible('enrolment');
    await person.press('Set up the app');
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    await visit.checkAccessible('QR code');
    const uri = new URL(await qrText(page.getByRole('img')));
    const secret = (await page.locator('code').textContent()) ?? '';
    expect([uri.protocol, uri.searchParams.get('secret')]).toEqual(['otpauth:', secret]);
    await page.getByLabel('Code of six digits').fill(codeOf(secret));
    await person.press('Confirm');
    await person.isAt('Keep your recovery codes');
    expect(await page.getByRole('listitem').count()).toBe(10);
    await visit.checkAccessible('recovery codes');
    await person.press('I have kept them');
    await isIn();
    await visit.checkNothingKept();
  });
});
