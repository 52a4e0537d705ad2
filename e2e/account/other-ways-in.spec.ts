import { describe, expect, it } from '@jest/globals';
import { api, newWorkspace, PASSWORD } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { type Answers, answerCalls } from './stand-in.js';
import { page, person } from './visiting.js';

// What the page does with answers that are hard to bring about: a stand-in within the browser gives them, everything else is the
// real platform. In passkeys.spec.ts and single-sign-on.spec.ts nothing is a stand-in. At `localhost`, because browsers have no
// passkeys for addresses in numbers.
const at = (path: string) => addresses.baseUrl.replace('127.0.0.1', 'localhost') + path;

const signInAnswer = async (email: string) =>
  (await api('POST', '/api/auth/login', { body: { email, password: PASSWORD }, expect: 200 })).body;

const ASKED = {
  id: 'request-1',
  app: { key: 'acme-sync', name: 'Acme Sync', publisher: 'Acme GmbH' },
  tenant: { id: '0199aa00-0000-7000-8000-000000000001', name: 'Globex' },
  scopes: [{ name: 'tasks:read', description: 'See tasks', writes: false }],
  accessPeriod: { maxSeconds: 7_776_000, idleSeconds: 1_209_600 },
  redirectHost: 'sync.acme.test',
  expiresAt: '2030-01-01T00:00:00Z',
};

describe('the identity provider of a workspace', () => {
  /** Stands for the provider: it sends the browser back at once, as one does where the user is signed in already. */
  const providerAnswers = (email: string): Answers => ({
    'POST /api/auth/oidc/discover': () => ({ body: { providers: [{ id: 'provider-1', name: 'Acme ID' }] } }),
    'POST /api/auth/oidc/provider-1/start': () => ({ body: { redirectTo: at('/account/signed-in#code=code-1') } }),
    'POST /api/auth/oidc/exchange': async () => ({ body: await signInAnswer(email) }),
  });

  it('has to ask who someone is, once a proof was wanted, and not before', async () => {
    const { email } = await newWorkspace();
    const start = 'POST /api/auth/oidc/provider-1/start';
    const refused = {
      status: 403,
      body: { code: 'STEP_UP_REQUIRED', title: 'Prove it', proofs: ['identity_provider'] },
    };
    const { bodies } = await answerCalls(page, {
      ...providerAnswers(email),
      'GET /api/auth/oauth/requests/request-1': () => ({ body: ASKED }),
      'POST /api/auth/oauth/requests/request-1/decision': () => refused,
    });
    await page.goto(at('/account/authorize?request=request-1'));
    await page.getByLabel('E-mail address').fill(email);
    await person.press('Continue with Acme ID');
    await person.isAt('Give Acme Sync access?');
    expect(bodies[start]).toEqual({ fresh: false });
    await person.press('Give access');
    await person.press('Sign in again instead');
    await person.isAt('Sign in');
    await page.getByLabel('E-mail address').fill(email);
    await person.press('Continue with Acme ID');
    await person.isAt('Give Acme Sync access?');
    expect(bodies[start]).toEqual({ fresh: true });
  });
});
