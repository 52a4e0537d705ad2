import { createHmac } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Audience, PlatformError } from '@crm/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { makeApiKey } from '../src/api-key.js';
import { KEY_AUDIENCES } from '../src/key-ring.js';
import { TokenVerifier } from '../src/token-verifier.js';
import { ISSUED_AT_MS, ISSUER, Issuer, JTI, Revocations, TENANT, USER } from './issuer.js';

const API: Audience[] = ['platform-api'];
const APP_CLAIMS = { roles: ['app:acme'], scopes: ['leads'] };
/** The fetch of keys in the background, which nothing waits for. */
const fetchEnds = () => setImmediate();
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('TokenVerifier', () => {
  let issuer: Issuer;
  let revocations: Revocations;
  let nowMs: number;
  let verifier: TokenVerifier;

  const codeOf = async (token: string, audiences: Audience[] = API): Promise<string> =>
    verifier.verify(token, audiences).then(
      () => 'accepted',
      (error: unknown) => (error instanceof PlatformError ? error.code : `defect: ${error}`),
    );

  beforeEach(async () => {
    issuer = await Issuer.create();
    revocations = new Revocations();
    nowMs = ISSUED_AT_MS + 1000;
    verifier = new TokenVerifier({ issuer: ISSUER, keySource: issuer, revocations, now: () => nowMs });
  });

  it('turns a user token into a principal', async () => {
    const token = await issuer.sign();
    const ids = { userId: USER, tenantId: TENANT, sessionId: 'session-1', tokenId: JTI };
    const principal = { kind: 'user', ...ids, roles: ['member'], scopes: [], issuedAtMs: ISSUED_AT_MS, token };
    await expect(verifier.verify(token, API)).resolves.toEqual(principal);
  });

  it.each([
    ['app', { ...APP_CLAIMS, sid: undefined, act: { sub: 'acme', installation_id: 'i-1' } }, API],
    ['app', APP_CLAIMS, API],
    ['app', { roles: ['member', 'app'], scopes: ['leads'] }, API],
    ['embed', { embed: true, embed_app_id: 'acme', scopes: ['leads'], sid: undefined, act: { sub: 'acme' } }, API],
    ['internal', { aud: 'platform-internal', sid: undefined }, ['platform-internal'] as Audience[]],
    ['operator', { aud: 'platform-admin', tid: undefined, roles: ['reviewer'] }, ['platform-admin'] as Audience[]],
  ])('recognises an %s token', async (kind, claims, audiences) => {
    await expect(verifier.verify(await issuer.sign(claims), audiences)).resolves.toMatchObject({ kind });
  });

  it('turns the token of an API key into a principal without a session', async () => {
    const token = await issuer.sign({ sid: 'key-7', api_key: true, scopes: ['leads:read'] });
    const principal = await verifier.verify(token, API);
    expect(principal).toMatchObject({ kind: 'user', userId: USER, apiKeyId: 'key-7', scopes: ['leads:read'] });
    expect(principal.sessionId).toBeUndefined();
  });

  it.each([
    ['without scopes', { api_key: true, scopes: [] }],
    ['without the key', { api_key: true, scopes: ['leads'], sid: undefined }],
    ['that says it in another way', { api_key: 'yes', scopes: ['leads'] }],
    ['that denies it', { api_key: false, scopes: ['leads'] }],
    ['of a service account that says so in another way', { api_key: true, service_account: 1, scopes: ['leads'] }],
    ['of a service account without saying that it is a key', { service_account: true, scopes: ['leads'] }],
    ['of an app', { api_key: true, scopes: ['leads'], act: { sub: 'acme' } }],
    ['that embeds', { api_key: true, scopes: ['leads'], embed: true, embed_app_id: 'acme' }],
  ])('refuses the token of an API key %s', async (_which, claims) => {
    expect(await codeOf(await issuer.sign(claims))).toBe('UNAUTHENTICATED');
  });

  it('refuses an API key itself: only the gateway takes keys', async () => {
    const key = makeApiKey({ keyId: TENANT, tenantId: TENANT });
    expect(await codeOf(key)).toBe('UNAUTHENTICATED');
  });

  it('refuses a token in which any character was changed', async () => {
    const token = await issuer.sign();
    const position = fc.integer({ min: 0, max: token.length - 1 });
    await fc.assert(
      fc.asyncProperty(position, fc.constantFrom(...'AZaz09-_'), async (at, letter) => {
        const tampered = token.slice(0, at) + letter + token.slice(at + 1);
        if (tampered !== token) expect(await codeOf(tampered)).toBe('UNAUTHENTICATED');
      }),
      { numRuns: 150 },
    );
  });

  it('refuses other spellings of the same bytes (RFC 7515, section 2)', async () => {
    const token = await issuer.sign();
    const spare = String.fromCharCode(token.charCodeAt(token.length - 1) + 1);
    for (const spelling of [
      `${token}==`,
      `${token}=`,
      token.slice(0, -1) + spare,
      `${token}\n`,
      token.replace('.', '=.'),
    ]) {
      expect(await codeOf(spelling)).toBe('UNAUTHENTICATED');
    }
  });

  it('refuses any input without failing in another way', async () => {
    const encoded = fc.json().map((text) => Buffer.from(text).toString('base64url'));
    const pieces = fc.array(fc.oneof(fc.string(), encoded), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(pieces, async (parts) => expect(await codeOf(parts.join('.'))).toBe('UNAUTHENTICATED')),
      { numRuns: 200 },
    );
  });

  it('refuses "none" and HMAC with the public key', async () => {
    const [, claims] = (await issuer.sign()).split('.');
    const none = `${part({ alg: 'none', typ: 'at+jwt', kid: 'key-1' })}.${claims}.`;
    expect(await codeOf(none)).toBe('UNAUTHENTICATED');

    const signed = `${part({ alg: 'HS256', typ: 'at+jwt', kid: 'key-1' })}.${claims}`;
    for (const key of [Buffer.from(issuer.published[0]!.x!, 'base64url'), JSON.stringify(issuer.published[0])]) {
      const mac = createHmac('sha256', key).update(signed).digest('base64url');
      expect(await codeOf(`${signed}.${mac}`)).toBe('UNAUTHENTICATED');
    }
  });

  it('does not use a key contained in the token', async () => {
    const stranger = await Issuer.create('key-1');
    const jwk = stranger.published[0]!;
    expect(await codeOf(await stranger.sign({}, { jwk, jku: 'http://127.0.0.1:1/keys' }))).toBe('UNAUTHENTICATED');
  });

  it.each([
    ['another audience', { aud: 'platform-admin', tid: undefined }],
    ['several audiences', { aud: ['platform-api', 'platform-admin'] }],
    ['another issuer', { iss: 'http://127.0.0.1:8081' }],
    ['an issuer that only begins with the right one', { iss: `${ISSUER}/` }],
    ['no tenant', { tid: undefined }],
    ['a tenant that is not a UUID', { tid: "x' OR true" }],
    ['no roles', { roles: undefined }],
    ['roles that are not a list', { roles: 'owner' }],
    ['roles that are not texts', { roles: [{}] }],
    ['no scopes', { scopes: undefined }],
    ['no id', { jti: undefined }],
    ['an id that does not contain its time', { jti: 'b9f1c9a8-0000-4000-8000-00000000000b' }],
    ['no expiry', { exp: undefined }],
    ['no subject', { sub: undefined }],
    ['an embed claim that is not true', { embed: 'yes', embed_app_id: 'a' }],
    ['an actor that is not an object', { act: 'acme' }],
    ['a start in the future', { nbf: ISSUED_AT_MS / 1000 + 3600 }],
  ])('refuses %s', async (_what, claims) => expect(await codeOf(await issuer.sign(claims))).toBe('UNAUTHENTICATED'));

  it.each([
    ['an ID token', { typ: 'JWT' }],
    ['no type', { typ: undefined }],
    ['an unknown critical header', { crit: ['x'], x: 1 }],
    ['no key id', { kid: undefined }],
  ])('refuses %s', async (_what, header) => {
    const token = await issuer.sign();
    const [, claims, signature] = token.split('.');
    const forged = `${part({ alg: 'EdDSA', typ: 'at+jwt', kid: 'key-1', ...header })}.${claims}.${signature}`;
    expect(await codeOf(forged)).toBe('UNAUTHENTICATED');
  });

  it.each([
    ['15 minutes, which is the greatest age', 900],
    ['a year', 365 * 86_400],
    ['a second more than any token has', 901],
  ])('refuses a token of the greatest age, with five seconds of tolerance, that says %s', async (_what, seconds) => {
    const exp = ISSUED_AT_MS / 1000 + seconds;
    const token = await issuer.sign({ exp });
    for (const ageMs of [1000, 904_000]) {
      nowMs = ISSUED_AT_MS + ageMs;
      expect(await codeOf(token)).toBe('accepted');
    }
    nowMs = ISSUED_AT_MS + 905_000;
    expect(await codeOf(token)).toBe('TOKEN_EXPIRED');
    // Not only one that is remembered.
    expect(await codeOf(await issuer.sign({ sub: 'another', exp }))).toBe('TOKEN_EXPIRED');
  });

  it('accepts no token that is dated ahead to be valid for longer, only clocks that differ by a minute', async () => {
    const ahead = (seconds: number) => ({ iat: nowMs / 1000 + seconds, exp: nowMs / 1000 + seconds + 900 });
    expect(await codeOf(await issuer.sign(ahead(60)))).toBe('accepted');
    expect(await codeOf(await issuer.sign(ahead(61)))).toBe('UNAUTHENTICATED');
    expect(await codeOf(await issuer.sign(ahead(86_400)))).toBe('UNAUTHENTICATED');
  });

  it('checks the audience of a remembered token again', async () => {
    const token = await issuer.sign({ aud: 'platform-internal' });
    expect(await codeOf(token, ['platform-api', 'platform-internal'])).toBe('accepted');
    expect(await codeOf(token)).toBe('UNAUTHENTICATED');
  });

  it('checks revocation on every use', async () => {
    const token = await issuer.sign();
    expect(await codeOf(token)).toBe('accepted');
    revocations.revokedSessions.add('session-1');
    expect(await codeOf(token)).toBe('TOKEN_REVOKED');
  });

  it('refuses every token of a key that is out of force, remembered or not, whatever it says of itself', async () => {
    await issuer.addKey('key-2');
    const [token, other] = [await issuer.sign(), await issuer.sign({ sub: 'another' }, {}, 'key-2')];
    for (const one of [token, other]) expect(await codeOf(one)).toBe('accepted');
    revocations.revokedKeys.add('key-1');
    expect(await codeOf(token)).toBe('TOKEN_REVOKED');
    // A thief signs on with the key, which this process still has.
    const forged = await issuer.sign({ sub: 'a victim', sid: 'made up', jti: '01ffffff-ffff-7000-8000-00000000000b' });
    expect(await codeOf(forged)).toBe('TOKEN_REVOKED');
    expect(issuer.fetches).toBe(1);
    expect(await codeOf(other)).toBe('accepted');
  });

  it('accepts no token before the cut-offs are known', async () => {
    revocations.ready = false;
    expect(await codeOf(await issuer.sign())).toBe('SERVICE_UNAVAILABLE');
  });

  it('refuses a token signed with a key for other audiences', async () => {
    await issuer.addKey('operators', { [KEY_AUDIENCES]: ['platform-admin'] });
    expect(await codeOf(await issuer.sign({}, {}, 'operators'))).toBe('UNAUTHENTICATED');
    const operator = await issuer.sign({ aud: 'platform-admin', tid: undefined }, {}, 'operators');
    expect(await codeOf(operator, ['platform-admin'])).toBe('accepted');
  });

  it('forgets the least recently used token when it reaches its capacity', async () => {
    verifier = new TokenVerifier({ issuer: ISSUER, keySource: issuer, revocations, now: () => nowMs, capacity: 2 });
    const [first, second, third] = await Promise.all(['a', 'b', 'c'].map((sub) => issuer.sign({ sub })));
    for (const token of [first, second, first, third]) expect(await codeOf(token as string)).toBe('accepted');
    // With another key by the same id, only remembered tokens are accepted.
    issuer.published.pop();
    await issuer.addKey('key-1');
    nowMs += 5 * 60_000;
    await codeOf(third as string);
    await fetchEnds();
    expect(await codeOf(second as string)).toBe('UNAUTHENTICATED');
    expect(await codeOf(third as string)).toBe('accepted');
  });

  describe('keys', () => {
    it('are fetched once for many tokens', async () => {
      const tokens = Array.from({ length: 20 }, async (_, index) => codeOf(await issuer.sign({ sub: `u-${index}` })));
      await Promise.all(tokens);
      expect(issuer.fetches).toBe(1);
    });

    it('are fetched again for an unknown id, but at a limited rate', async () => {
      expect(await codeOf(await issuer.sign())).toBe('accepted');
      await issuer.addKey('key-2');
      const token = await issuer.sign({}, {}, 'key-2');
      for (let attempt = 0; attempt < 20; attempt += 1) expect(await codeOf(token)).toBe('UNAUTHENTICATED');
      expect(issuer.fetches).toBe(1);
      nowMs += 5000;
      expect(await codeOf(token)).toBe('accepted');
      expect(issuer.fetches).toBe(2);
    });

    it('are fetched at once for the successor of a key that is out of force, and then at the limited rate again', async () => {
      expect(await codeOf(await issuer.sign())).toBe('accepted');
      await issuer.addKey('key-2');
      const successor = await issuer.sign({}, {}, 'key-2');
      expect(await codeOf(successor)).toBe('UNAUTHENTICATED');
      revocations.revokedKeys.add('key-1');
      issuer.published.shift();
      nowMs += 200;
      expect(await codeOf(successor)).toBe('accepted');
      await issuer.addKey('key-3');
      const token = await issuer.sign({}, {}, 'key-3');
      nowMs += 4_999;
      for (let attempt = 0; attempt < 20; attempt += 1) expect(await codeOf(token)).toBe('UNAUTHENTICATED');
      expect(issuer.fetches).toBe(2);
    });

    it('are no longer accepted after they are withdrawn', async () => {
      await issuer.addKey('key-2');
      expect(await codeOf(await issuer.sign())).toBe('accepted');
      issuer.published.shift();
      nowMs += 5 * 60_000;
      // This token starts the refresh in the background; the next one is checked with the new set.
      await codeOf(await issuer.sign({ sub: 'a' }));
      await codeOf(await issuer.sign({ sub: 'b' }, {}, 'key-2'));
      expect(await codeOf(await issuer.sign({ sub: 'c' }))).toBe('UNAUTHENTICATED');
    });

    it('are no longer accepted after they are withdrawn for tokens that are remembered', async () => {
      await issuer.addKey('key-2');
      const [withdrawn, other] = [await issuer.sign(), await issuer.sign({ sub: 'another' }, {}, 'key-2')];
      for (const token of [withdrawn, other]) expect(await codeOf(token)).toBe('accepted');
      issuer.published.shift();
      nowMs += 5 * 60_000;
      // Nothing but remembered tokens comes, and the first of them starts the fetch.
      expect(await codeOf(other)).toBe('accepted');
      await fetchEnds();
      for (let use = 0; use < 2; use += 1) expect(await codeOf(withdrawn)).toBe('UNAUTHENTICATED');
      expect(await codeOf(other)).toBe('accepted');
      expect(issuer.fetches).toBe(2);
    });

    it('that cannot be fetched are tried again every five seconds, however many remembered tokens come', async () => {
      const token = await issuer.sign();
      expect(await codeOf(token)).toBe('accepted');
      issuer.failing = new Error('connection refused');
      nowMs += 5 * 60_000;
      for (let use = 0; use < 100; use += 1) {
        expect(await codeOf(token)).toBe('accepted');
        await fetchEnds();
      }
      expect(issuer.fetches).toBe(2);
      nowMs += 5000;
      expect(await codeOf(token)).toBe('accepted');
      expect(issuer.fetches).toBe(3);
    });

    it('that cannot be fetched make the service unavailable, while known keys keep working', async () => {
      issuer.failing = new Error('connection refused');
      const token = await issuer.sign();
      expect(await codeOf(token)).toBe('SERVICE_UNAVAILABLE');
      issuer.failing = undefined;
      expect(await codeOf(token)).toBe('accepted');
      issuer.failing = new Error('connection refused');
      nowMs += 6 * 60_000;
      expect(await codeOf(await issuer.sign({ sub: 'another' }))).toBe('accepted');
    });
  });
});
