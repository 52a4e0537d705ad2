import { beforeEach, describe, expect, it } from '@jest/globals';
import { newWorkspace, PASSWORD } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { type Answers, answerCalls, type Calls } from './stand-in.js';
import { page, person, visit } from './visiting.js';

const ASKED = {
  id: 'request-1',
  app: { key: 'acme-sync', name: 'Acme Sync', publisher: 'Acme GmbH' },
  tenant: { id: '0199aa00-0000-7000-8000-000000000001', name: 'Globex' },
  scopes: [
    { name: 'tasks:read', description: 'See tasks', writes: false },
    { name: 'leads', description: 'View, create, edit, and delete leads', writes: true },
    { name: 'forecasts', description: 'View, create, edit, and delete forecasts', writes: true },
  ],
  accessPeriod: { maxSeconds: 90 * 86_400, idleSeconds: 14 * 86_400 },
  redirectHost: 'sync.acme.test',
  expiresAt: '2030-01-01T00:00:00Z',
};
const READ = 'GET /api/auth/oauth/requests/request-1';
const DECIDE = 'POST /api/auth/oauth/requests/request-1/decision';
const PAGE = `${addresses.baseUrl}/account/authorize?request=request-1`;

let calls: Calls;
beforeEach(async () => {
  await page.route('https://sync.acme.test/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>App</title><h1>The app</h1>' }),
  );
});

async function signIn(answers: Answers): Promise<string> {
  const { email } = await newWorkspace();
  calls = await answerCalls(page, { [READ]: () => ({ body: ASKED }), ...answers });
  await page.goto(PAGE);
  await person.isAt('Sign in to decide');
  // Nobody is told what an app asks for before it is known whom it asks.
  expect(calls.counts[READ]).toBeUndefined();
  await person.givesPassword(email);
  return email;
}

describe('the request of an app', () => {
  it('is shown in words: who asks, for which workspace, what it could do, for how long, and where the answer goes', async () => {
    const email = await signIn({});
    await person.isAt('Give Acme Sync access?');
    await page.getByText(`Signed in as ${email}.`).waitFor();
    const main = (await page.getByRole('main').textContent()) ?? '';
    const period = 'for 90 days at most, and loses it when it does not use it for 14 days';
    for (const text of ['An app of Acme GmbH.', '“Globex”', period, 'you go to sync.acme.test']) {
      expect(main).toContain(text);
    }
    // What changes something first; a scope that the page does not know yet has the words of the API.
    expect(await page.getByRole('listitem').allTextContents()).toEqual([
      'View, create, edit, and delete leadsReads and changes',
      'View, create, edit, and delete forecastsReads and changes',
      'View tasksReads only',
    ]);
    expect(calls.tokens[READ]).toMatch(/^Bearer ey/);
    await visit.checkAccessible('consent');
    await visit.checkNothingKept();
  });

  it('is not approved with nothing, and can be denied then', async () => {
    const redirectTo = 'https://sync.acme.test/callback?error=access_denied';
    await signIn({ [DECIDE]: () => ({ body: { redirectTo } }) });
    await person.isAt('Give Acme Sync access?');
    for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
    await person.press('Give access');
    await page.getByRole('alert').getByText('Leave at least one ticked, or deny the access.').waitFor();
    expect(calls.counts[DECIDE]).toBeUndefined();
    await person.press('Deny');
    await person.isAt('The app');
    expect(calls.bodies[DECIDE]).toEqual({ decision: 'deny' });
  });

  it('whose scopes are all needed is given or denied as a whole', async () => {
    const scopes = ASKED.scopes.map((scope) => ({ ...scope, required: true }));
    await signIn({ [READ]: () => ({ body: { ...ASKED, scopes } }) });
    await person.isAt('Give Acme Sync access?');
    expect(await page.getByText('Untick what', { exact: false }).count()).toBe(0);
    for (const box of await page.getByRole('checkbox').all()) expect(await box.isDisabled()).toBe(true);
  });

  it('is denied as easily as it is approved', async () => {
    await signIn({});
    await person.isAt('Give Acme Sync access?');
    const looks = (name: string): Promise<{ width: number }> =>
      page.evaluate(`(() => {
        const button = [...document.querySelectorAll('button')].find((one) => one.textContent === ${JSON.stringify(name)});
        const { width, height, top } = button.getBoundingClientRect();
        const { color, backgroundColor, borderColor, fontWeight, fontSize } = getComputedStyle(button);
        return { width, height, top, color, backgroundColor, borderColor, fontWeight, fontSize };
      })()`);
    expect((await looks('Deny')).width).toBeGreaterThan(100);
    expect(await looks('Deny')).toEqual(await looks('Give access'));
  });

  it.each([
    ['approved', 'Give access', 'approve'],
    ['denied', 'Deny', 'deny'],
  ])('that is %s leads back to the app, without the address of this page', async (_, button, decision) => {
    await signIn({ [DECIDE]: () => ({ body: { redirectTo: 'https://sync.acme.test/callback?state=s&code=c' } }) });
    await person.isAt('Give Acme Sync access?');
    const [request] = await Promise.all([
      page.waitForRequest('https://sync.acme.test/**'),
      // Twice, as an impatient person does.
      page.getByRole('button', { name: button, exact: true }).dblclick(),
    ]);
    await person.isAt('The app');
    expect(page.url()).toBe('https://sync.acme.test/callback?state=s&code=c');
    expect((await request.allHeaders()).referer).toBeUndefined();
    expect(calls.bodies[DECIDE]).toEqual({ decision });
    expect(calls.counts[DECIDE]).toBe(1);
    expect(calls.tokens[DECIDE]).toBe(calls.tokens[READ]);
  });

  it('whose answer would run in this page is not answered', async () => {
    const redirectTo = 'javascript:document.title="taken"';
    await signIn({ [DECIDE]: () => ({ body: { redirectTo } }) });
    await person.press('Give access');
    await page.getByRole('alert').waitFor();
    expect(page.url()).toBe(PAGE);
    expect(await page.title()).not.toBe('taken');
    visit.forgive(/The answer cannot go to an address with javascript:/);
  });

  it('that is over says so, in words', async () => {
    const gone = { code: 'INVALID_AUTHORIZATION_REQUEST', title: 'This authorization request is no longer valid' };
    await signIn({ [READ]: () => ({ status: 410, body: gone }) });
    await person.isAt('This request does not exist any more');
    await visit.checkAccessible('a request that is over');
    await person.press('Use another account');
    await person.isAt('Sign in to decide');
  });

  it('is asked for again after a new sign-in when the session has ended', async () => {
    const over = { status: 401, body: { code: 'INVALID_REFRESH_TOKEN', title: 'Sign in' } };
    await signIn({
      [DECIDE]: () => ({ status: 401, body: { code: 'UNAUTHENTICATED', title: 'Sign in' } }),
      'POST /api/auth/session/refresh': () => over,
    });
    await person.press('Give access');
    await person.isAt('Sign in to decide');
    await person.reads('Your session has ended.');
  });

  it('is answered after a proof when the password was typed in too long ago', async () => {
    let isProven = false;
    const redirectTo = 'https://sync.acme.test/callback?state=s&code=c';
    await signIn({
      [DECIDE]: () =>
        isProven ? { body: { redirectTo } } : { status: 403, body: { code: 'STEP_UP_REQUIRED', title: 'Prove it' } },
    });
    await person.press('Give access');
    const dialog = page.getByRole('dialog', { name: 'Prove that it is you' });
    await dialog.getByLabel('Password').fill(PASSWORD);
    isProven = true;
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await person.isAt('The app');
  });

  it('without an id is no request', async () => {
    await page.goto(`${addresses.baseUrl}/account/authorize?request=../../me`);
    await person.isAt('There is no such page');
  });
});
