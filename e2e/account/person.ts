import type { Page } from 'playwright-core';
import { eventually } from '../../scripts/demo/client.mjs';
import { type Account, api, PASSWORD } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { inIdentity } from '../platform/identity-database.js';
import { codeOf } from './authenticator.js';

/** What someone does on the page, in its words. */
export class Person {
  constructor(readonly page: Page) {}

  press(name: string): Promise<void> {
    return this.page.getByRole('button', { name, exact: true }).click();
  }

  isAt(heading: string): Promise<void> {
    return this.page.getByRole('heading', { name: heading }).waitFor();
  }

  /** Waits for the frame of the workspace, and reads in its menu who is signed in. */
  async isIn(email: string): Promise<void> {
    await this.opensMenu();
    await this.page.getByRole('menu').getByText(email).waitFor();
    await this.page.keyboard.press('Escape');
    await this.page.getByRole('menu').waitFor({ state: 'detached' });
  }

  /** The menu of the signed-in user; there is none before. */
  opensMenu(): Promise<void> {
    return this.page.locator('header [aria-haspopup="menu"]').click();
  }

  async signsOut(): Promise<void> {
    await this.opensMenu();
    await this.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await this.isAt('Sign in');
  }

  /** Opens a topic of the overview. */
  async opens(topic: string): Promise<void> {
    await this.page.getByRole('button', { name: new RegExp(`^${topic}`) }).click();
    await this.isAt(topic);
  }

  /** Presses what is below the name of an entry of a list. */
  presses(act: string, entry: string): Promise<void> {
    return this.page.getByRole('button', { name: `${act}: ${entry}` }).click();
  }

  /** Presses a button of the question in front of the page. */
  answers(name: string): Promise<void> {
    return this.page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
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

/** Signs in on the page where people look after their account, and opens one of its topics. */
export async function lookAfter(
  person: Person,
  { email }: Account,
  topic: string,
  base = addresses.baseUrl,
): Promise<void> {
  await person.page.goto(`${base}/account/security`);
  await person.isAt('Sign in');
  await person.givesPassword(email);
  await person.isAt('Security of your account');
  await person.opens(topic);
}

/** Makes as much time pass as a proof lasts, in every session of the account. */
export async function forgetProofs({ userId }: Account): Promise<void> {
  await inIdentity("UPDATE session SET proven_at = now() - interval '2 days' WHERE user_id = $1", [userId]);
}

/** Waits until a token is refused, which takes a second at most. */
export const dead = (token: string): Promise<boolean> =>
  eventually(async () => (await api('GET', '/api/crm/leads', { token })).status === 401, 'the end of a token', 1_000);

/** Gives an account an authenticator, as its owner does in the API. */
export async function withAuthenticator({ token }: Account): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { body } = await api('POST', '/api/auth/mfa/authenticator', { token, expect: 201 });
  // The code of the step before, so that the present one can still be used: each is accepted once.
  const confirm = { token, body: { code: codeOf(body.secret, -1) }, expect: 200 };
  const confirmed = await api('POST', '/api/auth/mfa/authenticator/confirm', confirm);
  return { secret: body.secret, recoveryCodes: confirmed.body.recoveryCodes };
}
