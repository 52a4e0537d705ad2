import { describe, expect, it } from '@jest/globals';
import { api, newWorkspace } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { linkTo } from '../platform/mails.js';
import { Person } from './person.js';
import { Visit } from './visit.js';
import { browser, page, person, visit } from './visiting.js';

const PAGE = `${addresses.baseUrl}/account`;
const NEW_PASSWORD = 'tidal-lantern-orbits-quietly';
/** Wrong passwords of an account from one address, after which it is slowed. */
const GUESSES = 10;

/** Someone guesses at the password until even the right one is refused. */
async function slow(email: string): Promise<void> {
  const login = (password: string) => api('POST', '/api/auth/login', { body: { email, password } });
  for (let count = 0; count < GUESSES; count += 1) expect((await login('not-the-password')).status).toBe(401);
  expect((await login('not-the-password')).status).toBe(429);
}

describe('an account that someone guesses at', () => {
  it('lets its owner in from the browser that has signed in before, and makes others wait', async () => {
    const { email } = await newWorkspace();
    await page.goto(PAGE);
    await person.givesPassword(email);
    await person.isIn(email);
    await visit.checkNothingKept();
    await slow(email);
    await person.signsOut();
    await person.givesPassword(email);
    await person.isIn(email);

    // Later: the browser is known, by whatever spelling of the address.
    await person.signsOut();
    await person.givesPassword(email.toUpperCase());
    await person.isIn(email);
    await visit.checkNothingKept();

    const other = await Visit.begin(browser);
    const stranger = new Person(other.page);
    await other.page.goto(PAGE);
    await stranger.givesPassword(email);
    await stranger.reads('Too many attempts');
    await stranger.reads('Try again in');
    await other.end();
  });

  it('lets its owner in from a new browser with a new password by mail', async () => {
    const { email } = await newWorkspace();
    await slow(email);
    await api('POST', '/api/auth/password-resets', { body: { email }, expect: 202 });
    await page.goto(await linkTo(email, 'Set a new password'));
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await person.press('Set the password');
    await person.isAt('Your new password is set');
    await visit.checkNothingKept();
    await page.getByRole('link', { name: 'Go to the sign-in' }).click();
    await person.givesPassword(email, NEW_PASSWORD);
    await person.isIn(email);
    await visit.checkNothingKept();
  });
});
