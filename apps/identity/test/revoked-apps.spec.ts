import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuthAppService } from '../src/oauth/client.service.js';
import { EmbedHost, principalOf } from './embed-host.js';
import { newEmail, TestIdentity } from './identity.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

describe('an app that operators have revoked', () => {
  it('mints no embed token any more, for known and new host users alike, and its tokens end', async () => {
    const appKey = `app-${randomUUID()}`;
    const host = await EmbedHost.start(identity, { appKey });
    const other = await host.anotherApp();
    const known = { sub: `sub-${randomUUID()}`, email: newEmail() };
    // The second mint is one of those that are read together.
    await host.mint(known);
    const { embedToken } = await host.mint(known);
    await other.mint(known);

    const apps = identity.get(OAuthAppService);
    await apps.setStatus(appKey, 'suspended');
    await host.mint(known);
    await apps.setStatus(appKey, 'revoked');

    const refused = { code: 'INVALID_EMBED_CREDENTIALS' };
    await expect(host.mint(known)).rejects.toMatchObject(refused);
    // Another address: not one of those that are read together.
    await expect(host.mint({ ...known, email: newEmail() })).rejects.toMatchObject(refused);
    await expect(host.mint()).rejects.toMatchObject(refused);
    await other.mint(known);
    await expect(principalOf(identity, embedToken)).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
  });
});
