import { Database } from '@crm/database';
import { TEST_ISSUER, waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import type { IdentityConfig } from '../src/config.js';
import { GRACE_SECONDS, PAGE_GRACE_SECONDS } from '../src/sessions/refresh-token.repository.js';
import { PageCookie } from '../src/sign-in/page-cookie.js';
import { confirm, protectedAccount, TestAuthenticator } from './authenticators.js';
import { type Account, outcome, PASSWORD, TestIdentity, USERS } from './identity.js';
import { decide, installed, pkce, requestOf } from './oauth.js';
import { optionsFor, passkeyAccount } from './passkeys.js';
import { SoftwareAuthenticator } from './software-authenticator.js';

const identity = TestIdentity.ofFile();

const refresh = (refreshToken: string) => identity.post('/api/auth/refresh', { refreshToken });
const me = (account: Pick<Account, 'accessToken'>) => identity.send('GET', '/api/auth/me', account);
const sessions = (account: Pick<Account, 'accessToken'>) => identity.send('GET', '/api/auth/sessions', account);

/** Makes the exchanges of the tenant's refresh tokens older. */
const age = (tenantId: string, seconds: number) => {
  const sql = 'UPDATE refresh_token SET rotated_at = rotated_at - make_interval(secs => $2) WHERE tenant_id = $1';
  return identity.queryAll(sql, [tenantId, seconds]);
};

/** Moves the times of the tenant's sessions. */
const setSessions = (tenantId: string, assignments: string) =>
  identity.query(tenantId, `UPDATE session SET ${assignments}`);

describe('POST /api/auth/refresh', () => {
  it('exchanges a refresh token for a new pair of the same session', async () => {
    const account = await identity.account();
    const { status, body } = await refresh(account.refreshToken);
    expect([status, body]).toMatchObject([200, { tokenType: 'Bearer', expiresIn: 900 }]);
    expect(body.refreshToken).not.toBe(account.refreshToken);
    expect((await me(body)).status).toBe(200);
    expect((await sessions(body)).body.total).toBe(1);
  });

  it('ends the session when a spent refresh token is presented after its successor was used', async () => {
    const account = await identity.account();
    const { body: next } = await refresh(account.refreshToken);
    const { body: last } = await refresh(next.refreshToken);
    expect(await outcome(refresh(account.refreshToken))).toEqual([401, 'INVALID_REFRESH_TOKEN']);
    expect((await refresh(last.refreshToken)).status).toBe(401);
    await identity.refuses(last.accessToken);
  });

  it('gives a client that lost the answer the same successor again for ten seconds', async () => {
    const account = await identity.account();
    const { body: lost } = await refresh(account.refreshToken);
    await age(account.tenantId, GRACE_SECONDS - 2);
    const { status, body: again } = await refresh(account.refreshToken);
    expect([status, again.refreshToken]).toEqual([200, lost.refreshToken]);
    expect((await refresh(again.refreshToken)).status).toBe(200);
  });

  it('ends the session when a spent refresh token is presented after ten seconds', async () => {
    const account = await identity.account();
    const { body: next } = await refresh(account.refreshToken);
    await age(account.tenantId, GRACE_SECONDS);
    expect((await refresh(account.refreshToken)).status).toBe(401);
    expect((await refresh(next.refreshToken)).status).toBe(401);
    await identity.refuses(next.accessToken);
  });

  it('stores no token that works: neither the presented one nor its successor', async () => {
    const account = await identity.account();
    const { body } = await refresh(account.refreshToken);
    const sql = 'SELECT row_to_json(t)::text AS stored FROM refresh_token t WHERE tenant_id = $1';
    const stored = JSON.stringify(await identity.queryAll(sql, [account.tenantId]));
    expect(stored).toContain(account.tenantId);
    for (const token of [account.refreshToken, body.refreshToken]) {
      for (const form of [token, Buffer.from(token).toString('hex'), Buffer.from(token, 'base64url').toString('hex')]) {
        expect(stored).not.toContain(form);
      }
    }
  });

  it('refuses a text that is not a refresh token, and an access token', async () => {
    const account = await identity.account();
    for (const token of ['nonsense', account.accessToken]) {
      expect(await outcome(refresh(token))).toEqual([401, 'INVALID_REFRESH_TOKEN']);
    }
  });

  it('issues an access token with the current roles of the user', async () => {
    const { owner, member } = await identity.team('member');
    await identity.changeUser(owner, member.userId, { roles: ['viewer'] });
    const { body } = await refresh(member.refreshToken);
    expect((await me(body)).body.roles).toEqual(['viewer']);
    await identity.refuses(member.accessToken);
  });
});

describe('the life of a session', () => {
  it('ends when it is not refreshed in time', async () => {
    const account = await identity.account();
    await setSessions(account.tenantId, "expires_at = now() - interval '1 second'");
    expect((await refresh(account.refreshToken)).status).toBe(401);
  });

  it('is extended by a refresh, and never beyond its absolute end', async () => {
    const account = await identity.account();
    await setSessions(account.tenantId, "expires_at = now() + interval '5 s', ends_at = now() + interval '120 s'");
    const { status, body } = await refresh(account.refreshToken);
    expect(status).toBe(200);
    // No access token outlives its session.
    expect(body.expiresIn).toBeLessThanOrEqual(120);
    expect(body.expiresIn).toBeGreaterThan(60);
    const { data } = (await sessions(body)).body;
    expect(data[0]?.expiresAt).toBe(data[0]?.endsAt);
    await setSessions(account.tenantId, 'expires_at = now(), ends_at = now()');
    expect((await refresh(body.refreshToken)).status).toBe(401);
  });
});

describe('POST /api/auth/logout', () => {
  it('ends the session: the refresh token stops working at once, the access token within a second', async () => {
    const account = await identity.account();
    const other = await identity.signedIn(account.email);
    expect((await identity.send('POST', '/api/auth/logout', account)).status).toBe(204);
    expect((await refresh(account.refreshToken)).status).toBe(401);
    await identity.refuses(account.accessToken);
    expect((await me(other)).status).toBe(200);
  });
});

const PAGE = { origin: TEST_ISSUER, 'x-requested-with': 'crm-page' };

/** Calls as a page of the platform does, with the cookie that its browser has. */
const fromPage = (method: string, path = '', { body, cookie }: { body?: object; cookie?: string } = {}) =>
  identity.request(method, `/api/auth/session${path}`, { body, headers: { ...PAGE, ...(cookie && { cookie }) } });

/** `name=value` of the cookie that an answer sets. */
const cookieOf = ({ headers }: { headers: Headers }) => headers.get('set-cookie')?.split(';')[0] ?? '';

/** A page that someone has signed in to. */
async function page() {
  const account = await identity.account();
  const answer = await fromPage('POST', '', { body: { email: account.email, password: PASSWORD } });
  return { account, answer, cookie: cookieOf(answer) };
}

describe('the session of a page', () => {
  it('has its refresh token in a cookie that scripts cannot read, and in no answer', async () => {
    const { answer, cookie } = await page();
    expect([answer.status, answer.body]).toEqual([
      200,
      { accessToken: expect.any(String), tokenType: 'Bearer', expiresIn: 900 },
    ]);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^crm-session=[\w-]{43}; Max-Age=3600; Path=\/api\/auth\/session; HttpOnly; SameSite=Strict$/,
    );
    const { status, body, headers } = await fromPage('POST', '/refresh', { body: {}, cookie });
    expect([status, Object.keys(body).sort()]).toEqual([200, ['accessToken', 'expiresIn', 'tokenType']]);
    expect(headers.get('set-cookie')).not.toContain(cookie);
    expect((await me(body)).status).toBe(200);
  });

  it('is kept by https for this very host alone', () => {
    const settings = { service: { baseUrl: 'https://crm.example.com' }, sessions: { idleSeconds: 60 } };
    const set: string[] = [];
    const reply = { header: (_name: string, value: string) => set.push(value), status: () => undefined };
    const cookie = new PageCookie(settings as IdentityConfig);
    cookie.keep(reply, { accessToken: 'a', refreshToken: 'r', tokenType: 'Bearer', expiresIn: 900 });
    cookie.drop(reply);
    expect(set).toEqual([
      '__Host-crm-session=r; Max-Age=60; Path=/; Secure; HttpOnly; SameSite=Strict',
      '__Host-crm-session=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Strict',
    ]);
  });

  it('is asked for a second factor as any other, and takes over what that sign-in is answered with', async () => {
    const { account, app } = await protectedAccount(identity);
    const wanted = await fromPage('POST', '', { body: { email: account.email, password: PASSWORD } });
    expect([wanted.body, wanted.headers.get('set-cookie')]).toMatchObject([{ mfaRequired: true }, null]);
    const code = { challengeId: wanted.body.challengeId, code: await app.freshCode() };
    const { refreshToken } = (await identity.post('/api/auth/mfa/verify', code)).body;
    const taken = await fromPage('POST', '/refresh', { body: { refreshToken } });
    expect([taken.status, cookieOf(taken)]).toEqual([200, expect.stringMatching(/^crm-session=/)]);
    expect(cookieOf(taken)).not.toContain(refreshToken);
    // What the scripts of the page had seen is spent.
    await age(account.tenantId, GRACE_SECONDS);
    expect(await outcome(refresh(refreshToken))).toEqual([401, 'INVALID_REFRESH_TOKEN']);
  });

  it('survives windows that refresh at once, and a call that was overtaken', async () => {
    const { cookie } = await page();
    const both = await Promise.all([1, 2].map(() => fromPage('POST', '/refresh', { body: {}, cookie })));
    const [next, same] = both.map(cookieOf);
    expect([both.map(({ status }) => status), same]).toEqual([[200, 200], next]);
    const last = await fromPage('POST', '/refresh', { body: {}, cookie: next });
    expect(await outcome(fromPage('POST', '/refresh', { body: {}, cookie }))).toEqual([401, 'INVALID_REFRESH_TOKEN']);
    expect((await fromPage('POST', '/refresh', { body: {}, cookie: cookieOf(last) })).status).toBe(200);
  });

  it('survives an answer that was lost, for a minute', async () => {
    const { account, cookie } = await page();
    const lost = await fromPage('POST', '/refresh', { body: {}, cookie });
    await age(account.tenantId, PAGE_GRACE_SECONDS - 2);
    const again = await fromPage('POST', '/refresh', { body: {}, cookie });
    expect([again.status, cookieOf(again)]).toEqual([200, cookieOf(lost)]);
  });

  it.each([
    ['a body', (refreshToken: string) => ({ body: { refreshToken } })],
    ['a cookie', (refreshToken: string) => ({ body: {}, cookie: `crm-session=${refreshToken}` })],
  ])('has no grace for the token of a program, which a thief presents in %s', async (_, presented) => {
    const { tenantId, refreshToken } = await identity.account();
    const { body } = await refresh(refreshToken);
    expect((await refresh(body.refreshToken)).status).toBe(200);
    expect((await fromPage('POST', '/refresh', presented(refreshToken))).status).toBe(401);
    await identity.refuses(body.accessToken);
    const other = await identity.account();
    await refresh(other.refreshToken);
    await age(other.tenantId, GRACE_SECONDS);
    expect((await fromPage('POST', '/refresh', presented(other.refreshToken))).status).toBe(401);
    const replays = "SELECT 1 FROM audit_entry WHERE action = 'session.replay_noticed'";
    for (const tenant of [tenantId, other.tenantId]) expect(await identity.query(tenant, replays)).toHaveLength(1);
  });

  it('ends when someone signs in anew in the same browser', async () => {
    const { account, answer, cookie } = await page();
    const next = await fromPage('POST', '', { body: { email: account.email, password: PASSWORD }, cookie });
    await identity.refuses(answer.body.accessToken);
    const { refreshToken, accessToken } = await identity.signedIn(account.email);
    expect((await fromPage('POST', '/refresh', { body: { refreshToken }, cookie: cookieOf(next) })).status).toBe(200);
    await identity.refuses(next.body.accessToken);
    expect((await me({ accessToken })).status).toBe(200);
  });

  it('ends when a copy of its cookie is presented later', async () => {
    const { account, cookie } = await page();
    const next = await fromPage('POST', '/refresh', { body: {}, cookie });
    await age(account.tenantId, PAGE_GRACE_SECONDS);
    expect((await fromPage('POST', '/refresh', { body: {}, cookie })).status).toBe(401);
    expect((await fromPage('POST', '/refresh', { body: {}, cookie: cookieOf(next) })).status).toBe(401);
    await identity.refuses(next.body.accessToken);
  });

  it('ends with the sign-out of any window, whatever became of the access token', async () => {
    const { account, answer, cookie } = await page();
    const ended = await fromPage('DELETE', '', { cookie });
    expect([ended.status, ended.headers.get('set-cookie')]).toEqual([
      204,
      'crm-session=; Max-Age=0; Path=/api/auth/session; HttpOnly; SameSite=Strict',
    ]);
    await identity.refuses(answer.body.accessToken);
    expect((await fromPage('POST', '/refresh', { body: {}, cookie })).status).toBe(401);
    const sql = "SELECT actor_id FROM audit_entry WHERE action = 'sign_in.signed_out'";
    expect(await identity.query(account.tenantId, sql)).toEqual([{ actor_id: account.userId }]);
    expect((await fromPage('DELETE', '', { cookie })).status).toBe(204);
  });

  it('is nobody without a cookie, with a planted one beside it, or with one of other making', async () => {
    const { cookie } = await page();
    for (const presented of ['', `${cookie}; ${cookie}`, 'crm-session=x', `__Host-${cookie}`]) {
      expect((await fromPage('POST', '/refresh', { body: {}, cookie: presented })).status).toBe(204);
    }
  });

  it.each([
    ['another site', { ...PAGE, origin: 'https://elsewhere.test' }],
    ['a page without an origin', { ...PAGE, origin: 'null' }],
    ['a program', { 'x-requested-with': PAGE['x-requested-with'] }],
    ['a form', { origin: PAGE.origin }],
  ])('answers nothing to %s', async (_who, headers) => {
    const { account, cookie } = await page();
    for (const [method, path, body] of [
      ['POST', '', { email: account.email, password: PASSWORD }],
      ['POST', '/refresh', {}],
      ['DELETE', '', undefined],
    ] as const) {
      const answer = await identity.request(method, `/api/auth/session${path}`, {
        body,
        headers: { ...headers, cookie },
      });
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null]);
    }
    expect((await fromPage('POST', '/refresh', { body: {}, cookie })).status).toBe(200);
  });
});

describe('sessions', () => {
  it('lists the sessions of the user and marks the current one', async () => {
    const account = await identity.account();
    await identity.signedIn(account.email);
    const { data } = (await sessions(account)).body;
    expect(data.map(({ current }) => current).sort()).toEqual([false, true]);
    expect(data[0]).toMatchObject({ address: '127.0.0.1', createdAt: expect.stringMatching(/Z$/) });
  });

  it('says with which device and from where each session was used', async () => {
    const { email } = await identity.account();
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0';
    const opened = await identity.login(email, PASSWORD, { 'user-agent': firefox, 'x-forwarded-for': '192.0.2.7' });
    const { body } = await identity.request('POST', '/api/auth/refresh', {
      body: { refreshToken: opened.body.refreshToken },
      headers: { 'user-agent': firefox, 'x-forwarded-for': '198.51.100.9' },
    });
    const { data } = (await sessions(body)).body;
    expect(data.find(({ current }) => current)).toMatchObject({
      device: 'Firefox on Linux',
      address: '192.0.2.7',
      lastAddress: '198.51.100.9',
    });
  });

  it('ends one session and leaves the others open', async () => {
    const account = await identity.account();
    const other = await identity.signedIn(account.email);
    const { id } = (await sessions(account)).body.data.find(({ current }) => !current)!;
    for (const status of [204, 404]) {
      expect((await identity.send('DELETE', `/api/auth/sessions/${id}`, account)).status).toBe(status);
    }
    await identity.refuses(other.accessToken);
    expect((await refresh(other.refreshToken)).status).toBe(401);
  });

  it('ends all sessions of the user in one call', async () => {
    const account = await identity.account();
    const other = await identity.signedIn(account.email);
    expect((await identity.send('DELETE', '/api/auth/sessions', account)).status).toBe(204);
    await identity.refuses(account.accessToken);
    await identity.refuses(other.accessToken);
    expect((await identity.login(account.email)).status).toBe(200);
  });

  it('answers 404 for a session of another user of the workspace', async () => {
    const { owner, member } = await identity.team('member');
    const [session] = (await sessions(member)).body.data;
    expect((await identity.send('DELETE', `/api/auth/sessions/${session?.id}`, owner)).status).toBe(404);
    expect((await me(member)).status).toBe(200);
  });
});

const list = (account: Account, userId: string) =>
  identity.send('GET', `/api/tenant/users/${userId}/sessions`, account);
const end = (account: Account, userId: string, sessionId = '') =>
  identity.send('DELETE', `/api/tenant/users/${userId}/sessions${sessionId && `/${sessionId}`}`, account);

describe('the sessions of a user of the workspace', () => {
  it('are listed and ended one by one or all by an administrator', async () => {
    const { admin, member } = await identity.team('admin', 'member');
    const second = await identity.signedIn(member.email);
    const { status, body } = await list(admin, member.userId);
    expect([status, body.total]).toEqual([200, 2]);
    const [newest] = body.data;
    expect((await end(admin, member.userId, newest?.id)).status).toBe(204);
    await identity.refuses(second.accessToken);
    expect((await end(admin, member.userId, newest?.id)).status).toBe(404);
    expect((await me(member)).status).toBe(200);
    expect((await end(admin, member.userId)).status).toBe(204);
    await identity.refuses(member.accessToken);
    expect((await refresh(member.refreshToken)).status).toBe(401);
  });

  it('are neither shown to nor ended by an administrator of less rank', async () => {
    const { owner, admin } = await identity.team('admin');
    for (const answer of [await list(admin, owner.userId), await end(admin, owner.userId)]) {
      expect(answer.status).toBe(403);
    }
    expect((await me(owner)).status).toBe(200);
  });

  it('are ended only with a recent proof', async () => {
    const { owner, member } = await identity.team('member');
    await identity.forgetProofs(owner.tenantId);
    expect((await end(owner, member.userId)).body.code).toBe('STEP_UP_REQUIRED');
    // A refresh proves nothing.
    const { accessToken } = (await refresh(owner.refreshToken)).body;
    const again = { ...owner, accessToken };
    expect((await end(again, member.userId)).body.code).toBe('STEP_UP_REQUIRED');
    for (const proof of [{ password: 'wrong' }, {}]) {
      expect((await identity.post('/api/auth/step-up', proof, accessToken)).status).toBe(401);
    }
    expect((await identity.stepUp(accessToken)).status).toBe(204);
    expect((await end(again, member.userId)).status).toBe(204);
  });
});

const WAITING = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
const AUTHENTICATOR = '/api/auth/mfa/authenticator';

describe('a session that ends while its user is changed', () => {
  /** Does what a change of the password does to the sessions, with the act begun before it commits. */
  async function changesNothing({ tenantId }: Account, sql: string, act: () => Promise<{ body: { code: string } }>) {
    const before = await identity.query(tenantId, sql);
    let acting: ReturnType<typeof act> | undefined;
    await identity.get(Database).transaction(tenantId, async (tx) => {
      await tx.query('SELECT 1 FROM app_user WHERE tenant_id = $1 FOR UPDATE', [tenantId]);
      acting = act();
      // In transactions of their own: what a transaction sees of other connections does not change.
      const isWaiting = async () => (await identity.query(tenantId, WAITING)).length > 0;
      await waitUntil(isWaiting, { describe: 'the act to wait for the user' });
      await tx.query('DELETE FROM session WHERE tenant_id = $1', [tenantId]);
    });
    expect((await acting)?.body.code).toBe('STEP_UP_REQUIRED');
    expect(await identity.query(tenantId, sql)).toEqual(before);
  }

  it('lets no app act for the user', async () => {
    const app = await installed(identity);
    const request = await requestOf(identity, app, pkce().challenge);
    await changesNothing(app.admin, 'SELECT 1 FROM oauth_code', () => decide(identity, app.admin, request));
  });

  it('makes no API key', async () => {
    const account = await identity.account();
    const key = { name: 'x', scopes: ['leads'] };
    await changesNothing(account, 'SELECT 1 FROM api_key', () =>
      identity.send('POST', '/api/auth/api-keys', account, key),
    );
  });

  it('adds no passkey', async () => {
    const account = await identity.account();
    const authenticator = new SoftwareAuthenticator(USERS.origins[0] ?? '');
    const { challengeId, publicKey } = await optionsFor(identity, '/api/auth/passkeys/options', account.accessToken);
    const passkey = { challengeId, credential: authenticator.create(publicKey) };
    await changesNothing(account, 'SELECT 1 FROM passkey', () =>
      identity.send('POST', '/api/auth/passkeys', account, passkey),
    );
  });

  it('removes no passkey', async () => {
    const { account, passkeyId } = await passkeyAccount(identity);
    await changesNothing(account, 'SELECT 1 FROM passkey', () =>
      identity.send('DELETE', `/api/auth/passkeys/${passkeyId}`, account),
    );
  });

  it('begins no enrolment', async () => {
    const account = await identity.account();
    await changesNothing(account, 'SELECT 1 FROM authenticator', () =>
      identity.send('POST', AUTHENTICATOR, account, {}),
    );
  });

  it('adds no authenticator', async () => {
    const account = await identity.account();
    const { secret } = (await identity.send('POST', AUTHENTICATOR, account, {})).body;
    const code = new TestAuthenticator(identity, account.tenantId, secret).code();
    await changesNothing(account, 'SELECT confirmed_at FROM authenticator', () => confirm(identity, account, code));
  });

  it('removes no authenticator and replaces no recovery codes', async () => {
    for (const [method, path, sql] of [
      ['DELETE', AUTHENTICATOR, 'SELECT 1 FROM authenticator'],
      ['POST', '/api/auth/mfa/recovery-codes', 'SELECT * FROM recovery_code'],
    ] as const) {
      const { account } = await protectedAccount(identity);
      await changesNothing(account, sql, () => identity.send(method, path, account));
    }
  });
});
