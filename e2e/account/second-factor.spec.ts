import { describe, it } from '@jest/globals';
import { api, newWorkspace, PASSWORD } from '../platform/accounts.js';
import { codeOf } from './authenticator.js';
import { dead, lookAfter } from './person.js';
import { qrText } from './qr-text.js';
import { page, person, visit } from './visiting.js';

const NEW_PASSWORD = 'tidal-lantern-orbits-quietly';

describe('the second factor of an account', () => {
  it('is set up from a QR code, and gives recovery codes', async () => {
    const account = await newWorkspace();
    await lookAfter(person, account, 'Second factor');
    await person.press('Set up an authenticator app');
    const secret = new URL(await qrText(page.getByRole('img'))).searchParams.get('secret') ?? '';
    await page.getByLabel('Code of six digits').fill(codeOf(secret, -1));
    await person.press('Confirm');
    await person.isAt('Keep your recovery codes');
    await person.press('I have kept them');
    await person.reads('A code of your authenticator app is asked for.');
    await visit.checkNothingKept();
  });
});

describe('the password of an account', () => {
  it('is changed with the present one, which ends all other sessions', async () => {
    const account = await newWorkspace();
    await lookAfter(person, account, 'Password');
    const change = async (current: string, next: string): Promise<void> => {
      await page.getByLabel('Present password').fill(current);
      await page.getByLabel('New password').fill(next);
      await person.press('Change the password');
    };
    await change('not the password', NEW_PASSWORD);
    await person.reads('The present password is wrong.');
    await change(PASSWORD, 'password1234');
    await person.reads('among the first that an attacker tries');
    await visit.checkAccessible('refused change of the password');
    await change(PASSWORD, NEW_PASSWORD);
    await person.isAt('Your password is changed');
    await dead(account.token);
    await visit.checkNothingKept();
    await api('POST', '/api/auth/login', { body: { email: account.email, password: PASSWORD }, expect: 401 });
    await person.press('Back to the overview');
    await person.reads(`Signed in as ${account.email}.`);
  });
});
