import { fingerprintOf, PlatformError, rpc } from '@crm/contracts';
import { describe, expect, it, jest } from '@jest/globals';
import { ClientStatusService } from '../src/credentials/client-status.service.js';
import { ReviewRepository } from '../src/review/review.repository.js';
import { type Fixture, useMarketplace } from './support/fixture.js';
import type { Caller } from './support/marketplace.js';
import { fieldService, newKey } from './support/packages.js';

let { marketplace, neighbours, developer } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, neighbours, developer } = fixture);
});

const post = (caller: Caller, key: string, what: string) =>
  marketplace.request(caller, 'POST', `/developer/apps/${key}/${what}`);
/** 256 bits. */
const SECRET = /^[\w-]{43}$/;
const embed = (allowedOrigins: string[], more: object = {}) => ({ embed: { allowedOrigins, ...more } });

describe('embed credentials', () => {
  it('get the settings of the newest version with an embed section', async () => {
    const key = newKey();
    const versions: [string, object][] = [
      ['1.9.0', embed(['https://old.acme.example'])],
      ['1.10.0', embed(['https://new.acme.example'], { scopes: ['leads:read'], linkUsersBy: 'explicit' })],
      ['1.11.0', {}],
    ];
    for (const [version, changes] of versions) {
      const { status } = await marketplace.submit(developer, fieldService(key, { version, ...changes }));
      expect(status).toBe(201);
    }
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
        allowedOrigins: ['https://new.acme.example'],
        scopes: ['leads:read'],
        linkUsersBy: 'explicit',
        reviewed: false,
        developmentOrigins: [],
        overlapSeconds: 86_400,
      },
    ]);
  });

  it('are issued with the overlap and the origins on localhost that are asked for, until a version is reviewed', async () => {
    const key = newKey();
    const { body } = await marketplace.submit(developer, fieldService(key, embed(['https://acme.example'])));
    const input = { overlapHours: 0, developmentOrigins: ['http://localhost:3000'] };
    const issue = () => marketplace.request(developer, 'POST', `/developer/apps/${key}/embed-credentials`, input);
    expect((await issue()).status).toBe(201);
    await marketplace.decide(body.submissionId, 'approve', 'Reviewed.');
    expect((await issue()).status).toBe(201);
    expect(neighbours.callsTo(rpc.identity.issueEmbedCredentials)).toMatchObject([
      { reviewed: false, overlapSeconds: 0, developmentOrigins: ['http://localhost:3000'] },
      { reviewed: true, overlapSeconds: 0, developmentOrigins: ['http://localhost:3000'] },
    ]);
  });

  it.each([
    [{ developmentOrigins: ['https://localhost:3000'] }, '/developmentOrigins/0'],
    [{ developmentOrigins: ['http://evil.example'] }, '/developmentOrigins/0'],
    [{ developmentOrigins: ['http://localhost.evil.example'] }, '/developmentOrigins/0'],
    [{ overlapHours: 169 }, '/overlapHours'],
    [{ overlapHours: -1 }, '/overlapHours'],
  ])('are not issued for %j', async (input, pointer) => {
    const key = newKey();
    await marketplace.submit(developer, fieldService(key, embed(['https://acme.example'])));
    const { status, body } = await marketplace.request(
      developer,
      'POST',
      `/developer/apps/${key}/embed-credentials`,
      input,
    );
    expect([status, body.errors.map((error) => error.pointer)]).toEqual([422, [pointer]]);
  });

  it('never get an origin on localhost from a manifest', async () => {
    const { status, body } = await marketplace.submit(
      developer,
      fieldService(newKey(), embed(['http://localhost:3000'])),
    );
    expect([status, body.code]).toEqual([422, 'CERTIFICATION_FAILED']);
  });

  it('are shown without a secret, and their previous secret ends, for the publisher only', async () => {
    const key = newKey();
    await marketplace.submit(developer, fieldService(key, embed(['https://acme.example'])));
    const path = `/developer/apps/${key}/embed-credentials`;
    expect((await marketplace.request(developer, 'GET', path)).body.code).toBe('NOT_FOUND');
    const summary = {
      clientId: 'client',
      allowedOrigins: ['https://acme.example'],
      developmentOrigins: [],
      scopes: ['leads'],
      reviewed: false,
      secret: { createdAt: new Date().toISOString(), lastUsedAt: null },
      previousSecret: null,
    };
    neighbours.instead(rpc.identity.describeEmbedCredentials, () => ({ credentials: summary }));
    const shown = await marketplace.request(developer, 'GET', path);
    expect([shown.status, shown.body]).toEqual([200, summary]);
    expect((await marketplace.request(developer, 'DELETE', `${path}/previous-secret`)).status).toBe(204);
    const stranger = await marketplace.caller('owner');
    for (const [method, at] of [
      ['GET', path],
      ['DELETE', `${path}/previous-secret`],
    ] as const) {
      expect((await marketplace.request(stranger, method, at)).status).toBe(404);
    }
    neighbours.instead(rpc.identity.revokePreviousEmbedSecret, () => ({ revoked: false }));
    expect((await marketplace.request(developer, 'DELETE', `${path}/previous-secret`)).status).toBe(404);
  });

  it('ignore a version that was withdrawn', async () => {
    const key = newKey();
    await marketplace.submit(developer, fieldService(key, embed(['https://acme.example'])));
    await post(developer, key, 'versions/1.0.0/withdraw');
    const { status, body } = await post(developer, key, 'embed-credentials');
    expect([status, body.code]).toEqual([409, 'CONFLICT']);
  });
});

describe('the embed section of a version', () => {
  it('applies to the credentials when the version is published, not before', async () => {
    const key = newKey();
    const settings = embed(['https://acme.example'], { scopes: ['leads:read'] });
    const { body } = await marketplace.submit(developer, fieldService(key, settings));
    expect(neighbours.callsTo(rpc.identity.updateEmbedSettings)).toEqual([]);
    await marketplace.decide(body.submissionId, 'publish', 'The warnings are known.');
    expect(neighbours.callsTo(rpc.identity.updateEmbedSettings)).toEqual([
      {
        tenantId: developer.tenantId,
        appKey: key,
        allowedOrigins: ['https://acme.example'],
        scopes: ['leads:read'],
        linkUsersBy: 'email',
      },
    ]);
  });

  it('no longer applies after a version without one, even to credentials that are issued again', async () => {
    const key = newKey();
    const settings = embed(['https://acme.example'], { scopes: ['leads:read'] });
    await marketplace.publish(developer, key, settings);
    await marketplace.publish(developer, key, { version: '1.1.0' });
    expect(neighbours.callsTo(rpc.identity.updateEmbedSettings).at(-1)).toEqual({
      tenantId: developer.tenantId,
      appKey: key,
      allowedOrigins: [],
      scopes: [],
      linkUsersBy: 'email',
    });
    const { status, body } = await post(developer, key, 'embed-credentials');
    expect([status, body.code]).toEqual([409, 'CONFLICT']);
    // A version under review may embed again.
    await marketplace.submit(developer, fieldService(key, { version: '1.2.0', ...settings }));
    expect((await post(developer, key, 'embed-credentials')).status).toBe(201);
  });

  it('applies as soon as identity is back when it was away at the publication', async () => {
    const key = newKey();
    const { body } = await marketplace.submit(developer, fieldService(key, embed(['https://acme.example'])));
    const publish = () => marketplace.decide(body.submissionId, 'publish', 'The warnings are known.');
    neighbours.instead(rpc.identity.updateEmbedSettings, () => {
      throw new PlatformError('SERVICE_UNAVAILABLE');
    });
    expect(await publish()).toMatchObject({ versionStatus: 'published' });
    neighbours.reset();
    await marketplace.service.get(ClientStatusService).sweep();
    expect(neighbours.callsTo(rpc.identity.updateEmbedSettings)).toMatchObject([
      { appKey: key, allowedOrigins: ['https://acme.example'] },
    ]);
    await marketplace.service.get(ClientStatusService).sweep();
    expect(neighbours.callsTo(rpc.identity.updateEmbedSettings)).toHaveLength(1);
  });

  it('does not apply when the publication fails at its end', async () => {
    const key = newKey();
    await marketplace.publish(developer, key, embed(['https://acme.example']));
    const next = fieldService(key, { version: '1.1.0', ...embed(['https://elsewhere.example']) });
    const { body } = await marketplace.submit(developer, next);
    const reviews = marketplace.service.get(ReviewRepository);
    const find = reviews.find.bind(reviews);
    let finds = 0;
    // The first look finds the submission, the last one is all that is left to do before the commit.
    const failing = jest.spyOn(reviews, 'find').mockImplementation((tx, id) => {
      finds += 1;
      return finds === 1 ? find(tx, id) : Promise.reject(new Error('The connection is lost'));
    });
    const publication = marketplace.decide(body.submissionId, 'publish', 'The warnings are known.');
    await expect(publication).rejects.toThrow('The connection is lost');
    failing.mockRestore();
    await marketplace.service.get(ClientStatusService).sweep();
    const told = neighbours.callsTo(rpc.identity.updateEmbedSettings) as { appKey: string; allowedOrigins: string[] }[];
    expect(told.filter(({ appKey }) => appKey === key).at(-1)?.allowedOrigins).toEqual(['https://acme.example']);
  });
});

describe('the webhook secret', () => {
  it('is new each time, passed on to the dispatcher and stored encrypted', async () => {
    const key = newKey();
    await marketplace.submit(developer, fieldService(key));
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
    const rows = await marketplace.database.crossTenant((tx) =>
      tx.query<{ sealed: Buffer }>('select sealed from app_webhook_secret where app_key = $1', [key]),
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.sealed.includes(second.body.secret)).toBe(false);
  });

  it('is the secret of the subscriptions of an installation', async () => {
    const key = newKey();
    await marketplace.publish(developer, key);
    const { body } = await post(developer, key, 'webhook-secret');
    const tenant = await marketplace.caller();
    const installed = await marketplace.install(tenant, key, {
      grantedScopes: ['custom_objects', 'automations', 'leads:read', 'webhooks'],
    });
    expect(neighbours.subscriptions.get(installed.body.id)).toBe(body.secret);
  });

  it('is not shown when the dispatcher did not receive it', async () => {
    const key = newKey();
    await marketplace.submit(developer, fieldService(key));
    neighbours.instead(rpc.webhooks.rotateAppSecret, () => {
      throw new PlatformError('SERVICE_UNAVAILABLE');
    });
    const { status, body } = await post(developer, key, 'webhook-secret');
    expect([status, body.secret]).toEqual([503, undefined]);
  });
});

describe('issuing a secret', () => {
  it.each(['embed-credentials', 'webhook-secret'])('(%s) is for administrators of the publisher only', async (what) => {
    const key = newKey();
    await marketplace.submit(developer, fieldService(key, embed(['https://acme.example'])));
    const stranger = await marketplace.caller('owner');
    expect((await post(stranger, key, what)).body.code).toBe('NOT_FOUND');
    expect((await post(developer, newKey(), what)).body.code).toBe('NOT_FOUND');
    const member = await marketplace.caller('member', developer.tenantId);
    expect((await post(member, key, what)).body.code).toBe('FORBIDDEN');
  });
});
