import { randomUUID } from 'node:crypto';
import { rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { OAuthAppService, OAuthInstallationService } from '../src/oauth/client.service.js';
import { FAILURES_PER_CLIENT } from '../src/oauth/token-request.js';
import { codeOf, crossTenant, inTenant, principalOf, untilRevoked } from './checks.js';
import { TestIdentity } from './identity.js';
import { basic, granted, type Installed, installed, issue, post, refresh } from './oauth.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

const CLIENT_CREDENTIALS = { grant_type: 'client_credentials' };

/** An installation with credentials, and ways to get a token with them. */
async function client(changes: Parameters<typeof installed>[1] = {}, from = '198.51.100.7') {
  const installation = await installed(identity, changes);
  const credentials = await issue(identity, installation);
  const { clientId, clientSecret } = credentials;
  const token = (more: Record<string, string> = {}, headers = basic(clientId, clientSecret)) =>
    post(identity, 'token', { ...CLIENT_CREDENTIALS, ...more }, { 'x-forwarded-for': from, ...headers });
  return { installation, ...credentials, token };
}

const isRevoked = (token: string) => untilRevoked(identity, token);

describe('a token for client credentials', () => {
  it('is that of the installation, for 15 minutes, with the scopes it was granted', async () => {
    const { installation, token } = await client();
    const { status, body, headers } = await token();
    expect([status, body.token_type, body.expires_in, body.scope]).toEqual([200, 'Bearer', 900, 'leads tasks:read']);
    expect([body.installation_id, body.tenant_id]).toEqual([installation.installationId, installation.tenantId]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).not.toHaveProperty('refresh_token');
    const claims = decodeJwt(body.access_token);
    expect(claims).toMatchObject({
      aud: 'platform-api',
      sub: installation.installationId,
      tid: installation.tenantId,
      roles: [`app:${installation.appKey}`],
      scopes: ['leads', 'tasks:read'],
      act: { sub: installation.appKey, installation_id: installation.installationId },
    });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(900);
    expect(await principalOf(identity, body.access_token)).toMatchObject({
      kind: 'app',
      appKey: installation.appKey,
      installationId: installation.installationId,
    });
  });

  it('is issued for credentials in the body too', async () => {
    const { clientId, clientSecret, token } = await client();
    const { status } = await token({ client_id: clientId, client_secret: clientSecret }, {} as never);
    expect(status).toBe(200);
  });

  it('is issued for form-encoded parts of HTTP Basic', async () => {
    const { clientId, clientSecret, token } = await client();
    const escaped = clientId.replace('_', '%5F');
    expect((await token({}, basic(escaped, clientSecret))).status).toBe(200);
  });

  it('has fewer scopes when the app asks for fewer, and never more than were granted', async () => {
    const { token } = await client();
    expect((await token({ scope: 'leads:read' })).body.scope).toBe('leads:read');
    for (const scope of ['contacts', 'tasks', 'leads tasks', 'admin', 'leads contacts:read']) {
      const { status, body } = await token({ scope });
      expect([scope, status, body.error]).toEqual([scope, 400, 'invalid_scope']);
    }
  });

  it('is not issued to an installation that was granted nothing', async () => {
    const { token } = await client({ scopes: [] });
    expect((await token()).body.error).toBe('invalid_scope');
  });

  it('reads no account and administers nothing', async () => {
    const { token } = await client();
    const { access_token } = (await token()).body;
    for (const [method, path] of [
      ['GET', '/api/tenant/users'],
      ['GET', '/api/auth/sessions'],
      ['POST', '/api/auth/logout'],
      ['GET', '/api/auth/oauth/grants'],
    ] as const) {
      const answer = await identity.request(method, path, { token: access_token });
      expect([path, answer.status]).toEqual([path, 403]);
    }
  });
});

describe('a token call', () => {
  it('is refused in the same way for an unknown client, a wrong secret and no secret', async () => {
    const { clientId, clientSecret, token } = await client();
    const answers = [
      await token({}, basic(clientId, `${clientSecret}x`)),
      await token({}, basic(`app_${randomUUID()}`, clientSecret)),
    ];
    for (const { status, body, headers } of answers) {
      expect([status, body.error]).toEqual([401, 'invalid_client']);
      expect(headers.get('www-authenticate')).toMatch(/^Basic /);
    }
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    const without = await token({ client_id: clientId }, {} as never);
    expect([without.status, without.body.error]).toEqual([401, 'invalid_client']);
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
    expect([json.status, (json.body as unknown as { error: string }).error]).toEqual([400, 'invalid_request']);
    expect((await post(identity, 'token', {}, headers)).body.error).toBe('invalid_request');
    const password = { grant_type: 'password', username: 'a', password: 'b' };
    expect((await post(identity, 'token', password, headers)).body.error).toBe('unsupported_grant_type');
  });

  it('takes no characters that the database could not store', async () => {
    for (const client_id of ['\0', 'ä', '\n']) {
      const { status, body } = await post(identity, 'token', { ...CLIENT_CREDENTIALS, client_id, client_secret: 'x' });
      expect([status, body.error]).toEqual([400, 'invalid_request']);
    }
    expect((await post(identity, 'token', CLIENT_CREDENTIALS, basic('\0', '\0'))).status).toBe(401);
  });

  it('is refused after too many wrong secrets from an address, before anything is read, and not from another', async () => {
    const { clientId, clientSecret, token } = await client({}, '203.0.113.50');
    for (let count = 0; count < FAILURES_PER_CLIENT; count += 1) await token({}, basic(clientId, 'wrong'));
    const refused = await token();
    expect([refused.status, refused.body.error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const elsewhere = { ...basic(clientId, clientSecret), 'x-forwarded-for': '203.0.113.51' };
    expect((await post(identity, 'token', CLIENT_CREDENTIALS, elsewhere)).status).toBe(200);
  });
});

describe('no form', () => {
  it('is accepted where JSON is meant', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = 'email=a%40b.test&password=x';
    expect((await identity.request('POST', '/api/auth/login', { headers, body })).status).toBe(415);
  });
});

describe('credentials of an installation', () => {
  const describeOf = async (installation: Installed) =>
    identity
      .get(OAuthInstallationService)
      .describe(await principalOf(identity, installation.admin.accessToken), installation.installationId);

  it('keep the client id when they are issued again, and the previous secret for the overlap', async () => {
    const { installation, clientId, clientSecret, token } = await client();
    expect((await describeOf(installation))?.secret.lastUsedAt).toBeNull();
    await token();
    expect((await describeOf(installation))?.secret.lastUsedAt).not.toBeNull();
    const second = await issue(identity, installation, 3600);
    expect(second.clientId).toBe(clientId);
    expect(second.previousSecretValidUntil).not.toBeNull();
    for (const secret of [clientSecret, second.clientSecret]) {
      expect((await token({}, basic(clientId, secret))).status).toBe(200);
    }
    expect(await describeOf(installation)).toMatchObject({
      clientId,
      scopes: ['leads', 'tasks:read'],
      previousSecret: { validUntil: second.previousSecretValidUntil },
    });
    const service = identity.get(OAuthInstallationService);
    const admin = await principalOf(identity, installation.admin.accessToken);
    expect(await service.revokePrevious(admin, installation.installationId)).toBe(true);
    expect((await token({}, basic(clientId, clientSecret))).status).toBe(401);
    expect((await token({}, basic(clientId, second.clientSecret))).status).toBe(200);
    expect(await service.revokePrevious(admin, installation.installationId)).toBe(false);
  });

  it('lose the previous secret at once without an overlap', async () => {
    const { installation, clientId, clientSecret, token } = await client();
    const second = await issue(identity, installation, 0);
    expect(second.previousSecretValidUntil).toBeNull();
    expect((await token({}, basic(clientId, clientSecret))).status).toBe(401);
  });

  it('are stored as a hash only', async () => {
    const { installation, clientSecret } = await client();
    const rows = await crossTenant<{ row: string }>(
      identity,
      'SELECT i::text AS row FROM oauth_installation i WHERE installation_id = $1',
      [installation.installationId],
    );
    expect(rows[0]?.row).toContain(installation.appKey);
    expect(rows[0]?.row).not.toContain(clientSecret);
    expect(rows[0]?.row).not.toContain(Buffer.from(clientSecret).toString('hex'));
  });

  it('belong to the workspace: another administrator neither sees, ends nor replaces them', async () => {
    const { installation } = await client();
    const stranger = { ...installation, admin: await identity.account() };
    const principal = await principalOf(identity, stranger.admin.accessToken);
    const service = identity.get(OAuthInstallationService);
    expect(await service.describe(principal, installation.installationId)).toBeNull();
    expect(await service.revokePrevious(principal, installation.installationId)).toBe(false);
    await expect(issue(identity, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('tokens of an installation', () => {
  it('end within a second when it is uninstalled, and nothing is issued any more', async () => {
    const { installation, token } = await client();
    const { access_token } = (await token()).body;
    await identity.get(OAuthInstallationService).end(installation);
    await isRevoked(access_token);
    expect((await token()).body.error).toBe('invalid_client');
    await expect(issue(identity, installation)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are not revived by a registration that arrives after the end', async () => {
    const { installation } = await client();
    const service = identity.get(OAuthInstallationService);
    await service.end(installation);
    await expect(service.register(installation)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const late = { ...installation, installationId: randomUUID() };
    await service.end(late);
    await expect(service.register(late)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('go on while the app is suspended, and end within a second when it is revoked', async () => {
    const { installation, token } = await client();
    const apps = identity.get(OAuthAppService);
    const { access_token } = (await token()).body;
    await apps.setStatus(installation.appKey, 'suspended');
    expect((await token()).status).toBe(200);
    await apps.setStatus(installation.appKey, 'revoked');
    await isRevoked(access_token);
    expect((await token()).body.error).toBe('invalid_client');
    await apps.setStatus(installation.appKey, 'active');
    expect((await token()).status).toBe(200);
  });

  it('are not issued for a workspace that is closed', async () => {
    const { installation, token } = await client();
    const { tenantId } = installation;
    await inTenant(identity, { tenantId }, 'UPDATE tenant SET closed_at = now() WHERE tenant_id = $1', [tenantId]);
    expect((await token()).body.error).toBe('invalid_client');
  });

  it('are issued in one round trip to the database', async () => {
    const { token } = await client();
    await token();
    const database = identity.get(Database);
    const calls: string[] = [];
    const [statement, narrow, tenant] = [database.crossTenantStatement, database.crossTenant, database.transaction];
    Object.assign(database, {
      crossTenantStatement: (...args: Parameters<typeof statement>) => {
        calls.push('statement');
        return statement.apply(database, args);
      },
      crossTenant: (...args: Parameters<typeof narrow>) => {
        calls.push('narrow transaction');
        return narrow.apply(database, args);
      },
      transaction: (...args: Parameters<typeof tenant>) => {
        calls.push('transaction');
        return tenant.apply(database, args);
      },
    });
    try {
      expect((await token()).status).toBe(200);
    } finally {
      Object.assign(database, { crossTenantStatement: statement, crossTenant: narrow, transaction: tenant });
    }
    // The sweepers of the process have transactions of their own.
    expect(calls.filter((call) => call === 'statement')).toHaveLength(1);
    expect(calls.filter((call) => call === 'transaction')).toHaveLength(0);
  });
});

describe('the contract of calls between services', () => {
  it('lets only the marketplace say what an installation is', () => {
    for (const contract of [
      rpc.identity.registerOAuthInstallation,
      rpc.identity.endOAuthInstallation,
      rpc.identity.issueOAuthCredentials,
    ]) {
      expect(contract.callers).toEqual(['marketplace-certification']);
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
        const { status, body } = await post(identity, 'revoke', { ...form, token }, headers);
        expect([status, body.error]).toEqual([400, 'unauthorized_client']);
      }
      const wrong = await post(identity, 'revoke', { token }, basic(clientId, 'wrong'));
      expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client']);
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
