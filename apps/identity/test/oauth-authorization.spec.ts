import { newId } from '@crm/database';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { OAuthAppService, OAuthInstallationService } from '../src/oauth/client.service.js';
import { newGrantText } from '../src/oauth/grant.repository.js';
import { FAILURES_PER_ADDRESS } from '../src/oauth/token-request.js';
import { principalOf } from './checks.js';
import { outcome, TestIdentity } from './identity.js';
import {
  approved,
  authorize,
  decide,
  exchange,
  expectEnded,
  expectInvalid,
  granted,
  type Installed,
  installed,
  pkce,
  post,
  REDIRECT,
  refresh,
  requestOf,
} from './oauth.js';

const identity = TestIdentity.ofFile();

/** One for all tests that end nothing: each workspace costs hashing a password. */
let app: Installed;
beforeAll(async () => {
  app = await installed(identity);
});

/** Asks the app's user. @returns the id of the request */
const asked = (by: Installed, changes?: Record<string, string | undefined>) =>
  requestOf(identity, by, pkce().challenge, changes);
const authorized = (by: Installed, changes?: Record<string, string | undefined>) =>
  authorize(identity, by, pkce().challenge, changes);
const INVALID_GRANT = [400, 'invalid_grant'];

describe('an app that asks to act for a user', () => {
  it('is sent to the page that asks, which shows who asks for what', async () => {
    const { status, location } = await authorized(app);
    expect([status, `${location?.origin}${location?.pathname}`]).toEqual([
      303,
      'http://127.0.0.1:8080/account/authorize',
    ]);
    const id = location?.searchParams.get('request') ?? '';
    expect((await identity.send('GET', `/api/auth/oauth/requests/${id}`, app.admin)).body).toEqual({
      id,
      app: { key: app.appKey, name: 'Site Visits', publisher: 'Acme' },
      tenant: { id: app.tenantId, name: 'A workspace' },
      scopes: [
        { name: 'leads', description: 'View, create, edit, and delete leads', writes: true, required: false },
        { name: 'tasks:read', description: 'View tasks', writes: false, required: false },
      ],
      // That of sessions, as these tests configure it; the grant of an approval ends then.
      accessPeriod: { maxSeconds: 86_400, idleSeconds: 3_600 },
      redirectHost: 'app.acme.example.com',
      expiresAt: expect.any(String),
    });
  });

  it('gets a code for the approval of the user, with the state, the issuer and the installation', async () => {
    const { code, redirect } = await approved(identity, app, app.admin);
    expect(redirect.href.startsWith(`${REDIRECT}?`)).toBe(true);
    expect(code).not.toBe('');
    expect(Object.fromEntries(redirect.searchParams)).toEqual({
      code,
      state: 'the state',
      iss: 'http://127.0.0.1:8080',
      installation_id: app.installationId,
    });
  });

  it('keeps the query of its redirect URI', async () => {
    const uri = `${REDIRECT}?tenant=1`;
    const app = await installed(identity, { published: [uri] });
    const { redirect } = await approved(identity, app, app.admin, { redirect_uri: uri });
    expect(redirect.searchParams.get('tenant')).toBe('1');
    expect(redirect.searchParams.get('code')).not.toBeNull();
  });

  it('is told that the user refuses', async () => {
    const id = await asked(app);
    const { body } = await decide(identity, app.admin, id, 'deny');
    const told = Object.fromEntries(new URL(body.redirectTo).searchParams);
    expect(told).toMatchObject({ error: 'access_denied', state: 'the state', iss: 'http://127.0.0.1:8080' });
    expect(told).not.toHaveProperty('code');
    expect((await decide(identity, app.admin, id)).status).toBe(410);
  });

  it('gets one decision, of many at once', async () => {
    const id = await asked(app);
    const answers = await Promise.all(Array.from({ length: 5 }, () => decide(identity, app.admin, id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410, 410]);
  });
});

describe('an address that is not registered', () => {
  it.each([
    `${REDIRECT}/`,
    `${REDIRECT}?x=1`,
    `${REDIRECT}#x`,
    'https://APP.acme.example.com/callback',
    'https://app.acme.example.com/callback/../callback',
    'https://app.acme.example.com:443/callback',
    'https://app.acme.example.com/%63allback',
    'https://app.acme.example.com.evil.example/callback',
    'https://app.acme.example.com@evil.example/callback',
    'http://app.acme.example.com/callback',
    'https://evil.example/',
    'javascript:alert(1)',
  ])('gets no browser: %s', async (redirect_uri) => {
    const { status, location, body } = await authorized(app, { redirect_uri });
    expect([status, location, body.error]).toEqual([400, null, 'invalid_request']);
  });

  it('gets no browser for an unknown app, none at all and a repeated one', async () => {
    for (const changes of [{ client_id: 'unknown-app' }, { client_id: undefined }, { redirect_uri: undefined }]) {
      const { status, location } = await authorized(app, changes);
      expect([status, location]).toEqual([400, null]);
    }
    const query = `client_id=${app.appKey}&redirect_uri=${REDIRECT}&redirect_uri=https://evil.example/`;
    expect((await identity.request('GET', `/api/auth/oauth/authorize?${query}`)).status).toBe(400);
  });

  it('gets no browser any more when a version is published without it, also for a request under way', async () => {
    const app = await installed(identity);
    const id = await asked(app);
    await identity.get(OAuthAppService).update(app.appKey, []);
    expect((await authorized(app)).status).toBe(400);
    expect((await decide(identity, app.admin, id)).status).toBe(410);
  });
});

describe('a request that is wrong otherwise', () => {
  it.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with a challenge and no method, which means plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['with a challenge that is no SHA-256', { code_challenge: 'short' }, 'invalid_request'],
    ['for a token in the address', { response_type: 'token' }, 'unsupported_response_type'],
    ['without a response type', { response_type: undefined }, 'invalid_request'],
    ['for an unknown scope', { scope: 'leads admin' }, 'invalid_scope'],
  ])('is answered at the redirect URI: %s', async (_what, changes, error) => {
    const { status, location } = await authorized(app, changes);
    expect([status, location?.host]).toEqual([303, 'app.acme.example.com']);
    const told = Object.fromEntries(location?.searchParams ?? []);
    expect(told).toMatchObject({ error, state: 'the state', iss: 'http://127.0.0.1:8080' });
  });
});

describe('a token for a user', () => {
  it('has the roles of the user and the scopes that both the app asked for and the workspace granted', async () => {
    const app = await installed(identity);
    const viewer = await identity.member(app.admin, ['viewer']);
    const body = await granted(identity, app, viewer, { scope: 'leads tasks contacts' });
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'leads tasks:read' });
    expect([body.installation_id, body.tenant_id]).toEqual([app.installationId, app.tenantId]);
    expect(decodeJwt(body.access_token)).toMatchObject({
      aud: 'platform-api',
      sub: viewer.userId,
      tid: app.tenantId,
      roles: ['viewer'],
      scopes: ['leads', 'tasks:read'],
      act: { sub: app.appKey, installation_id: app.installationId },
    });
    // Never `user`: an empty list of scopes would mean everything.
    expect((await principalOf(identity, body.access_token)).kind).toBe('app');
  });

  it('is not the refresh token of a session', async () => {
    const { refresh_token: refreshToken } = await granted(identity, app, app.admin);
    expect((await identity.post('/api/auth/refresh', { refreshToken })).status).toBe(401);
    await expectInvalid(identity, app, app.admin.refreshToken);
  });

  it('needs a user who has proven who they are a short while ago', async () => {
    const app = await installed(identity);
    await identity.forgetProofs(app.tenantId);
    const id = await asked(app);
    expect(await outcome(decide(identity, app.admin, id))).toEqual([403, 'STEP_UP_REQUIRED']);
  });
});

describe('consent', () => {
  it('is not asked of users of a workspace that has not installed the app', async () => {
    const [app, stranger] = [await installed(identity), await identity.account()];
    for (const changes of [{}, { installation_id: app.installationId }]) {
      const id = await asked(app, changes);
      const shown = await identity.send('GET', `/api/auth/oauth/requests/${id}`, stranger);
      for (const answer of [shown, await decide(identity, stranger, id)]) {
        expect(await outcome(answer)).toEqual([409, 'APP_NOT_INSTALLED']);
      }
    }
  });

  it('is not asked for an installation of another app', async () => {
    const admin = await identity.account();
    const [app, other] = [await installed(identity, { admin }), await installed(identity, { admin })];
    const changes = { installation_id: other.installationId };
    expect((await authorized(app, changes)).status).toBe(400);
  });

  it('is not asked while the app is suspended or revoked, nor after it is uninstalled', async () => {
    for (const status of ['suspended', 'revoked'] as const) {
      const app = await installed(identity);
      const id = await asked(app);
      await identity.get(OAuthAppService).setStatus(app.appKey, status);
      const { body, location } = await authorized(app);
      expect([body.error, location]).toEqual(['unauthorized_client', null]);
      expect((await decide(identity, app.admin, id)).status).toBe(410);
    }
    const app = await installed(identity);
    const id = await asked(app);
    await identity.get(OAuthInstallationService).end(app);
    expect((await decide(identity, app.admin, id)).body.code).toBe('APP_NOT_INSTALLED');
  });

  it('of a sandbox names it, uses the redirect URIs of its version and sends nobody there unasked', async () => {
    const own = 'https://dev.acme.example.com/cb';
    const sandbox = await installed(identity, { sandbox: true, published: [], redirectUris: [own] });
    const named = { redirect_uri: own, installation_id: sandbox.installationId };
    expect((await authorized(sandbox, { redirect_uri: own })).status).toBe(400);
    const wrong = await authorized(sandbox, { ...named, scope: 'nonsense' });
    expect([wrong.status, wrong.location]).toEqual([400, null]);
    const code = await approved(identity, sandbox, sandbox.admin, named);
    expect((await exchange(identity, sandbox, code, { redirect_uri: own })).status).toBe(200);
  });
});

describe('a code', () => {
  it('changes nothing any more when it is presented a third time', async () => {
    const app = await installed(identity);
    const code = await approved(identity, app, app.admin);
    const { sid } = decodeJwt((await exchange(identity, app, code)).body.access_token);
    const cutoffs = () => identity.queryAll('SELECT cutoff_ms FROM revocation_cutoff WHERE id = $1', [sid]);
    expect(await outcome(exchange(identity, app, code))).toEqual(INVALID_GRANT);
    const ended = await cutoffs();
    expect(ended).toHaveLength(1);
    expect(await outcome(exchange(identity, app, code))).toEqual(INVALID_GRANT);
    expect(await cutoffs()).toEqual(ended);
  });

  it('that nobody has issued keeps no user from an app, however many its visitors have it present', async () => {
    const [code, user] = [await approved(identity, app, app.admin), await installed(identity, { appKey: app.appKey })];
    const { refresh_token: token } = await granted(identity, app, user.admin);
    const spent = await approved(identity, app, app.admin);
    await exchange(identity, app, spent);
    for (let count = 0; count <= FAILURES_PER_ADDRESS; count += 1) {
      const unknown = newGrantText({ ...app, grantId: newId() });
      const { verifier } = spent;
      const answer = await exchange(identity, app, {
        code: ['nonsense', unknown, spent.code][count % 3] ?? '',
        verifier,
      });
      expect([count, ...(await outcome(answer))]).toEqual([count, ...INVALID_GRANT]);
    }
    expect((await exchange(identity, app, code)).status).toBe(200);
    expect((await refresh(identity, app, token)).status).toBe(200);
  });

  it('is exchanged once by many at once, and nobody keeps anything', async () => {
    const app = await installed(identity);
    const code = await approved(identity, app, app.admin);
    const answers = await Promise.all(Array.from({ length: 6 }, () => exchange(identity, app, code)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const { body } of won) await expectEnded(identity, app, body);
  });

  it('is refused after a minute', async () => {
    const code = await approved(identity, app, app.admin);
    await identity.query(app.tenantId, "UPDATE oauth_code SET valid_until = valid_until - interval '60 seconds'");
    expect(await outcome(exchange(identity, app, code))).toEqual(INVALID_GRANT);
  });

  it('is refused, and spent, with a wrong verifier, redirect URI, app or installation', async () => {
    const other = await installed(identity);
    for (const changes of [
      { code_verifier: pkce().verifier },
      { code_verifier: 'short' },
      { redirect_uri: `${REDIRECT}/` },
      { client_id: other.appKey },
      { installation_id: other.installationId },
    ] as Record<string, string>[]) {
      const code = await approved(identity, app, app.admin);
      expect(await outcome(exchange(identity, app, code, changes))).toEqual(INVALID_GRANT);
      expect(await outcome(exchange(identity, app, code))).toEqual(INVALID_GRANT);
    }
  });

  it('is not exchanged for the challenge itself: no downgrade to plain', async () => {
    const { verifier, challenge } = pkce();
    const { body } = await decide(identity, app.admin, await requestOf(identity, app, challenge));
    const code = new URL(body.redirectTo).searchParams.get('code') ?? '';
    const plain = exchange(identity, app, { code, verifier: challenge }, { code_challenge_method: 'plain' });
    expect(await outcome(plain)).toEqual(INVALID_GRANT);
    expect(await outcome(exchange(identity, app, { code, verifier }))).toEqual(INVALID_GRANT);
  });

  it('needs a verifier', async () => {
    const { code } = await approved(identity, app, app.admin);
    expect(await outcome(exchange(identity, app, { code, verifier: '' }))).toEqual([400, 'invalid_request']);
  });

  it('is refused when the app was uninstalled or revoked, or the user disabled, meanwhile', async () => {
    const app = await installed(identity);
    const uninstalled = await approved(identity, app, app.admin);
    await identity.get(OAuthInstallationService).end(app);
    expect(await outcome(exchange(identity, app, uninstalled))).toEqual(INVALID_GRANT);

    const another = await installed(identity);
    const revoked = await approved(identity, another, another.admin);
    await identity.get(OAuthAppService).setStatus(another.appKey, 'revoked');
    expect(await outcome(exchange(identity, another, revoked))).toEqual(INVALID_GRANT);

    const third = await installed(identity);
    const member = await identity.member(third.admin);
    const disabled = await approved(identity, third, member);
    await identity.changeUser(third.admin, member.userId, { status: 'disabled' });
    expect(await outcome(exchange(identity, third, disabled))).toEqual(INVALID_GRANT);
  });

  it('is not a word of an attacker: garbage is refused', async () => {
    for (const code of ['x', '.', 'a.b', 'a.b.c', `${'A'.repeat(64)}.secret`]) {
      expect(await outcome(exchange(identity, app, { code, verifier: pkce().verifier }))).toEqual(INVALID_GRANT);
    }
  });

  it('belongs to a public client: a secret is a mistake', async () => {
    const code = await approved(identity, app, app.admin);
    const answer = await exchange(identity, app, code, { client_secret: 'x' });
    expect(await outcome(answer)).toEqual([400, 'unauthorized_client']);
    expect((await post(identity, 'token', { grant_type: 'authorization_code', code: code.code })).status).toBe(401);
  });
});
