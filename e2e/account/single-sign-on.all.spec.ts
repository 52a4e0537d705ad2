import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { api } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { AskingApp } from './asking-app.js';
import { newProvenWorkspace, type ProvenWorkspace } from './proven-workspace.js';
import { TestProvider } from './provider.js';
import { page, person, visit } from './visiting.js';

// Browser, platform and provider are the real ones; other-ways-in.spec.ts has what the page does with answers that are hard to
// bring about.
let provider: TestProvider;
let workspace: ProvenWorkspace;
beforeAll(async () => {
  provider = await TestProvider.start((login) =>
    login.includes('@') ? login : `${login.replace(/^new-/, '')}@${workspace.domain}`,
  );
  workspace = await newProvenWorkspace(provider);
});
afterAll(() => provider?.close());

/** Signs in at the provider, on its own pages. @param login whom the provider takes someone for */
async function atProvider(login: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(`anybody@${workspace.domain}`);
  await person.press('Continue with Example ID');
  await page.waitForURL(`${provider.issuer}/**`);
  await page.getByPlaceholder('Enter any login').fill(login);
  await page.getByPlaceholder('and password').fill('a password that only the provider knows');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** The one-time code in the address that the browser is sent back to. */
async function codeOfReturn(act: () => Promise<void>): Promise<string> {
  const callback = page.waitForResponse((answer) => new URL(answer.url()).pathname.endsWith('/callback'));
  await act();
  const location = (await (await callback).allHeaders()).location ?? '';
  return new URLSearchParams(new URL(location).hash.slice(1)).get('code') ?? '';
}

describe('signing in at the identity provider of a workspace', () => {
  it('leads through its pages into the workspace, with a code that works once', async () => {
    await page.goto(`${addresses.baseUrl}/account`);
    await page.getByLabel('E-mail address').fill(`grace@${workspace.domain}`);
    await page.getByRole('button', { name: 'Continue with Example ID' }).waitFor();
    await visit.checkAccessible('provider');
    const code = await codeOfReturn(() => atProvider('grace'));
    await person.isIn(`grace@${workspace.domain}`);
    await person.reads('Grace Hopper');
    await visit.checkNothingKept();

    expect(code).not.toBe('');
    const again = await page.evaluate(
      `fetch('/api/auth/oidc/exchange', {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code: ${JSON.stringify(code)} }),
      }).then(({ status }) => status)`,
    );
    expect(again).toBe(410);
    const { body } = await api('GET', '/api/tenant/users', { token: workspace.owner.token, expect: 200 });
    const users: { email: string; roles: string[] }[] = body.data;
    expect(users.find(({ email }) => email === `grace@${workspace.domain}`)?.roles).toEqual(['member']);
  });

  it('is explained when the provider takes someone for a person of another domain', async () => {
    await page.goto(`${addresses.baseUrl}/account`);
    await atProvider('stranger@elsewhere.example.com');
    await person.isAt('The sign-in did not succeed');
    await person.reads('Your e-mail address does not belong to a domain of the workspace.');
    await visit.checkAccessible('refused by the domain');
    await visit.checkNothingKept();
  });

  it('waits for an owner when the provider has given the address to someone else', async () => {
    await page.goto(`${addresses.baseUrl}/account`);
    await atProvider('paul');
    await person.isIn(`paul@${workspace.domain}`);
    await person.signsOut();
    // Another browser, which the provider does not know.
    await page.context().clearCookies();
    await page.goto(`${addresses.baseUrl}/account`);
    await atProvider('new-paul');
    await person.isAt('The sign-in did not succeed');
    await person.reads('asked its owner to let you in.');

    await page.goto(`${addresses.baseUrl}/settings/people`);
    await person.givesPassword(workspace.owner.email);
    await person.isAt('Waiting for your decision');
    await visit.checkAccessible('a link that waits for an owner');
    await person.press('Same person…');
    await person.answers('Same person');
    await person.reads('They now sign in as Grace Hopper');
    await person.signsOut();

    await page.context().clearCookies();
    await page.goto(`${addresses.baseUrl}/account`);
    await atProvider('new-paul');
    await person.isIn(`paul@${workspace.domain}`);
  });

  it('leads back to the app that has asked for access', async () => {
    const app = await AskingApp.installedBy(workspace.owner);
    await page.goto(app.authorizeUrl);
    await person.isAt('Sign in to decide');
    await atProvider('ada');
    await person.isAt('Give Acme Tasks access?');
    await person.reads(`Signed in as ada@${workspace.domain}.`);
    await visit.checkNothingKept();
  });
});
