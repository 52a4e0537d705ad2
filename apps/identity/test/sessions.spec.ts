import { Database } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GRACE_SECONDS } from '../src/sessions/refresh-token.repository.js';
import { type Account, PASSWORD, TestIdentity } from './identity.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

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

/** Cut-offs take effect within a second. */
const refused = (account: Pick<Account, 'accessToken'>) =>
  waitUntil(async () => (await me(account.accessToken)).status === 401, {
    timeoutMs: 1000,
    describe: 'the access token is refused',
  });

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
    await refused({ accessToken: last.accessToken });
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
    await refused({ accessToken: next.accessToken });
  });

  it('gives fifty exchanges of a refresh token at the same time one outcome', async () => {
    const account = await identity.account();
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(account.refreshToken)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const successors = new Set(answers.map(({ body }) => body.refreshToken));
    expect(successors.size).toBe(1);
    expect((await sessions(answers[0]?.body.accessToken ?? '')).body.total).toBe(1);
    const [successor = ''] = successors;
    expect((await refresh(successor)).status).toBe(200);
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
    const owner = await identity.account();
    const member = await identity.member(owner);
    await identity.request('PATCH', `/api/tenant/users/${member.userId}`, {
      token: owner.accessToken,
      body: { roles: ['viewer'] },
    });
    const { body } = await refresh(member.refreshToken);
    expect((await me(body.accessToken)).body.roles).toEqual(['viewer']);
    await refused(member);
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
    await refused(account);
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
    await refused(other);
    expect((await refresh(other.refreshToken)).status).toBe(401);
  });

  it('ends all sessions of the user in one call', async () => {
    const account = await identity.account();
    const other = await identity.signedIn(account.email);
    expect((await identity.request('DELETE', '/api/auth/sessions', { token: account.accessToken })).status).toBe(204);
    await refused(account);
    await refused(other);
    expect((await identity.login(account.email)).status).toBe(200);
  });

  it('answers 404 for a session of another user, in the same workspace and in another one', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    const stranger = await identity.account();
    const { body } = await sessions(member.accessToken);
    const id = body.data[0]?.id;
    for (const { accessToken } of [owner, stranger]) {
      expect((await identity.request('DELETE', `/api/auth/sessions/${id}`, { token: accessToken })).status).toBe(404);
    }
    expect((await me(member.accessToken)).status).toBe(200);
  });
});
