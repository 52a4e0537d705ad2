import { KeySource, TokenVerifier } from '@crm/access';
import { AUDIENCES, type Audience, PlatformError, rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { NatsConnection, RevocationWatch, Rpc } from '@crm/messaging';
import { testServiceConfig, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { rotateKeys } from '../src/rotate-keys.js';
import { TokenSigner } from '../src/sessions/token-signer.js';
import { TestIdentity } from './identity.js';

/** What docs/operations/signing-keys.md promises. */
const OUT_OF_FORCE_MS = 2_000;

const { identity, replica } = TestIdentity.replicasOfFile();
let connection: NatsConnection;
let watch: RevocationWatch;
let verifier: TokenVerifier;

/** Gets the keys as every other service does. */
class KeysOverRpc extends KeySource {
  fetches = 0;

  override getKeys() {
    this.fetches += 1;
    return new Rpc(connection).call(rpc.identity.getKeys, {}) as unknown as ReturnType<KeySource['getKeys']>;
  }
}
const keySource = new KeysOverRpc();

beforeAll(async () => {
  connection = await NatsConnection.open(testServiceConfig('gateway').nats);
  watch = new RevocationWatch(connection);
  watch.start();
  await waitUntil(() => watch.ready, { describe: 'the cut-offs' });
  verifier = new TokenVerifier({ issuer: identity.config.service.issuer, keySource, revocations: watch });
});
afterAll(async () => {
  await watch?.stop();
  await connection?.close();
});

const kidOf = (token: string) => decodeProtectedHeader(token).kid as string;
const codeOf = (token: string, audience: Audience = AUDIENCES.api) =>
  verifier.verify(token, [audience]).then(
    () => 'accepted',
    (error: unknown) => (error instanceof PlatformError ? error.code : String(error)),
  );
/** What this verifier, and both processes of identity, say of a token. */
const said = async (token: string) => [
  await codeOf(token),
  (await identity.me(token)).status,
  (await replica.me(token)).status,
];

describe('a signing key that someone else has', () => {
  it('is out of force everywhere within two seconds, for tokens that were seen before and for new ones', async () => {
    const account = await identity.account();
    const { accessToken } = account;
    const compromised = kidOf(accessToken);
    const { sign } = identity.get(TokenSigner);
    // Everybody remembers the token.
    expect(await said(accessToken)).toEqual(['accepted', 200, 200]);
    const fetches = keySource.fetches;
    // What the thief signed in advance and keeps for later.
    const { iss: _iss, iat: _iat, exp: _exp, jti, ...content } = decodeJwt(accessToken);
    const kept = await sign.call(identity.get(TokenSigner), { ...content, sub: 'victim' } as never, 900, jti as string);
    expect(kidOf(kept)).toBe(compromised);

    const text = await rotateKeys(identity.get(Database), identity.config, ['api', '--revoke']);
    expect(text).toContain(`${compromised} is out of force`);
    await waitUntil(async () => (await codeOf(accessToken)) === 'TOKEN_REVOKED', {
      timeoutMs: OUT_OF_FORCE_MS,
      describe: 'the cut-off',
    });
    expect(await codeOf(kept)).toBe('TOKEN_REVOKED');
    await waitUntil(async () => (await said(accessToken)).join() === 'TOKEN_REVOKED,401,401', {
      timeoutMs: OUT_OF_FORCE_MS,
      describe: 'the replicas to refuse the token',
    });
    // By the cut-off, not by another set of keys.
    expect(keySource.fetches).toBe(fetches);

    // The session goes on, signed by whichever replica, with a key that everybody knows.
    for (const renew of [() => replica.refresh(account.refreshToken), () => identity.login(account.email)]) {
      const fresh = (await renew()).body.accessToken;
      expect(kidOf(fresh)).not.toBe(compromised);
      // With an id that they do not know, processes that know of the cut-off fetch the keys after a fifth of a second.
      await waitUntil(async () => (await said(fresh)).join() === 'accepted,200,200', { describe: 'the new key' });
    }
    const published = await identity.request('GET', '/.well-known/jwks.json');
    expect(published.body.keys.map(({ kid }) => kid)).not.toContain(compromised);
  });

  it('does not concern the keys of operators', async () => {
    const { keys: before } = await keySource.getKeys();
    await rotateKeys(identity.get(Database), identity.config, ['api', '--revoke']);
    const admin = (keys: readonly { kid?: string }[]) =>
      keys.map(({ kid }) => kid).filter((kid) => /^admin/.test(kid ?? ''));
    const isReplaced = async () =>
      (await keySource.getKeys()).keys.every(({ kid }) => !watch.isKeyRevoked(kid as string));
    await waitUntil(isReplaced, { describe: 'the new keys' });
    expect(admin((await keySource.getKeys()).keys)).toEqual(admin(before));
  });

  it.each([[[]], [['tenants']], [['api', '--now']], [['api', '--revoke', 'admin']]])(
    'is not revoked by %j',
    async (args) => {
      expect(await rotateKeys(identity.get(Database), identity.config, args)).toBeUndefined();
    },
  );
});
