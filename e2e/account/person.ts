import type { Page } from 'playwright-core';
import { type Account, api, PASSWORD } from '../platform/accounts.js';
import { codeOf } from './authenticator.js';

/** What somebody does on the page, in its words. */
export class Person {
  constructor(readonly page: Page) {}

  press(name: string): Promise<void> {
    return this.page.getByRole('button', { name, exact: true }).click();
  }

  isAt(heading: string): Promise<void> {
    return this.page.getByRole('heading', { name: heading }).waitFor();
  }

  reads(text: string): Promise<void> {
    return this.page.getByText(text, { exact: false }).first().waitFor();
  }

  async givesPassword(email: string, password = PASSWORD): Promise<void> {
    await this.page.getByLabel('E-mail address').fill(email);
    await this.page.getByLabel('Password', { exact: true }).fill(password);
    await this.press('Sign in');
  }
}

/** Gives an account an authenticator, as its owner does in the API. */
export async function withAuthenticator({ token }: Account): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { body } = await api('POST', '/api/auth/mfa/authenticator', { token, expect: 201 });
  // The code of the step before, so that the present one can still be used: each is accepted once.
  const confirm = { token, body: { code: codeOf(body.secret, -1) }, expect: 200 };
  const confirmed = await api('POST', '/api/auth/mfa/authenticator/confirm', confirm);
  return { secret: body.secret, recoveryCodes: confirmed.body.recoveryCodes };
}
