import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Account, api, newUser, newWorkspace } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { AskingApp } from './asking-app.js';
import { codeOf } from './authenticator.js';
import { withAuthenticator } from './person.js';
import { page, person, visit } from './visiting.js';

// The whole way of a user whom an app asks for access: the app, the platform and the page are the real ones. consent.spec.ts has
// what the page does with answers that are hard to bring about.
let owner: Account;
let app: AskingApp;
beforeAll(async () => {
  owner = await newWorkspace();
  app = await AskingApp.installedBy(owner);
});
beforeEach(async () => {
  await page.route(`${app.redirect}*`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>App</title><h1>The app</h1>' }),
  );
});

describe('an app that asks for access', () => {
  it('gets it from anyone who signs in with both factors and agrees: a code, a token, and what it asked for', async () => {
    const member = await newUser(owner, 'member');
    const { secret } = await withAuthenticator(member);
    await page.goto(app.authorizeUrl);
    await person.isAt('Sign in to decide');
    await person.givesPassword(member.email);
    await person.isAt('Enter your code');
    await page.getByLabel('Code of six digits').fill(codeOf(secret));
    await person.press('Continue');
    await person.isAt('Give Acme Tasks access?');
    expect(await page.getByRole('listitem').allTextContents()).toEqual([
      'View, create, edit, and delete records of custom objectsReads and changes · The app cannot work without it',
      'View, create, edit, and delete tasksReads and changes',
      'View leadsReads only',
    ]);
    await person.reads('you go to app.acme.example.com');
    await visit.checkNothingKept();
    await person.press('Give access');
    await person.isAt('The app');

    const { code, error, state, iss } = app.returned(page.url());
    expect([error, state, iss]).toEqual([null, app.state, addresses.baseUrl]);
    const { status, tokens } = await app.exchange(code ?? '');
    expect([status, tokens.scope]).toEqual([200, 'custom_objects tasks leads:read']);
    const token = tokens.access_token;
    await api('POST', '/api/crm/tasks', { token, body: { title: 'Call back' }, expect: 201 });
    await api('GET', '/api/crm/leads', { token, expect: 200 });
    await api('POST', '/api/crm/leads', { token, body: { lastName: 'Lovelace' }, expect: 403 });
    await api('GET', '/api/auth/sessions', { token, expect: 403 });
    // The code is spent, and anyone who presents it again ends what it was worth.
    expect((await app.exchange(code ?? '')).status).toBe(400);
  });

  it('gets less than it asked for from anyone who unticks something, and learns it from the token', async () => {
    const member = await newUser(owner, 'member');
    await page.goto(app.authorizeUrl);
    await person.givesPassword(member.email);
    await person.isAt('Give Acme Tasks access?');
    await page.getByLabel('View, create, edit, and delete tasks').uncheck();
    await person.press('Give access');
    await person.isAt('The app');
    const { code } = app.returned(page.url());
    const { status, tokens } = await app.exchange(code ?? '');
    expect([status, tokens.scope]).toEqual([200, 'custom_objects leads:read']);
    const token = tokens.access_token;
    await api('POST', '/api/crm/tasks', { token, body: { title: 'Call back' }, expect: 403 });
    await api('GET', '/api/crm/leads', { token, expect: 200 });
    const { body } = await api('GET', '/api/auth/oauth/grants', { token: member.token, expect: 200 });
    expect(body.data).toMatchObject([{ scopes: ['custom_objects', 'leads:read'], requiredScopes: ['custom_objects'] }]);
    expect((await app.refresh(tokens.refresh_token)).tokens.scope).toBe('custom_objects leads:read');
  });

  it('is told that it is denied, and gets nothing', async () => {
    const member = await newUser(owner, 'member');
    await page.goto(app.authorizeUrl);
    await person.givesPassword(member.email);
    await person.isAt('Give Acme Tasks access?');
    await person.press('Deny');
    await person.isAt('The app');
    const returned = { code: null, error: 'access_denied', state: app.state, iss: addresses.baseUrl };
    expect(app.returned(page.url())).toEqual(returned);
    const { body } = await api('GET', '/api/auth/oauth/grants', { token: member.token, expect: 200 });
    expect(body.data).toEqual([]);
  });

  it('learns nothing of someone in another workspace, who is told that the request is not theirs', async () => {
    const stranger = await newWorkspace();
    await page.goto(app.authorizeUrl);
    await person.givesPassword(stranger.email);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('button', { name: 'Give access' }).count()).toBe(0);
    await visit.checkAccessible('request for another workspace');
  });
});
