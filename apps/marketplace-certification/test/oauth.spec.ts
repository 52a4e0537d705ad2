import { randomUUID } from 'node:crypto';
import { fingerprintOf, PlatformError, rpc } from '@crm/contracts';
import { waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { newKey } from './support/packages.js';

let { marketplace, neighbours, developer, tenant } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, neighbours, developer, tenant } = fixture);
});

const REDIRECT_URIS = ['https://app.acme.example/callback'];
const OAUTH = { oauth: { redirectUris: REDIRECT_URIS } };

/** Publishes an app and installs it. */
async function installed(changes: object = {}, sandbox = false) {
  const key = newKey();
  await marketplace.publish(developer, key, changes);
  const { body } = await marketplace.request(tenant, 'POST', '/installs', { appKey: key, sandbox });
  return { key, id: body.id, body };
}
/** 256 bits. */
const SECRET = /^[\w-]{43}$/;
const credentials = (id: string) => `/installs/${id}/oauth-credentials`;

describe('publishing', () => {
  it('tells identity the redirect URIs, and that there are none for a version without the section', async () => {
    const key = newKey();
    await marketplace.publish(developer, key, OAUTH);
    await marketplace.publish(developer, key, { version: '1.1.0' });
    expect(neighbours.callsTo(rpc.identity.updateOAuthApp)).toEqual([
      { appKey: key, redirectUris: REDIRECT_URIS },
      { appKey: key, redirectUris: [] },
    ]);
  });

  it('does not happen for a redirect URI that is not exact', async () => {
    const wrong = { oauth: { redirectUris: ['https://*.acme.example/callback'] } };
    await expect(marketplace.publish(developer, newKey(), wrong)).rejects.toThrow();
  });
});

describe('installing an app that acts for users', () => {
  it('registers the installation with identity as the last step', async () => {
    const { key, id, body } = await installed(OAUTH);
    expect(body.state).toBe('active');
    expect(body.steps?.at(-1)).toEqual({ name: 'authorization', state: 'done' });
    expect(neighbours.callsTo(rpc.identity.registerOAuthInstallation)).toEqual([
      {
        tenantId: tenant.tenantId,
        installationId: id,
        appKey: key,
        appName: 'Field Service',
        publisher: expect.stringMatching(/^Workspace /),
        sandbox: false,
        scopes: ['custom_objects', 'automations', 'leads:read'],
        requiredScopes: ['custom_objects', 'automations', 'leads:read'],
        redirectUris: REDIRECT_URIS,
      },
    ]);
  });

  it('tells identity which of its scopes a user can leave out: those that the package calls optional', async () => {
    const key = newKey();
    await marketplace.publish(developer, key, OAUTH);
    const grantedScopes = ['custom_objects', 'automations', 'leads:read', 'webhooks'];
    await marketplace.request(tenant, 'POST', '/installs', { appKey: key, grantedScopes });
    expect(neighbours.callsTo(rpc.identity.registerOAuthInstallation)).toMatchObject([
      { scopes: grantedScopes, requiredScopes: ['custom_objects', 'automations', 'leads:read'] },
    ]);
  });

  it('is rolled back when identity refuses', async () => {
    neighbours.instead(rpc.identity.registerOAuthInstallation, () => {
      throw new PlatformError('CONFLICT');
    });
    const { body } = await installed(OAUTH);
    expect(body).toMatchObject({ code: 'CONFLICT', step: 'authorization' });
    const { id } = (body as unknown as { installation: { id: string } }).installation;
    expect(neighbours.holds(id)).toEqual([]);
  });
});

describe('removing an app', () => {
  it.each([
    ['that acts for users', OAUTH],
    ['that does not', {}],
  ])('%s ends its tokens before anything that they reach', async (_what, changes) => {
    const { key, id } = await installed(changes);
    neighbours.calls.length = 0;
    const { body } = await marketplace.request(tenant, 'DELETE', `/installs/${id}`);
    expect(body.state).toBe('uninstalled');
    expect(neighbours.calls[0]).toEqual({
      name: rpc.identity.endOAuthInstallation.subject,
      request: { tenantId: tenant.tenantId, installationId: id, appKey: key },
    });
  });

  it('is not done until identity has ended its tokens', async () => {
    const { id } = await installed();
    let refusals = 0;
    neighbours.instead(rpc.identity.endOAuthInstallation, () => {
      refusals += 1;
      if (refusals < 2) throw new PlatformError('INTERNAL_ERROR');
      return {};
    });
    const state = async () => (await marketplace.request(tenant, 'GET', `/installs/${id}`)).body.state;
    await marketplace.request(tenant, 'DELETE', `/installs/${id}`);
    expect(await state()).toBe('uninstalling');
    await waitUntil(async () => (await state()) === 'uninstalled');
    expect(refusals).toBe(2);
  });
});

describe('credentials of an installation', () => {
  it('are issued with what identity has to know, and an overlap of a day unless another is asked for', async () => {
    const { key, id } = await installed();
    const first = await marketplace.request(tenant, 'POST', credentials(id));
    expect([first.status, first.body]).toEqual([
      201,
      { clientId: 'client', clientSecret: expect.stringMatching(SECRET), previousSecretValidUntil: null },
    ]);
    expect(first.headers.get('cache-control')).toBe('no-store');
    const second = await marketplace.request(tenant, 'POST', credentials(id), { overlapHours: 0 });
    const facts = {
      installationId: id,
      appKey: key,
      appName: 'Field Service',
      publisher: expect.any(String),
      sandbox: false,
      scopes: ['custom_objects', 'automations', 'leads:read'],
      requiredScopes: ['custom_objects', 'automations', 'leads:read'],
      redirectUris: [],
    };
    expect(neighbours.callsTo(rpc.identity.issueOAuthCredentials)).toEqual([
      // All that is told of the secrets: they are in no message.
      { ...facts, fingerprint: fingerprintOf(first.body.clientSecret), overlapSeconds: 86_400 },
      { ...facts, fingerprint: fingerprintOf(second.body.clientSecret), overlapSeconds: 0 },
    ]);
  });

  it('are for administrators of the workspace that has installed the app', async () => {
    const { id } = await installed();
    const member = await marketplace.caller('member', tenant.tenantId);
    const stranger = await marketplace.caller();
    for (const [caller, status] of [
      [member, 403],
      [stranger, 404],
      [developer, 404],
    ] as const) {
      expect((await marketplace.request(caller, 'POST', credentials(id))).status).toBe(status);
      expect((await marketplace.request(caller, 'GET', credentials(id))).status).toBe(status);
      expect((await marketplace.request(caller, 'DELETE', `${credentials(id)}/previous-secret`)).status).toBe(status);
    }
    expect(neighbours.callsTo(rpc.identity.issueOAuthCredentials)).toEqual([]);
  });

  it('are not issued for an installation that is removed or does not exist', async () => {
    const { id } = await installed();
    await marketplace.request(tenant, 'DELETE', `/installs/${id}`);
    const { status, body } = await marketplace.request(tenant, 'POST', credentials(id));
    expect([status, body.code]).toEqual([409, 'CONFLICT']);
    expect((await marketplace.request(tenant, 'POST', credentials(randomUUID()))).status).toBe(404);
  });

  it('are shown without their secrets, and their previous secret is ended', async () => {
    const { id } = await installed();
    expect((await marketplace.request(tenant, 'GET', credentials(id))).status).toBe(404);
    const secret = { createdAt: '2026-11-22T10:00:00.000Z', lastUsedAt: null };
    const summary = { clientId: 'client', scopes: ['leads:read'], secret, previousSecret: null };
    neighbours.instead(rpc.identity.describeOAuthCredentials, () => ({ credentials: summary }));
    expect((await marketplace.request(tenant, 'GET', credentials(id))).body).toEqual(summary);
    const end = () => marketplace.request(tenant, 'DELETE', `${credentials(id)}/previous-secret`);
    expect((await end()).status).toBe(204);
    neighbours.instead(rpc.identity.revokePreviousOAuthSecret, () => ({ revoked: false }));
    expect((await end()).status).toBe(404);
  });
});
