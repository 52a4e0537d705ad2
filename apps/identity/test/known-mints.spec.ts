import { randomUUID } from 'node:crypto';
import { Database } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { READ_KNOWN_EMBED_MINTS } from '../src/embedding/embed-mint.repository.js';
import { UserRepository } from '../src/people/user.repository.js';
import { hashSecret } from '../src/secret.js';
import { EmbedHost } from './embed-host.js';
import { newEmail, TestIdentity } from './identity.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

const newSub = () => `sub-${randomUUID()}`;

describe('mints at the same time', () => {
  it('of several workspaces and apps give each host user a token of their own user', async () => {
    const first = await EmbedHost.start(identity);
    const hosts = [first, await EmbedHost.start(identity), await first.anotherApp()];
    const users = await Promise.all(
      hosts.flatMap((host) =>
        Array.from({ length: 5 }, async () => {
          const known = { sub: newSub(), email: newEmail() };
          const { userId } = await host.userOf(known);
          return { host, known, userId };
        }),
      ),
    );
    const again = await Promise.all(users.map(({ host, known }) => host.userOf(known)));
    expect(again.map(({ userId, tenantId }) => [userId, tenantId])).toEqual(
      users.map(({ userId, host }) => [userId, host.owner.tenantId]),
    );
    expect(new Set(users.map(({ userId }) => userId)).size).toBe(users.length);
  });

  it('are decided each for itself: a wrong secret, a new host user and an address of another workspace among them', async () => {
    const [host, other] = [await EmbedHost.start(identity), await EmbedHost.start(identity)];
    const known = { sub: newSub(), email: newEmail() };
    const { userId } = await host.userOf(known);
    const outcomes = await Promise.allSettled([
      host.userOf(known),
      host.mint({ ...known, clientSecret: other.credentials.clientSecret }),
      host.mint({ ...known, clientId: other.credentials.clientId }),
      host.mint({ ...known, clientId: 'embed_unknown' }),
      host.userOf({ sub: newSub(), email: newEmail() }),
      host.mint({ ...known, email: other.owner.email }),
      host.userOf({ ...known, email: newEmail() }),
      other.mint(known),
      host.mint({ ...known, scopes: ['tasks'] }),
    ]);
    expect(outcomes.map(codeOf)).toEqual([
      'fulfilled',
      'INVALID_EMBED_CREDENTIALS',
      'INVALID_EMBED_CREDENTIALS',
      'INVALID_EMBED_CREDENTIALS',
      'fulfilled',
      'EMBED_IDENTITY_CONFLICT',
      'fulfilled',
      'EMBED_IDENTITY_CONFLICT',
      'EMBED_SCOPE_DENIED',
    ]);
    for (const index of [0, 6]) expect(outcomes[index]).toMatchObject({ value: { userId } });
  });

  it('of a user whose role is being changed wait for the change, and those of others do not', async () => {
    const host = await EmbedHost.start(identity);
    const [changed, other] = [
      { sub: newSub(), email: newEmail() },
      { sub: newSub(), email: newEmail() },
    ];
    const { userId } = await host.userOf(changed);
    await host.userOf(other);
    let isMinted = false;
    let minted: Promise<readonly string[]> | undefined;
    await identity.get(Database).transaction(host.owner.tenantId, async (tx) => {
      await identity.get(UserRepository).update(tx, userId, { roles: ['manager'] });
      minted = host.userOf(changed).then(({ roles }) => {
        isMinted = true;
        return roles;
      });
      expect((await host.userOf(other)).roles).toEqual(['member']);
      expect(isMinted).toBe(false);
    });
    expect(await minted).toEqual(['manager']);
  });

  it('read nothing of a workspace without the secret of an app of it, and nothing with the runtime role', async () => {
    const host = await EmbedHost.start(identity);
    const known = { sub: newSub(), email: newEmail() };
    await host.userOf(known);
    const database = identity.get(Database);
    const { clientId, clientSecret } = host.credentials;
    const read = (secret: string, tenantId = host.owner.tenantId) =>
      database.transaction(tenantId, (tx) =>
        tx.query(READ_KNOWN_EMBED_MINTS, [[clientId], [hashSecret(secret)], [known.sub], [known.email]]),
      );
    await expect(read(clientSecret)).rejects.toThrow(/permission denied/);
    const rows = (secret: string) =>
      database.crossTenantStatement(READ_KNOWN_EMBED_MINTS, [
        [clientId],
        [hashSecret(secret)],
        [known.sub],
        [known.email],
      ]);
    expect(await rows(clientSecret)).toHaveLength(1);
    expect(await rows('wrong')).toEqual([]);
  });
});

const codeOf = (outcome: PromiseSettledResult<unknown>): string =>
  outcome.status === 'fulfilled' ? 'fulfilled' : (outcome.reason as { code: string }).code;
