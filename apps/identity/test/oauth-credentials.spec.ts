import { randomUUID } from 'node:crypto';
import { rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { describe, expect, it, jest } from '@jest/globals';
import { decodeJwt } from 'jose';
import { OAuthAppService, OAuthInstallationService } from '../src/oauth/client.service.js';
import { FAILURES_PER_CLIENT } from '../src/oauth/token-request.js';
import { codeOf, principalOf, untilRevoked } from './checks.js';
import { outcome, TestIdentity } from './identity.js';
import { basic, expectEnded, granted, installed, issue, post, refresh } from './oauth.js';

const identity = TestIdentity.ofFile();

const CLIENT_CREDENTIALS = { grant_type: 'client_credentials' };
const INVALID_CLIENT = [401, 'invalid_client'];

/** An installation with credentials, and ways to get a token with them. */
async function client(changes: Parameters<typeof installed>[1] = {}, from = '198.51.100.7') {
  const installation = await installed(identity, changes);
  const credentials = await issue(identity, installation);
  const { clientId, clientSecret } = credentials;
  const token = (more: Record<string, string> = {}, headers = basic(clientId, clientSecret)) =>
    post(identity, 'token', { ...CLIENT_CREDENTIALS, ...more }, { 'x-forwarded-for': from, ...headers });
  return { installation, ...credentials, token };
}

describe('a token for client credentials', () => {
  it('is that of the installation, for 15 minutes, with the scopes it was granted', async () => {
    const { installation, token } = await client();
    const { status, body, headers } = await token();
    const { installationId, tenantId, appKey } = installation;
    expect([status, body]).toMatchObject([
      200,
      { token_type: 'Bearer', expires_in: 900, installation_id: installationId, tenant_id: tenantId },
    ]);
    expect(body.scope).toBe('leads tasks:read');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).not.toHaveProperty('refresh_token');
    const claims = decodeJwt(body.access_token);
    expect(claims.act).not.toHaveProperty('sandbox');
    expect(claims).toMatchObject({
      aud: 'platform-api',
      sub: installationId,
      tid: tenantId,
      roles: [`app:${appKey}`],
      scopes: ['leads', 'tasks:read'],
      act: { sub: appKey, installation_id: installationId },
    });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(900);
    expect(await principalOf(identity, body.access_token)).toMatchObject({ kind: 'app', appKey, installationId });
  });

  it('says that it is a sandbox, whose objects are not those of production', async () => {
    const { token } = await client({ sandbox: true });
    const { body } = await token();
    expect(decodeJwt(body.access_token).act).toMatchObject({ sandbox: true });
    expect(await principalOf(identity, body.access_token)).toMatchObject({ kind: 'app', sandbox: true });
  });

  it('is issued for credentials in the body too, and for form-encoded parts of HTTP Basic', async () => {
    const { clientId, clientSecret, token } = await client();
    expect((await token({ client_id: clientId, client_secret: clientSecret }, {} as never)).status).toBe(200);
    expect((await token({}, basic(clientId.replace('_', '%5F'), clientSecret))).status).toBe(200);
  });

  it('has fewer scopes when the app asks for fewer, and never more than were granted', async () => {
    const { token } = await client();
    expect((await token({ scope: 'leads:read' })).body.scope).toBe('leads:read');
    for (const scope of ['contacts', 'tasks', 'leads tasks', 'admin', 'leads contacts:read']) {
      expect([scope, ...(await outcome(token({ scope })))]).toEqual([scope, 400, 'invalid_scope']);
    }
    expect((await (await client({ scopes: [] })).token()).body.error).toBe('invalid_scope');
  });
});

describe('a token call', () => {
  it('is refused in the same way for an unknown client, a wrong secret and no secret', async () => {
    const { clientId, clientSecret, token } = await client();
    const answers = [
      await token({}, basic(clientId, `${clientSecret}x`)),
      await token({}, basic(`app_${randomUUID()}`, clientSecret)),
    ];
    for (const answer of answers) {
      expect(await outcome(answer)).toEqual(INVALID_CLIENT);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
    }
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    expect(await outcome(token({ client_id: clientId }, {} as never))).toEqual(INVALID_CLIENT);
  });

  it('is refused with the secret of another installation', async () => {
    const [one, other] = [await client(), await client()];
    expect((await one.token({}, basic(one.clientId, other.clientSecret))).body.error).toBe('invalid_client');
  });

  it('is refused when it authenticates twice, names two clients or repeats a parameter', async () => {
    const { clientId, clientSecret, token } = await client();
    const twice = await token({ client_id: clientId, client_secret: clientSecret });
    const two = await token({ client_id: 'another' });
    const body = `grant_type=client_credentials&scope=leads&scope=tasks:read`;
    const repeated = await post(identity, 'token', body, basic(clientId, clientSecret));
    for (const answer of [twice, two, repeated]) expect(answer.body.error).toBe('invalid_request');
  });

  it('is refused without a form, without a grant type and with an unknown one', async () => {
    const { clientId, clientSecret } = await client();
    const headers = basic(clientId, clientSecret);
    const json = await identity.request('POST', '/api/auth/oauth/token', { headers, body: CLIENT_CREDENTIALS });
    expect(await outcome(json)).toEqual([400, 'invalid_request']);
    expect((await post(identity, 'token', {}, headers)).body.error).toBe('invalid_request');
    const password = { grant_type: 'password', username: 'a', password: 'b' };
    expect((await post(identity, 'token', password, headers)).body.error).toBe('unsupported_grant_type');
  });

  it('takes no characters that the database could not store', async () => {
    for (const client_id of ['\0', 'ä', '\n']) {
      const answer = await post(identity, 'token', { ...CLIENT_CREDENTIALS, client_id, client_secret: 'x' });
      expect(await outcome(answer)).toEqual([400, 'invalid_request']);
    }
    expect((await post(identity, 'token', CLIENT_CREDENTIALS, basic('\0', '\0'))).status).toBe(401);
  });

  it('is refused after too many wrong secrets from an address, before anything is read, and not from another', async () => {
    const { clientId, clientSecret, token } = await client({}, '203.0.113.50');
    for (let count = 0; count < FAILURES_PER_CLIENT; count += 1) await token({}, basic(clientId, 'wrong'));
    const refused = await token();
    expect(await outcome(refused)).toEqual([429, 'temporarily_unavailable']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const elsewhere = { ...basic(clientId, clientSecret), 'x-forwarded-for': '203.0.113.51' };
    expect((await post(identity, 'token', CLIENT_CREDENTIALS, elsewhere)).status).toBe(200);
  });
});

describe('a form', () => {
  it('is not accepted where JSON is meant', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = 'email=a%40b.test&password=x';
    expect((await identity.request('POST', '/api/auth/login', { headers, body })).status).toBe(415);
  });
});

describe('credentials of an installation', () => {
  const service = () => identity.get(OAuthInstallationService);

  it('keep the client id when they are issued again, and the previous secret for the overlap', async () => {
    const { installation, clientId, clientSecret, token } = await client();
    const { installationId } = installation;
    const admin = await principalOf(identity, installation.admin.accessToken);
    expect((await service().describe(admin, installationId))?.secret.lastUsedAt).toBeNull();
    await token();
    expect((await service().describe(admin, installationId))?.secret.lastUsedAt).not.toBeNull();
    const second = await issue(identity, installation, 3600);
    expect(second.clientId).toBe(clientId);
    expect(second.previousSecretValidUntil).not.toBeNull();
    for (const secret of [clientSecret, second.clientSecret]) {
      expect((await token({}, basic(clientId, secret))).status).toBe(200);
    }
    expect(await service().describe(admin, installationId)).toMatchObject({
      clientId,
      scopes: ['leads', 'tasks:read'],
      previousSecret: { validUntil: second.previousSecretValidUntil },
    });
    expect(await service().revokePrevious(admin, installationId)).toBe(true);
    expect((await token({}, basic(clientId, clientSecret))).status).toBe(401);
    expect((await token({}, basic(clientId, second.clientSecret))).status).toBe(200);
    expect(await service().revokePrevious(admin, installationId)).toBe(false);
  });

  it('lose the previous secret at once without an overlap', async () => {
    const { installation, clientId, clientSecret, token } = await client();
    expect((await issue(identity, installation, 0)).previousSecretValidUntil).toBeNull();
    expect((await token({}, basic(clientId, clientSecret))).status).toBe(401);
  });

  it('are stored as a hash only', async () => {
    const { installation, clientSecret } = await client();
    const sql = 'SELECT i::text AS row FROM oauth_installation i WHERE installation_id = $1';
    const rows = await identity.queryAll<{ row: string }>(sql, [installation.installationId]);
    expect(rows[0]?.row).toContain(installation.appKey);
    expect(rows[0]?.row).not.toContain(clientSecret);
    expect(rows[0]?.row).not.toContain(Buffer.from(clientSecret).toString('hex'));
  });

  it('belong to the workspace: another administrator neither sees, ends nor replaces them', async () => {
    const { installation } = await client();
    const stranger = { ...installation, admin: await identity.account() };
    const principal = await principalOf(identity, stranger.admin.accessToken);
    expect(await service().describe(principal, installation.installationId)).toBeNull();
    expect(await service().revokePrevious(principal, installation.installationId)).toBe(false);
    await expect(issue(identity, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('tokens of an installation', () => {
  it('end within a second when it is uninstalled, and nothing is issued any more', async () => {
    const { installation, token } = await client();
    const { access_token } = (await token()).body;
    await identity.get(OAuthInstallationService).end(installation);
    await untilRevoked(identity, access_token);
    expect((await token()).body.error).toBe('invalid_client');
    await expect(issue(identity, installation)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are not revived by a registration that arrives after the end', async () => {
    const { installation } = await client();
    const service = identity.get(OAuthInstallationService);
    for (const ended of [installation, { ...installation, installationId: randomUUID() }]) {
      await service.end(ended);
      await expect(service.register(ended)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('go on while the app is suspended, and end within a second when it is revoked', async () => {
    const { installation, token } = await client();
    const apps = identity.get(OAuthAppService);
    const { access_token } = (await token()).body;
    await apps.setStatus(installation.appKey, 'suspended');
    expect((await token()).status).toBe(200);
    await apps.setStatus(installation.appKey, 'revoked');
    await untilRevoked(identity, access_token);
    expect((await token()).body.error).toBe('invalid_client');
    await apps.setStatus(installation.appKey, 'active');
    expect((await token()).status).toBe(200);
  });

  it('are not issued for a workspace that is closed', async () => {
    const { installation, token } = await client();
    await identity.query(installation.tenantId, 'UPDATE tenant SET closed_at = now()');
    expect((await token()).body.error).toBe('invalid_client');
  });

  it('are issued in one round trip to the database', async () => {
    const { token } = await client();
    await token();
    const database = identity.get(Database);
    const spies = [jest.spyOn(database, 'crossTenantStatement'), jest.spyOn(database, 'transaction')] as const;
    try {
      expect((await token()).status).toBe(200);
      // The sweepers of the process have narrow transactions of their own.
      expect(spies.map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
    } finally {
      jest.restoreAllMocks();
    }
  });
});

describe('the contract of calls between services', () => {
  it('lets only the marketplace say what an installation is', () => {
    const { registerOAuthInstallation, endOAuthInstallation, issueOAuthCredentials } = rpc.identity;
    for (const { callers } of [registerOAuthInstallation, endOAuthInstallation, issueOAuthCredentials]) {
      expect(callers).toEqual(['marketplace-certification']);
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
      await expectEnded(identity, app, tokens);
    }
  });

  it('of a token of the installation ends this one alone', async () => {
    const { clientId, clientSecret, token } = await client();
    const [one, other] = [(await token()).body.access_token, (await token()).body.access_token];
    expect((await post(identity, 'revoke', { token: one }, basic(clientId, clientSecret))).status).toBe(200);
    await untilRevoked(identity, one);
    expect(await codeOf(principalOf(identity, other))).toBe('no error');
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
        expect(await outcome(post(identity, 'revoke', { ...form, token }, headers))).toEqual([
          400,
          'unauthorized_client',
        ]);
      }
      expect(await outcome(post(identity, 'revoke', { token }, basic(clientId, 'wrong')))).toEqual(INVALID_CLIENT);
    }
    expect(await codeOf(principalOf(identity, tokens.access_token))).toBe('no error');
    expect((await refresh(identity, app, tokens.refresh_token)).status).toBe(200);
  });

  it('does not end sessions of users', async () => {
    const app = await installed(identity);
    const { accessToken, refreshToken } = app.admin;
    for (const token of [accessToken, refreshToken]) {
      expect((await post(identity, 'revoke', { client_id: app.appKey, token })).status).toBe(200);
    }
    expect(await codeOf(principalOf(identity, accessToken))).toBe('no error');
    expect((await identity.post('/api/auth/refresh', { refreshToken })).status).toBe(200);
  });
});

describe('introspection', () => {
  it('describes the tokens of the installation and of the users for whom the app acts there', async () => {
    const { installation: app, clientId, clientSecret, token } = await client();
    const ask = (asked: string) => post(identity, 'introspect', { token: asked }, basic(clientId, clientSecret));
    const own = (await token()).body.access_token;
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
    for (const asked of [tokens.access_token, tokens.refresh_token]) {
      expect((await ask(asked)).body).toMatchObject(ofUser);
    }
    await refresh(identity, app, tokens.refresh_token);
    expect((await ask(tokens.refresh_token)).body).toEqual({ active: false });
  });

  it('says nothing of tokens of others, of sessions, and of what has ended', async () => {
    const [app, other] = [await installed(identity), await installed(identity)];
    const { clientId, clientSecret } = await issue(identity, other);
    const tokens = await granted(identity, app, app.admin);
    const ended = await granted(identity, other, other.admin);
    await post(identity, 'revoke', { client_id: other.appKey, token: ended.refresh_token });
    await untilRevoked(identity, ended.access_token);
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
    expect(await outcome(post(identity, 'introspect', { client_id: app.appKey, token }))).toEqual([
      401,
      'invalid_client',
    ]);
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
