import { randomUUID } from 'node:crypto';
import { fingerprintOf, PlatformError, rpc } from '@crm/contracts';
import { describe, expect, it, jest } from '@jest/globals';
import { ClientStatusService } from '../src/credentials/client-status.service.js';
import { ReviewRepository } from '../src/review/review.repository.js';
import {
  type Caller,
  developer,
  marketplace,
  neighbours,
  refused,
  tenant,
  useMarketplace,
} from './support/marketplace.js';
import { fieldService, newKey } from './support/packages.js';

useMarketplace();

const post = (caller: Caller, key: string, what: string) => marketplace.post(caller, `/developer/apps/${key}/${what}`);
/** 256 bits. */
const SECRET = /^[\w-]{43}$/;
const sweep = () => marketplace.service.get(ClientStatusService).sweep();
const embed = (allowedOrigins: string[], more: object = {}) => ({ embed: { allowedOrigins, ...more } });
/** What the package requests and needs. */
const SCOPES = ['custom_objects', 'automations', 'leads:read'];
const ORIGINS = ['https://acme.example.com'];
const submit = (key: string, changes: object) => marketplace.submit(developer, fieldService(key, changes));

describe('embed credentials', () => {
  it('get the settings of the newest version with an embed section', async () => {
    const key = newKey();
    const newest = embed(['https://new.acme.example.com'], { scopes: ['leads:read'], linkUsersBy: 'explicit' });
    await marketplace.submitted(developer, { version: '1.9.0', ...embed(['https://old.acme.example.com']) }, key);
    await marketplace.submitted(developer, { version: '1.10.0', ...newest }, key);
    await marketplace.submitted(developer, { version: '1.11.0' }, key);
    const { status, headers, body } = await post(developer, key, 'embed-credentials');
    expect([status, body]).toEqual([
      201,
      { clientId: 'client', clientSecret: expect.stringMatching(SECRET), previousSecretValidUntil: null },
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(neighbours.callsTo(rpc.identity.issueEmbedCredentials)).toEqual([
      {
        appKey: key,
        // All that is told of the secret: it is in no message.
        fingerprint: fingerprintOf(body.clientSecret),
        allowedOrigins: ['https://new.acme.example.com'],
        scopes: ['leads:read'],
        linkUsersBy: 'explicit',
        reviewed: false,
        developmentOrigins: [],
        overlapSeconds: 86_400,
      },
    ]);
  });

  it('are issued with the overlap and the origins on localhost that are asked for, until a version is reviewed', async () => {
    const { id, key } = await marketplace.submitted(developer, embed(ORIGINS));
    const developmentOrigins = ['http://localhost:3000'];
    const input = { overlapHours: 0, developmentOrigins };
    const issue = () => marketplace.post(developer, `/developer/apps/${key}/embed-credentials`, input);
    expect((await issue()).status).toBe(201);
    await marketplace.decide(id, 'approve', 'Reviewed.');
    expect((await issue()).status).toBe(201);
    expect(neighbours.callsTo(rpc.identity.issueEmbedCredentials)).toMatchObject([
      { reviewed: false, overlapSeconds: 0, developmentOrigins },
      { reviewed: true, overlapSeconds: 0, developmentOrigins },
    ]);
  });

  it('never get an origin on localhost from a manifest', async () => {
    await refused(submit(newKey(), embed(['http://localhost:3000'])), 422, 'CERTIFICATION_FAILED');
  });

  it('are shown without a secret, and their previous secret ends, for the publisher only', async () => {
    const { key } = await marketplace.submitted(developer, embed(ORIGINS));
    const path = `/developer/apps/${key}/embed-credentials`;
    expect((await marketplace.get(developer, path)).body.code).toBe('NOT_FOUND');
    const summary = {
      clientId: 'client',
      allowedOrigins: ORIGINS,
      developmentOrigins: [],
      scopes: ['leads'],
      reviewed: false,
      secret: { createdAt: new Date().toISOString(), lastUsedAt: null },
      previousSecret: null,
    };
    neighbours.instead(rpc.identity.describeEmbedCredentials, () => ({ credentials: summary }));
    const shown = await marketplace.get(developer, path);
    expect([shown.status, shown.body]).toEqual([200, summary]);
    expect((await marketplace.delete(developer, `${path}/previous-secret`)).status).toBe(204);
    expect((await marketplace.get(tenant, path)).status).toBe(404);
    expect((await marketplace.delete(tenant, `${path}/previous-secret`)).status).toBe(404);
    neighbours.instead(rpc.identity.revokePreviousEmbedSecret, () => ({ revoked: false }));
    expect((await marketplace.delete(developer, `${path}/previous-secret`)).status).toBe(404);
    expect((await marketplace.delete(tenant, path)).status).toBe(404);
    expect((await marketplace.delete(developer, path)).status).toBe(204);
    expect(neighbours.callsTo(rpc.identity.endEmbedCredentials)).toEqual([{ appKey: key }]);
    neighbours.instead(rpc.identity.endEmbedCredentials, () => ({ ended: false }));
    expect((await marketplace.delete(developer, path)).status).toBe(404);
  });

  it('ignore a version that was withdrawn', async () => {
    const { key } = await marketplace.submitted(developer, embed(ORIGINS));
    await post(developer, key, 'versions/1.0.0/withdraw');
    await refused(post(developer, key, 'embed-credentials'), 409, 'CONFLICT');
  });
});

describe('the embed section of a version', () => {
  const settings = embed(ORIGINS, { scopes: ['leads:read'] });
  /** What identity was told, or was to be told. */
  const told = () =>
    neighbours.callsTo(rpc.identity.updateEmbedSettings) as { appKey: string; allowedOrigins: string[] }[];

  it('applies to the credentials when the version is published, not before', async () => {
    const { id, key } = await marketplace.submitted(developer, settings);
    expect(told()).toEqual([]);
    await marketplace.decide(id, 'publish', 'The warnings are known.');
    const section = { allowedOrigins: ORIGINS, scopes: ['leads:read'], linkUsersBy: 'email' };
    expect(told()).toEqual([{ tenantId: developer.tenantId, appKey: key, ...section }]);
  });

  it('no longer applies after a version without one, even to credentials that are issued again', async () => {
    const key = await marketplace.published(developer, settings);
    await marketplace.publish(developer, key, { version: '1.1.0' });
    const nothing = { allowedOrigins: [], scopes: [], linkUsersBy: 'email' };
    expect(told().at(-1)).toEqual({ tenantId: developer.tenantId, appKey: key, ...nothing });
    await refused(post(developer, key, 'embed-credentials'), 409, 'CONFLICT');
    // A version under review may embed again.
    await submit(key, { version: '1.2.0', ...settings });
    expect((await post(developer, key, 'embed-credentials')).status).toBe(201);
  });

  it('applies as soon as identity is back when it was away at the publication', async () => {
    neighbours.refuse(rpc.identity.updateEmbedSettings, 'SERVICE_UNAVAILABLE');
    const key = await marketplace.published(developer, settings);
    neighbours.reset();
    await sweep();
    expect(told()).toMatchObject([{ appKey: key, allowedOrigins: ORIGINS }]);
    await sweep();
    expect(told()).toHaveLength(1);
  });

  it('does not apply when the publication fails at its end', async () => {
    const key = await marketplace.published(developer, embed(ORIGINS));
    const next = { version: '1.1.0', ...embed(['https://elsewhere.example.com']) };
    const { id: nextId } = await marketplace.submitted(developer, next, key);
    const reviews = marketplace.service.get(ReviewRepository);
    const find = reviews.find.bind(reviews);
    let finds = 0;
    // The first look finds the submission, the last one is all that is left to do before the commit.
    const failing = jest.spyOn(reviews, 'find').mockImplementation((tx, id) => {
      finds += 1;
      return finds === 1 ? find(tx, id) : Promise.reject(new Error('The connection is lost'));
    });
    const publication = marketplace.decide(nextId, 'publish', 'The warnings are known.');
    await expect(publication).rejects.toThrow('The connection is lost');
    failing.mockRestore();
    await sweep();
    const ofApp = told().filter(({ appKey }) => appKey === key);
    expect(ofApp.at(-1)?.allowedOrigins).toEqual(ORIGINS);
  });
});

describe('the webhook secret', () => {
  it('is new each time, passed on to the dispatcher and stored encrypted', async () => {
    const { key } = await marketplace.submitted(developer);
    const first = await post(developer, key, 'webhook-secret');
    const second = await post(developer, key, 'webhook-secret');
    expect([first.status, second.status]).toEqual([201, 201]);
    for (const { body } of [first, second]) {
      expect(Buffer.from(body.secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
    }
    expect(first.body.secret).not.toBe(second.body.secret);
    expect(neighbours.callsTo(rpc.webhooks.rotateAppSecret)).toEqual([
      { appKey: key, secret: first.body.secret },
      { appKey: key, secret: second.body.secret },
    ]);
    expect(neighbours.callsTo(rpc.identity.recordAct)).toEqual(
      [1, 2].map(() => ({ action: 'app_webhook_secret.issued', subjectId: key })),
    );
    const sql = 'select sealed from app_webhook_secret where app_key = $1';
    const rows = await marketplace.query<{ sealed: Buffer }>(sql, [key]);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.sealed.includes(second.body.secret)).toBe(false);
  });

  it('is the secret of the subscriptions of an installation', async () => {
    const key = await marketplace.published(developer);
    const { body } = await post(developer, key, 'webhook-secret');
    const installed = await marketplace.install(tenant, key, { grantedScopes: [...SCOPES, 'webhooks'] });
    expect(neighbours.subscriptions.get(installed.body.id)).toBe(body.secret);
  });

  it('is not shown when the dispatcher did not receive it', async () => {
    const { key } = await marketplace.submitted(developer);
    neighbours.refuse(rpc.webhooks.rotateAppSecret, 'SERVICE_UNAVAILABLE');
    const { status, body } = await post(developer, key, 'webhook-secret');
    expect([status, body.secret]).toEqual([503, undefined]);
  });
});

it.each(['embed-credentials', 'webhook-secret'])(
  'issuing %s is for the publisher alone, and takes no Idempotency-Key',
  async (what) => {
    const { key } = await marketplace.submitted(developer, embed(ORIGINS));
    const path = `/developer/apps/${key}/${what}`;
    await refused(marketplace.post(developer, path, undefined, { 'idempotency-key': 'k' }), 400, 'MALFORMED_REQUEST');
    await refused(post(tenant, key, what), 404, 'NOT_FOUND');
    await refused(post(developer, newKey(), what), 404, 'NOT_FOUND');
  },
);

const REDIRECT_URIS = ['https://app.acme.example/callback'];
const OAUTH = { oauth: { redirectUris: REDIRECT_URIS } };

/** Publishes an app and installs it. */
async function installed(changes: object = {}) {
  const key = await marketplace.published(developer, changes);
  const { body } = await marketplace.install(tenant, key);
  return { key, id: body.id, body };
}
const credentials = (id: string) => `/installs/${id}/oauth-credentials`;

it('publishing tells identity the redirect URIs, and that there are none for a version without the section', async () => {
  const key = await marketplace.published(developer, OAUTH);
  await marketplace.publish(developer, key, { version: '1.1.0' });
  expect(neighbours.callsTo(rpc.identity.updateOAuthApp)).toEqual([
    { appKey: key, redirectUris: REDIRECT_URIS },
    { appKey: key, redirectUris: [] },
  ]);
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
        scopes: SCOPES,
        requiredScopes: SCOPES,
        redirectUris: REDIRECT_URIS,
      },
    ]);
  });

  it('tells identity which of its scopes a user can leave out: those that the package calls optional', async () => {
    const key = await marketplace.published(developer, OAUTH);
    const grantedScopes = [...SCOPES, 'webhooks'];
    await marketplace.install(tenant, key, { grantedScopes });
    expect(neighbours.callsTo(rpc.identity.registerOAuthInstallation)).toMatchObject([
      { scopes: grantedScopes, requiredScopes: SCOPES },
    ]);
  });

  it('is rolled back when identity refuses', async () => {
    neighbours.refuse(rpc.identity.registerOAuthInstallation, 'CONFLICT');
    const { body } = await installed(OAUTH);
    expect(body).toMatchObject({ code: 'CONFLICT', step: 'authorization' });
    expect(neighbours.holds(body.installation.id)).toEqual([]);
  });
});

describe('removing an app', () => {
  it.each([
    ['that acts for users', OAUTH],
    ['that does not', {}],
  ])('%s ends its tokens before anything that they reach', async (_what, changes) => {
    const { key, id } = await installed(changes);
    neighbours.calls.length = 0;
    const { body } = await marketplace.delete(tenant, `/installs/${id}`);
    expect(body.state).toBe('uninstalled');
    expect(neighbours.calls[0]).toEqual({
      name: rpc.identity.endOAuthInstallation.subject,
      request: { tenantId: tenant.tenantId, installationId: id, appKey: key, sandbox: false, discard: false },
    });
  });

  it('is not done until identity has ended its tokens', async () => {
    const { id } = await installed();
    const asked = () => neighbours.callsTo(rpc.identity.endOAuthInstallation).length;
    neighbours.instead(rpc.identity.endOAuthInstallation, () => {
      if (asked() < 2) throw new PlatformError('INTERNAL_ERROR');
      return {};
    });
    await marketplace.delete(tenant, `/installs/${id}`);
    expect((await marketplace.get(tenant, `/installs/${id}`)).body.state).toBe('uninstalling');
    await marketplace.settled(tenant, id, 'uninstalled');
    expect(asked()).toBe(2);
  });
});

describe('credentials of an installation', () => {
  it('are issued with what identity has to know, and an overlap of a day unless another is asked for', async () => {
    const { key, id } = await installed();
    const first = await marketplace.post(tenant, credentials(id));
    expect([first.status, first.body]).toEqual([
      201,
      { clientId: 'client', clientSecret: expect.stringMatching(SECRET), previousSecretValidUntil: null },
    ]);
    expect(first.headers.get('cache-control')).toBe('no-store');
    const second = await marketplace.post(tenant, credentials(id), { overlapHours: 0 });
    const facts = {
      installationId: id,
      appKey: key,
      appName: 'Field Service',
      publisher: expect.any(String),
      sandbox: false,
      scopes: SCOPES,
      requiredScopes: SCOPES,
      redirectUris: [],
    };
    expect(neighbours.callsTo(rpc.identity.issueOAuthCredentials)).toEqual([
      // All that is told of the secrets: they are in no message.
      { ...facts, fingerprint: fingerprintOf(first.body.clientSecret), overlapSeconds: 86_400 },
      { ...facts, fingerprint: fingerprintOf(second.body.clientSecret), overlapSeconds: 0 },
    ]);
  });

  it('are not issued for an installation that is removed or does not exist', async () => {
    const { id } = await installed();
    await marketplace.delete(tenant, `/installs/${id}`);
    await refused(marketplace.post(tenant, credentials(id)), 409, 'CONFLICT');
    expect((await marketplace.post(tenant, credentials(randomUUID()))).status).toBe(404);
  });

  it('are shown without their secrets, and their previous secret is ended', async () => {
    const { id } = await installed();
    expect((await marketplace.get(tenant, credentials(id))).status).toBe(404);
    const secret = { createdAt: '2026-11-22T10:00:00.000Z', lastUsedAt: null };
    const summary = { clientId: 'client', scopes: ['leads:read'], secret, previousSecret: null };
    neighbours.instead(rpc.identity.describeOAuthCredentials, () => ({ credentials: summary }));
    expect((await marketplace.get(tenant, credentials(id))).body).toEqual(summary);
    const end = () => marketplace.delete(tenant, `${credentials(id)}/previous-secret`);
    expect((await end()).status).toBe(204);
    neighbours.instead(rpc.identity.revokePreviousOAuthSecret, () => ({ revoked: false }));
    expect((await end()).status).toBe(404);
  });
});
