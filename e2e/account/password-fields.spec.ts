import { describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { addresses } from '../platform/addresses.js';
import { page, person } from './visiting.js';

/** Returns whether the page lets something be pasted into a field. */
async function takesPaste(field: Locator): Promise<boolean> {
  await field.focus();
  return page.evaluate<boolean>(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'from a password manager');
    const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    return document.activeElement.type === 'password' && document.activeElement.dispatchEvent(paste);
  })()`);
}

describe.each([
  ['signing in', '/account/sign-in', 'current-password'],
  ['a new password', '/password-reset#token=not-a-token', 'new-password'],
])('the password field of %s', (_, path, autocomplete) => {
  it('is masked, named for password managers, and takes what is pasted', async () => {
    await page.goto(addresses.baseUrl + path);
    const field = page.locator('input[type=password]').first();
    await field.waitFor();
    expect(await field.getAttribute('autocomplete')).toBe(autocomplete);
    expect(await takesPaste(field)).toBe(true);
  });
});

it('a password that is refused where nothing new is typed is not marked, so that the form says it', async () => {
  await page.goto(`${addresses.baseUrl}/account/sign-in`);
  await page.getByLabel('E-mail address').waitFor();
  const errors = [{ pointer: '/password', code: 'INVALID_VALUE', detail: 'Is too long' }];
  const json = { status: 400, code: 'VALIDATION_FAILED', errors };
  await page.route('**/api/auth/session', (route) => route.fulfill({ status: 400, json }));
  await person.givesPassword('ada@example.com');
  await page.getByRole('alert').getByText('Some values cannot be saved').waitFor();
});

it('a new password can be looked at, and is masked again', async () => {
  await page.goto(`${addresses.baseUrl}/password-reset#token=not-a-token`);
  const field = page.locator('input[autocomplete=new-password]').first();
  await field.fill('correct-horse-battery-staple');
  const toggle = page.locator('button[aria-pressed]').first();
  await toggle.click();
  expect(await field.getAttribute('type')).toBe('text');
  await toggle.click();
  expect(await field.getAttribute('type')).toBe('password');
});
