import { beforeEach, describe, expect, it } from '@jest/globals';
import { newWorkspace } from '../platform/accounts.js';
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
  it('is answered with what the person leaves ticked', async () => {
    const [tasks, leads, forecasts] = ASKED.scopes;
    const scopes = [tasks, { ...leads, required: true }, forecasts];
    const redirectTo = 'https://sync.acme.test/callback?state=s&code=c';
    await signIn({ [READ]: () => ({ body: { ...ASKED, scopes } }), [DECIDE]: () => ({ body: { redirectTo } }) });
    await person.isAt('Give Acme Sync access?');
    await page.getByText('Untick what you do not want to give it.').waitFor();
    const needed = page.getByLabel('View, create, edit, and delete leads');
    expect([await needed.isChecked(), await needed.isDisabled()]).toEqual([true, true]);
    await visit.checkAccessible('consent with what the app cannot work without');
    // The whole line is the target, not its small box.
    await page.getByText('View tasks').click();
    await page.getByText('View, create, edit, and delete forecasts').click();
    await page.getByText('View tasks').click();
    await person.press('Give access');
    await person.isAt('The app');
    expect(calls.bodies[DECIDE]).toEqual({ decision: 'approve', scopes: ['tasks:read', 'leads'] });
  });
});
