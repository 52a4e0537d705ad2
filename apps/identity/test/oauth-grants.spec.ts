import { Database } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuthAppService, OAuthInstallationService } from '../src/oauth/client.service.js';
import { TestIdentity } from './identity.js';
import { basic, granted, installed, issue, post, principalOf, refresh } from './oauth.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

const codeOf = (token: string) =>
  principalOf(identity, token).then(
    () => 'accepted',
    (error: { code?: string }) => error.code,
  );
const isRevoked = (token: string) => waitUntil(async () => (await codeOf(token)) === 'TOKEN_REVOKED');

const grantsOf = async (token: string) =>
  (await identity.request('GET', '/api/auth/oauth/grants', { token })).body as unknown as {
    data: { id: string; app: { key: string }; scopes: string[] }[];
    total: number;
  };

/** Moves what has been exchanged into the past. */
const later = (tenantId: string, seconds: number) =>
  identity.get(Database).transaction(tenantId, (tx) =>
    tx.query(
      `UPDATE oauth_refresh_token SET rotated_at = rotated_at - make_interval(secs => $2)
        WHERE tenant_id = $1 AND rotated_at IS NOT NULL`,
      [tenantId, seconds],
    ),
  );

describe('a refresh token of an app', () => {
  it('gives new tokens with the present roles of the user and the present scopes of the installation', async () => {
    const app = await installed(identity);
    const member = await identity.member(app.admin);
    const first = await granted(identity, app, member);
    const path = `/api/tenant/users/${member.userId}`;
    await identity.request('PATCH', path, { token: app.admin.accessToken, body: { roles: ['viewer'] } });
    await identity.get(OAuthInstallationService).register({ ...app, scopes: ['leads:read'] });
    const second = await refresh(identity, app, first.refresh_token);
    expect([second.status, second.body.scope]).toEqual([200, 'leads:read']);
    expect(await principalOf(identity, second.body.access_token)).toMatchObject({
      roles: ['viewer'],
      scopes: ['leads:read'],
    });
  });

  it('gives fewer scopes when asked, without narrowing the next, and never more', async () => {
    const app = await installed(identity);
    const { refresh_token } = await granted(identity, app, app.admin);
    const wide = await refresh(identity, app, refresh_token, { scope: 'leads contacts' });
    expect([wide.status, wide.body.error]).toEqual([400, 'invalid_scope']);
    const narrow = await refresh(identity, app, refresh_token, { scope: 'leads:read' });
    expect(narrow.body.scope).toBe('leads:read');
    expect((await refresh(identity, app, narrow.body.refresh_token)).body.scope).toBe('leads tasks:read');
  });

  it('gives the same successor again for ten seconds, and at the same time', async () => {
    const app = await installed(identity);
    const { refresh_token } = await granted(identity, app, app.admin);
    const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(identity, app, refresh_token)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
  });

  it('ends the grant when it is presented again after ten seconds', async () => {
    const app = await installed(identity);
    const { refresh_token } = await granted(identity, app, app.admin);
    const second = await refresh(identity, app, refresh_token);
    await later(app.tenantId, 11);
    expect((await refresh(identity, app, refresh_token)).body.error).toBe('invalid_grant');
    await isRevoked(second.body.access_token);
    expect((await refresh(identity, app, second.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('ends the grant when it is presented again after its successor was used', async () => {
    const app = await installed(identity);
    const { refresh_token } = await granted(identity, app, app.admin);
    const second = await refresh(identity, app, refresh_token);
    const third = await refresh(identity, app, second.body.refresh_token);
    expect((await refresh(identity, app, refresh_token)).body.error).toBe('invalid_grant');
    await isRevoked(third.body.access_token);
  });

  it('is refused from another app and with another installation, and stays valid for its own', async () => {
    const [app, other] = [await installed(identity), await installed(identity)];
    const { refresh_token } = await granted(identity, app, app.admin);
    expect((await refresh(identity, other, refresh_token)).body.error).toBe('invalid_grant');
    const foreign = { installation_id: other.installationId };
    expect((await refresh(identity, app, refresh_token, foreign)).body.error).toBe('invalid_grant');
    const own = { installation_id: app.installationId };
    expect((await refresh(identity, app, refresh_token, own)).status).toBe(200);
  });

  it('is refused after the end of the grant, however often it was used', async () => {
    const app = await installed(identity);
    const { refresh_token } = await granted(identity, app, app.admin);
    await identity
      .get(Database)
      .transaction(app.tenantId, (tx) => tx.query('UPDATE oauth_grant SET expires_at = now(), ends_at = now()'));
    expect((await refresh(identity, app, refresh_token)).body.error).toBe('invalid_grant');
  });
});

describe('what an app may do for a user', () => {
  it('is listed and ended by the user, and by nobody else', async () => {
    const app = await installed(identity);
    const member = await identity.member(app.admin);
    const tokens = await granted(identity, app, member);
    expect((await grantsOf(app.admin.accessToken)).data).toEqual([]);
    const { data, total } = await grantsOf(member.accessToken);
    expect(total).toBe(1);
    expect(data[0]).toMatchObject({ app: { key: app.appKey, name: 'Site Visits' }, scopes: ['leads', 'tasks:read'] });
    const path = `/api/auth/oauth/grants/${data[0]?.id}`;
    expect((await identity.request('DELETE', path, { token: app.admin.accessToken })).status).toBe(404);
    expect((await identity.request('DELETE', path, { token: member.accessToken })).status).toBe(204);
    await isRevoked(tokens.access_token);
    expect((await refresh(identity, app, tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect((await grantsOf(member.accessToken)).data).toEqual([]);
    expect((await identity.request('DELETE', path, { token: member.accessToken })).status).toBe(404);
  });

  it('ends with the installation, for every user', async () => {
    const app = await installed(identity);
    const member = await identity.member(app.admin);
    const all = [await granted(identity, app, app.admin), await granted(identity, app, member)];
    await identity.get(OAuthInstallationService).end(app);
    for (const { access_token, refresh_token } of all) {
      await isRevoked(access_token);
      expect((await refresh(identity, app, refresh_token)).body.error).toBe('invalid_grant');
    }
    expect((await grantsOf(member.accessToken)).data).toEqual([]);
  });

  it('ends while the app is revoked', async () => {
    const app = await installed(identity);
    const { access_token, refresh_token } = await granted(identity, app, app.admin);
    await identity.get(OAuthAppService).setStatus(app.appKey, 'revoked');
    await isRevoked(access_token);
    expect((await refresh(identity, app, refresh_token)).body.error).toBe('invalid_grant');
  });

  it('ends when the user is disabled and when they end all of their sessions', async () => {
    const app = await installed(identity);
    for (const end of ['disable', 'sessions']) {
      const member = await identity.member(app.admin);
      const { access_token, refresh_token } = await granted(identity, app, member);
      const ended =
        end === 'disable'
          ? await identity.request('PATCH', `/api/tenant/users/${member.userId}`, {
              token: app.admin.accessToken,
              body: { status: 'disabled' },
            })
          : await identity.request('DELETE', '/api/auth/sessions', { token: member.accessToken });
      expect([end, ended.status < 300]).toEqual([end, true]);
      await isRevoked(access_token);
      expect((await refresh(identity, app, refresh_token)).body.error).toBe('invalid_grant');
    }
  });
});

describe('revocation by the app', () => {
  it('of a refresh token and of an access token ends the grant', async () => {
    const app = await installed(identity);
    for (const which of ['refresh_token', 'access_token'] as const) {
      const tokens = await granted(identity, app, app.admin);
      const revoked = await post(identity, 'revoke', { client_id: app.appKey, token: tokens[which] });
      expect(revoked.status).toBe(200);
      await isRevoked(tokens.access_token);
      expect((await refresh(identity, app, tokens.refresh_token)).body.error).toBe('invalid_grant');
    }
  });

  it('of a token of the installation ends this one alone', async () => {
    const app = await installed(identity);
    const { clientId, clientSecret } = await issue(identity, app);
    const headers = basic(clientId, clientSecret);
    const token = async () =>
      (await post(identity, 'token', { grant_type: 'client_credentials' }, headers)).body.access_token;
    const [one, other] = [await token(), await token()];
    expect((await post(identity, 'revoke', { token: one }, headers)).status).toBe(200);
    await isRevoked(one);
    expect(await codeOf(other)).toBe('accepted');
  });

  it('is answered alike for a token that is not valid, and refused for one of another client', async () => {
    const [app, other] = [await installed(identity), await installed(identity)];
    const { clientId, clientSecret } = await issue(identity, other);
    const tokens = await granted(identity, app, app.admin);
    for (const token of ['garbage', 'a.b.c', `${'A'.repeat(64)}.secret`]) {
      expect((await post(identity, 'revoke', { client_id: other.appKey, token })).status).toBe(200);
    }
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      for (const [form, headers] of [
        [{ client_id: other.appKey }, {}],
        [{}, basic(clientId, clientSecret)],
      ] as [Record<string, string>, Record<string, string>][]) {
        const { status, body } = await post(identity, 'revoke', { ...form, token }, headers);
        expect([status, body.error]).toEqual([400, 'unauthorized_client']);
      }
      const wrong = await post(identity, 'revoke', { token }, basic(clientId, 'wrong'));
      expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client']);
    }
    expect(await codeOf(tokens.access_token)).toBe('accepted');
    expect((await refresh(identity, app, tokens.refresh_token)).status).toBe(200);
  });

  it('does not end sessions of users', async () => {
    const app = await installed(identity);
    const { accessToken, refreshToken } = app.admin;
    for (const token of [accessToken, refreshToken]) {
      expect((await post(identity, 'revoke', { client_id: app.appKey, token })).status).toBe(200);
    }
    expect(await codeOf(accessToken)).toBe('accepted');
    expect((await identity.post('/api/auth/refresh', { refreshToken })).status).toBe(200);
  });
});

describe('introspection', () => {
  it('describes the tokens of the installation and of the users for whom the app acts there', async () => {
    const app = await installed(identity);
    const { clientId, clientSecret } = await issue(identity, app);
    const headers = basic(clientId, clientSecret);
    const ask = (token: string) => post(identity, 'introspect', { token }, headers);
    const own = (await post(identity, 'token', { grant_type: 'client_credentials' }, headers)).body.access_token;
    const tokens = await granted(identity, app, app.admin);
    const where = { tenant_id: app.tenantId, installation_id: app.installationId };
    expect((await ask(own)).body).toMatchObject({
      active: true,
      token_type: 'Bearer',
      client_id: clientId,
      sub: app.installationId,
      scope: 'leads tasks:read',
      exp: expect.any(Number),
      ...where,
    });
    const ofUser = { active: true, client_id: app.appKey, sub: app.admin.userId, ...where };
    expect((await ask(tokens.access_token)).body).toMatchObject(ofUser);
    expect((await ask(tokens.refresh_token)).body).toMatchObject(ofUser);
    await refresh(identity, app, tokens.refresh_token);
    expect((await ask(tokens.refresh_token)).body).toEqual({ active: false });
  });

  it('says nothing of tokens of others, of sessions, and of what has ended', async () => {
    const [app, other] = [await installed(identity), await installed(identity)];
    const { clientId, clientSecret } = await issue(identity, other);
    const tokens = await granted(identity, app, app.admin);
    const ended = await granted(identity, other, other.admin);
    await post(identity, 'revoke', { client_id: other.appKey, token: ended.refresh_token });
    await isRevoked(ended.access_token);
    for (const token of [
      tokens.access_token,
      tokens.refresh_token,
      app.admin.accessToken,
      other.admin.accessToken,
      ended.access_token,
      ended.refresh_token,
      'garbage',
    ]) {
      const { status, body } = await post(identity, 'introspect', { token }, basic(clientId, clientSecret));
      expect([status, body]).toEqual([200, { active: false }]);
    }
  });

  it('is not for public clients, which anybody can pretend to be', async () => {
    const app = await installed(identity);
    const { access_token: token } = await granted(identity, app, app.admin);
    const { status, body } = await post(identity, 'introspect', { client_id: app.appKey, token });
    expect([status, body.error]).toEqual([401, 'invalid_client']);
  });
});

describe('the metadata', () => {
  it('name the endpoints and what they support', async () => {
    const { status, body } = await identity.request('GET', '/.well-known/oauth-authorization-server');
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        issuer: 'http://127.0.0.1:8080',
        token_endpoint: 'http://127.0.0.1:8080/api/auth/oauth/token',
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
      }),
    ]);
  });
});
