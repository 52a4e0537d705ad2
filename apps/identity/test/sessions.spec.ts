import { Database } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { GRACE_SECONDS } from '../src/sessions/refresh-token.repository.js';
import { confirm, enrol, TestAuthenticator } from './authenticators.js';
import { type Account, type Answer, PASSWORD, TestIdentity, USERS } from './identity.js';
import { decide, installed, pkce, requestOf } from './oauth.js';
import { optionsFor, passkeyAccount } from './passkeys.js';
import { SoftwareAuthenticator } from './software-authenticator.js';

const identity = TestIdentity.ofFile();

const refresh = (refreshToken: string) => identity.post('/api/auth/refresh', { refreshToken });
const me = (token: string) => identity.request('GET', '/api/auth/me', { token });
const sessions = (token: string) => identity.request('GET', '/api/auth/sessions', { token });

const database = () => identity.get(Database);

/** Makes the exchanges of the tenant's refresh tokens older. */
const age = (tenantId: string, seconds: number) =>
  database().crossTenant((tx) =>
    tx.query('UPDATE refresh_token SET rotated_at = rotated_at - make_interval(secs => $2) WHERE tenant_id = $1', [
      tenantId,
      seconds,
    ]),
  );

/** Moves the times of the tenant's sessions. */
const setSessions = (tenantId: string, assignments: string) =>
  database().transaction(tenantId, (tx) => tx.query(`UPDATE session SET ${assignments}`));

describe('POST /api/auth/refresh', () => {
  it('exchanges a refresh token for a new pair of the same session', async () => {
    const account = await identity.account();
    const { status, body } = await refresh(account.refreshToken);
    expect(status).toBe(200);
    expect(body).toMatchObject({ tokenType: 'Bearer', expiresIn: 900 });
    expect(body.refreshToken).not.toBe(account.refreshToken);
    expect((await me(body.accessToken)).status).toBe(200);
    expect((await sessions(body.accessToken)).body.total).toBe(1);
  });

  it('ends the session when a spent refresh token is presented after its successor was used', async () => {
    const account = await identity.account();
    const { body: next } = await refresh(account.refreshToken);
    const { body: last } = await refresh(next.refreshToken);
    const reuse = await refresh(account.refreshToken);
    expect([reuse.status, reuse.body.code]).toEqual([401, 'INVALID_REFRESH_TOKEN']);
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
    const rows = await database().crossTenant((tx) =>
      tx.query<{ stored: string }>('SELECT row_to_json(t)::text AS stored FROM refresh_token t WHERE tenant_id = $1', [
        account.tenantId,
      ]),
    );
    const stored = rows.map((row) => row.stored).join();
    for (const token of [account.refreshToken, body.refreshToken]) {
      for (const form of [token, Buffer.from(token).toString('hex'), Buffer.from(token, 'base64url').toString('hex')]) {
        expect(stored).not.toContain(form);
      }
    }
  });

  it('refuses a text that is not a refresh token, and an access token', async () => {
    const account = await identity.account();
    for (const token of ['nonsense', account.accessToken]) {
      const { status, body } = await refresh(token);
      expect([status, body.code]).toEqual([401, 'INVALID_REFRESH_TOKEN']);
    }
  });

  it('issues an access token with the current roles of the user', async () => {
    const { owner, member } = await identity.team('member');
    await identity.changeUser(owner, member.userId, { roles: ['viewer'] });
    const { body } = await refresh(member.refreshToken);
    expect((await me(body.accessToken)).body.roles).toEqual(['viewer']);
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
    const { data } = (await sessions(body.accessToken)).body;
    expect(data[0]?.expiresAt).toBe(data[0]?.endsAt);
    await setSessions(account.tenantId, 'expires_at = now(), ends_at = now()');
    expect((await refresh(body.refreshToken)).status).toBe(401);
  });
});

describe('POST /api/auth/logout', () => {
  it('ends the session: the refresh token stops working at once, the access token within a second', async () => {
    const account = await identity.account();
    const other = await identity.signedIn(account.email);
    expect((await identity.request('POST', '/api/auth/logout', { token: account.accessToken })).status).toBe(204);
    expect((await refresh(account.refreshToken)).status).toBe(401);
    await identity.refuses(account.accessToken);
    expect((await me(other.accessToken)).status).toBe(200);
  });
});

describe('sessions', () => {
  it('lists the sessions of the user and marks the current one', async () => {
    const account = await identity.account();
    await identity.signedIn(account.email);
    const { status, body } = await sessions(account.accessToken);
    expect(status).toBe(200);
    const data = body.data;
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
    const { data } = (await sessions(body.accessToken)).body;
    expect(data.find(({ current }) => current)).toMatchObject({
      device: 'Firefox on Linux',
      address: '192.0.2.7',
      lastAddress: '198.51.100.9',
    });
  });

  it('ends one session and leaves the others open', async () => {
    const account = await identity.account();
    const other = await identity.signedIn(account.email);
    const { body } = await sessions(account.accessToken);
    const { id } = body.data.find(({ current }) => !current)!;
    const path = `/api/auth/sessions/${id}`;
    expect((await identity.request('DELETE', path, { token: account.accessToken })).status).toBe(204);
    expect((await identity.request('DELETE', path, { token: account.accessToken })).status).toBe(404);
    await identity.refuses(other.accessToken);
    expect((await refresh(other.refreshToken)).status).toBe(401);
  });

  it('ends all sessions of the user in one call', async () => {
    const account = await identity.account();
    const other = await identity.signedIn(account.email);
    expect((await identity.request('DELETE', '/api/auth/sessions', { token: account.accessToken })).status).toBe(204);
    await identity.refuses(account.accessToken);
    await identity.refuses(other.accessToken);
    expect((await identity.login(account.email)).status).toBe(200);
  });

  it('answers 404 for a session of another user, in the same workspace and in another one', async () => {
    const { owner, member } = await identity.team('member');
    const stranger = await identity.account();
    const { body } = await sessions(member.accessToken);
    const id = body.data[0]?.id;
    for (const { accessToken } of [owner, stranger]) {
      expect((await identity.request('DELETE', `/api/auth/sessions/${id}`, { token: accessToken })).status).toBe(404);
    }
    expect((await me(member.accessToken)).status).toBe(200);
  });
});

const list = ({ accessToken }: Account, userId: string) =>
  identity.request('GET', `/api/tenant/users/${userId}/sessions`, { token: accessToken });
const end = ({ accessToken }: Account, userId: string, sessionId = '') =>
  identity.request('DELETE', `/api/tenant/users/${userId}/sessions${sessionId && `/${sessionId}`}`, {
    token: accessToken,
  });

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
    expect((await me(member.accessToken)).status).toBe(200);
    expect((await end(admin, member.userId)).status).toBe(204);
    await identity.refuses(member.accessToken);
    expect((await identity.post('/api/auth/refresh', { refreshToken: member.refreshToken })).status).toBe(401);
  });

  it('are neither shown to nor ended by a member, an administrator of less rank, or another workspace', async () => {
    const { owner, admin, member } = await identity.team('admin', 'member');
    const stranger = await identity.account();
    for (const [account, userId, status] of [
      [member, admin.userId, 403],
      [admin, owner.userId, 403],
      [stranger, member.userId, 404],
    ] as const) {
      expect([(await list(account, userId)).status, (await end(account, userId)).status]).toEqual([status, status]);
    }
    expect((await me(owner.accessToken)).status).toBe(200);
  });

  it('are ended only with a recent proof', async () => {
    const { owner, member } = await identity.team('member');
    await identity.forgetProofs(owner.tenantId);
    expect((await end(owner, member.userId)).body.code).toBe('STEP_UP_REQUIRED');
    // A refresh proves nothing.
    const refreshed = await identity.post('/api/auth/refresh', { refreshToken: owner.refreshToken });
    const again = { ...owner, accessToken: refreshed.body.accessToken };
    expect((await end(again, member.userId)).body.code).toBe('STEP_UP_REQUIRED');
    expect((await identity.post('/api/auth/step-up', { password: 'wrong' }, again.accessToken)).status).toBe(401);
    expect((await identity.post('/api/auth/step-up', {}, again.accessToken)).status).toBe(401);
    expect((await identity.stepUp(again.accessToken)).status).toBe(204);
    expect((await end(again, member.userId)).status).toBe(204);
  });
});

const WAITING = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

/** What a change of the password does to the sessions, with the act begun before it commits. */
async function actWhileSessionEnds(
  { tenantId }: Account,
  act: () => Promise<{ status: number; body: { code: string } }>,
): Promise<{ status: number; body: { code: string } } | undefined> {
  const database = identity.get(Database);
  let acting: ReturnType<typeof act> | undefined;
  await database.transaction(tenantId, async (tx) => {
    await tx.query('SELECT 1 FROM app_user WHERE tenant_id = $1 FOR UPDATE', [tenantId]);
    acting = act();
    // In transactions of their own: what a transaction sees of other connections does not change.
    const isWaiting = async () => (await database.transaction(tenantId, (other) => other.query(WAITING))).length > 0;
    await waitUntil(isWaiting, { describe: 'the act to wait for the user' });
    await tx.query('DELETE FROM session WHERE tenant_id = $1', [tenantId]);
  });
  return acting;
}

const rows = (account: Account, sql: string) => identity.query(account.tenantId, sql);

describe('a session that ends while its user is changed', () => {
  it('lets no app act for the user', async () => {
    const app = await installed(identity);
    const request = await requestOf(identity, app, pkce().challenge);
    const answer = await actWhileSessionEnds(app.admin, () => decide(identity, app.admin, request));
    expect(answer?.body.code).toBe('STEP_UP_REQUIRED');
    expect(await rows(app.admin, 'SELECT 1 FROM oauth_code')).toEqual([]);
  });

  it('adds no passkey', async () => {
    const account = await identity.account();
    const authenticator = new SoftwareAuthenticator(USERS.origins[0] ?? '');
    const { challengeId, publicKey } = await optionsFor(identity, '/api/auth/passkeys/options', account.accessToken);
    const credential = authenticator.create(publicKey);
    const answer = await actWhileSessionEnds(account, () =>
      identity.post('/api/auth/passkeys', { challengeId, credential }, account.accessToken),
    );
    expect(answer?.body.code).toBe('STEP_UP_REQUIRED');
    expect(await rows(account, 'SELECT 1 FROM passkey')).toEqual([]);
  });

  it('removes no passkey', async () => {
    const { account, passkeyId } = await passkeyAccount(identity);
    const answer = await actWhileSessionEnds(account, () =>
      identity.request('DELETE', `/api/auth/passkeys/${passkeyId}`, { token: account.accessToken }),
    );
    expect(answer?.body.code).toBe('STEP_UP_REQUIRED');
    expect(await rows(account, 'SELECT 1 FROM passkey')).toHaveLength(1);
  });

  it('begins no enrolment', async () => {
    const account = await identity.account();
    const answer = await actWhileSessionEnds(account, () =>
      identity.post('/api/auth/mfa/authenticator', {}, account.accessToken),
    );
    expect(answer?.body.code).toBe('STEP_UP_REQUIRED');
    expect(await rows(account, 'SELECT 1 FROM authenticator')).toEqual([]);
  });

  it('removes no authenticator', async () => {
    const account = await identity.account();
    await enrol(identity, account);
    const answer = await actWhileSessionEnds(account, () =>
      identity.request('DELETE', '/api/auth/mfa/authenticator', { token: account.accessToken }),
    );
    expect(answer?.body.code).toBe('STEP_UP_REQUIRED');
    expect(await rows(account, 'SELECT 1 FROM authenticator')).toHaveLength(1);
  });

  it('adds no authenticator', async () => {
    const account = await identity.account();
    const started: Answer = await identity.post('/api/auth/mfa/authenticator', {}, account.accessToken);
    const app = new TestAuthenticator(identity, account.tenantId, started.body.secret);
    const answer = await actWhileSessionEnds(account, () => confirm(identity, account, app.code()));
    expect(answer?.body.code).toBe('STEP_UP_REQUIRED');
    expect(await rows(account, 'SELECT 1 FROM authenticator WHERE confirmed_at IS NOT NULL')).toEqual([]);
  });

  it('replaces no recovery codes', async () => {
    const account = await identity.account();
    await enrol(identity, account);
    const before = await rows(account, 'SELECT * FROM recovery_code');
    const answer = await actWhileSessionEnds(account, () =>
      identity.post('/api/auth/mfa/recovery-codes', undefined, account.accessToken),
    );
    expect(answer?.body.code).toBe('STEP_UP_REQUIRED');
    expect(await rows(account, 'SELECT * FROM recovery_code')).toEqual(before);
  });
});
