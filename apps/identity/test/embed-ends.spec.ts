import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { EmbedClientService } from '../src/embedding/embed-client.service.js';
import { OAuthAppService, OAuthInstallationService } from '../src/oauth/client.service.js';
import { entryOf } from './audit.js';
import { codeOf, principalOf, untilRevoked } from './checks.js';
import { EmbedHost } from './embed-host.js';
import { newEmail, TestIdentity } from './identity.js';
import { TestSuspensions } from './suspended.js';

const identity = TestIdentity.ofFile();
const suspensions = TestSuspensions.ofFile(identity);

const ORIGINS = ['https://host.example'];
const installations = () => identity.get(OAuthInstallationService);
const install = async ({ appKey }: EmbedHost, tenantId: string, { sandbox = false } = {}) => {
  const scopes = { scopes: ['leads'], requiredScopes: [] };
  const facts = { appName: 'App', publisher: 'Publisher', sandbox, ...scopes, redirectUris: [] };
  const installation = { tenantId, installationId: randomUUID(), appKey };
  await installations().register({ ...installation, ...facts });
  const end = (discard: boolean) => installations().end({ ...installation, sandbox, discard });
  return { uninstall: () => end(false), fail: () => end(true) };
};

/** What embedding stands on, and ends with. */
const ACTS: Record<string, (host: EmbedHost) => Promise<void>> = {
  'the workspace of the publisher uninstalls the app': async (host) => {
    await (await install(host, host.owner.tenantId)).uninstall();
  },
  'it uninstalls an app that identity does not know': async ({ owner, appKey }) => {
    const installation = { tenantId: owner.tenantId, installationId: randomUUID(), appKey };
    await installations().end({ ...installation, sandbox: false, discard: false });
  },
  'operators revoke the app': ({ appKey }) => identity.get(OAuthAppService).setStatus(appKey, 'revoked'),
  'the publisher ends the credentials': async (host) => {
    expect(await identity.get(EmbedClientService).end(await host.principal(), host.appKey)).toBe(true);
  },
  'operators suspend the workspace': async ({ owner }) => void (await suspensions.suspend(owner.tenantId)),
};
const REFUSALS: Record<string, string> = {
  'the publisher ends the credentials': 'INVALID_EMBED_CREDENTIALS',
  'operators suspend the workspace': 'WORKSPACE_SUSPENDED',
};

describe('embedding', () => {
  it.each(Object.entries(ACTS))('ends within a second when %s: tokens, mints and framing', async (act, carryOut) => {
    const host = await EmbedHost.start(identity, { allowedOrigins: ORIGINS });
    const known = { sub: 'known', email: newEmail() };
    await host.mint(known);
    // These are read together.
    const { embedToken } = await host.mint(known);
    const origins = () => host.clients.allowedOrigins(host.credentials.clientId);
    expect(await origins()).toEqual(ORIGINS);
    await carryOut(host);
    const code = REFUSALS[act] ?? 'EMBED_APP_ENDED';
    await untilRevoked(identity, embedToken);
    for (const user of [known, { ...known, email: newEmail() }, {}]) expect(await codeOf(host.mint(user))).toBe(code);
    expect(await codeOf(host.mint({ ...known, clientSecret: 'wrong' }))).toBe('INVALID_EMBED_CREDENTIALS');
    expect(await origins()).toEqual([]);
  });

  it('comes back when the publisher installs the app again; an app that never was there embeds all the time', async () => {
    const host = await EmbedHost.start(identity, { allowedOrigins: ORIGINS });
    const { tenantId } = host.owner;
    const elsewhere = await identity.account();
    await (await install(host, tenantId, { sandbox: true })).uninstall();
    await (await install(host, elsewhere.tenantId)).uninstall();
    // One that failed before it came about.
    await installations().end({
      tenantId,
      installationId: randomUUID(),
      appKey: host.appKey,
      sandbox: false,
      discard: true,
    });
    await (await install(host, tenantId)).fail();
    const known = { sub: 'known', email: newEmail() };
    const { embedToken } = await host.mint(known);
    expect(await codeOf(principalOf(identity, embedToken))).toBe('no error');

    const { uninstall } = await install(host, tenantId);
    await uninstall();
    expect(await codeOf(host.mint(known))).toBe('EMBED_APP_ENDED');
    const { clientSecret } = await host.issue();
    expect(await codeOf(host.mint({ ...known, clientSecret }))).toBe('EMBED_APP_ENDED');
    await (await install(host, tenantId)).fail();
    expect(await codeOf(host.mint({ ...known, clientSecret }))).toBe('EMBED_APP_ENDED');
    await install(host, tenantId);
    // Another message about the removal of before.
    await uninstall();
    const { userId } = await host.userOf({ ...known, clientSecret });
    expect(userId).toBe((await host.userOf({ ...known, clientSecret })).userId);
    expect(await host.clients.allowedOrigins(host.credentials.clientId)).toEqual(ORIGINS);
  });

  it('by other credentials than those that were ended is of the same host users, and waits for the app as they did', async () => {
    const host = await EmbedHost.start(identity);
    const known = { sub: 'known', email: newEmail() };
    const { userId } = await host.userOf(known);
    const end = async () => identity.get(EmbedClientService).end(await host.principal(), host.appKey);
    expect([await end(), await end()]).toEqual([true, false]);
    expect(await entryOf(identity, host.owner, 'embed_credentials.ended')).toMatchObject({
      subject: { id: host.appKey },
    });
    const issued = await host.issue();
    expect(issued.clientId).not.toBe(host.credentials.clientId);
    expect((await host.userOf({ ...known, ...issued })).userId).toBe(userId);
    await (await install(host, host.owner.tenantId)).uninstall();
    await end();
    expect(await codeOf(host.mint({ ...known, ...(await host.issue()) }))).toBe('EMBED_APP_ENDED');
  });
});
