import { describe, expect, it } from '@jest/globals';
import { api, newWorkspace, PASSWORD } from '../platform/accounts.js';
import { mailTo } from '../platform/mails.js';
import { codeOf } from './authenticator.js';
import { forgetProofs, lookAfter } from './person.js';
import { qrText } from './qr-text.js';
import { page, person, visit } from './visiting.js';

describe('the second factor of an account', () => {
  it('is set up from a QR code, asked for before it is removed, and then comes by mail until that is turned off', async () => {
    const account = await newWorkspace();
    await lookAfter(person, account, 'Second factor');
    await person.reads('No second factor is asked for.');
    await person.press('Set up an authenticator app');
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    const secret = new URL(await qrText(page.getByRole('img'))).searchParams.get('secret') ?? '';
    expect(await page.locator('code').textContent()).toBe(secret);
    await page.getByLabel('Code of six digits').fill(codeOf(secret, -1));
    await person.press('Confirm');
    await person.isAt('Keep your recovery codes');
    const [recoveryCode = ''] = await page.getByRole('listitem').allTextContents();
    await person.press('I have kept them');
    await person.reads('A code of your authenticator app is asked for.');
    await person.reads('10 recovery codes are left.');
    await visit.checkAccessible('an authenticator');
    await visit.checkNothingKept();

    // Anyone who has found the open page a while later has the password at most.
    await forgetProofs(account);
    await person.press('Make new recovery codes');
    const dialog = page.getByRole('dialog', { name: 'Prove that it is you' });
    await dialog.getByLabel('Code of six digits').fill(codeOf(secret));
    await person.answers('Continue');
    await person.isAt('Keep your recovery codes');
    const [newCode = ''] = await page.getByRole('listitem').allTextContents();
    await person.press('I have kept them');

    await forgetProofs(account);
    await person.press('Remove the app');
    await person.answers('Remove the app');
    await dialog.getByRole('button', { name: 'Use a recovery code instead' }).click();
    await dialog.getByLabel('Recovery code').fill(recoveryCode);
    await person.answers('Continue');
    await person.reads('This code is wrong, was used, or comes too late.');
    await dialog.getByLabel('Recovery code').fill(newCode);
    await person.answers('Continue');
    await person.reads('The app is removed.');
    await person.reads('A code is sent to you by e-mail.');

    await forgetProofs(account);
    await person.press('Turn off codes by e-mail');
    await page.getByLabel('Password').fill(PASSWORD);
    await person.answers('Turn off codes by e-mail');
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByLabel('Code of six digits').waitFor();
    const { text } = await mailTo(account.email, 'Your sign-in code');
    await dialog.getByLabel('Code of six digits').fill(/\b\d{6}\b/.exec(text)?.[0] ?? '');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await person.reads('No second factor is asked for any more.');
    const { body } = await api('GET', '/api/auth/mfa', { token: account.token, expect: 200 });
    expect(body).toMatchObject({ enabled: false, authenticator: false });
  });
});
