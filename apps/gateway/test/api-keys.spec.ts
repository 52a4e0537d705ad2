import { makeApiKey } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { v7 } from 'uuid';
import { Edge, revocations, TENANT, TestIssuer, tokenOf } from './harness.js';

const ATTACKER = '192.0.2.1';

const edge = Edge.single();
let issuer: TestIssuer;
/** identity exchanges every key for another token, until a test says otherwise. */
beforeEach(() => {
  issuer = new TestIssuer();
  issuer.answer = async ({ keyId }) => {
    return { token: await tokenOf({ sid: keyId, api_key: true, scopes: ['leads'] }), expiresIn: 120 };
  };
});

const start = (environment?: Record<string, string>) => edge.start(environment, issuer);
const newKey = () => {
  const keyId = v7();
  return { keyId, key: makeApiKey({ keyId, tenantId: TENANT }) };
};
const refuseKeys = () => {
  issuer.answer = () => Promise.reject(new PlatformError('INVALID_API_KEY'));
};
const call = (authorization: string, headers: Record<string, string> = {}, path = '/api/crm/leads') =>
  edge.call(path, { headers: { authorization, ...headers } });
const use = (key: string, headers?: Record<string, string>) => call(`Bearer ${key}`, headers);

describe('an API key at the gateway', () => {
  it('is exchanged once for many calls, and only its token is forwarded', async () => {
    await start();
    const { key, keyId } = newKey();
    for (let n = 0; n < 20; n += 1) expect((await use(key)).status).toBe(200);
    expect(issuer.presented).toEqual([
      { keyId, tenantId: TENANT, fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/), address: '127.0.0.1' },
    ]);
    expect(edge.services.received.length).toBe(20);
    for (const { headers } of edge.services.received) {
      expect(headers.authorization).toMatch(/^Bearer eyJ/);
      expect(JSON.stringify(headers)).not.toContain('crmk_');
    }
    expect(JSON.stringify(issuer.presented)).not.toContain(key.slice(-49));
  });

  it('is understood with every spelling of the scheme', async () => {
    await start();
    const { key } = newKey();
    for (const scheme of ['Bearer ', 'bearer ', 'BEARER  ']) {
      expect((await call(scheme + key)).status).toBe(200);
      expect(edge.services.last.headers.authorization).toMatch(/^Bearer eyJ/);
    }
    expect(issuer.presented.length).toBe(1);
  });

  it('is exchanged again as soon as its token is cut off, and refused when it has ended', async () => {
    await start();
    const { key, keyId } = newKey();
    expect((await use(key)).status).toBe(200);
    revocations.endedSessions.add(keyId);
    refuseKeys();
    const refused = await use(key);
    expect([refused.status, refused.code]).toEqual([401, 'INVALID_API_KEY']);
    expect(refused.headers.get('www-authenticate')).toContain('Bearer');
    expect(issuer.presented.length).toBe(2);
    for (let n = 0; n < 5; n += 1) expect((await use(key)).code).toBe('INVALID_API_KEY');
    expect(issuer.presented.length).toBe(2);
    expect(edge.services.received.length).toBe(1);
  });

  it('is not forwarded when it ended while its token was on the way; the next attempt says so', async () => {
    await start();
    const { key, keyId } = newKey();
    revocations.endedSessions.add(keyId);
    const changing = await use(key);
    expect([changing.status, changing.headers.get('retry-after')]).toEqual([503, '1']);
    refuseKeys();
    expect((await use(key)).code).toBe('INVALID_API_KEY');
    expect(edge.services.received).toEqual([]);
  });

  it('has the limit of a user for itself', async () => {
    await start({ RATE_LIMIT_PRINCIPAL: '2' });
    const [first, second] = [newKey().key, newKey().key];
    const answer = await use(first);
    expect(answer.headers.get('ratelimit-policy')).toBe('"principal";q=2;w=60, "tenant";q=12000;w=60');
    await use(first);
    expect((await use(first)).code).toBe('RATE_LIMITED');
    // Both tokens belong to the same user.
    expect((await use(second)).status).toBe(200);
    expect((await call(`Bearer ${await tokenOf({ sid: v7() })}`)).status).toBe(200);
  });
});

describe('anyone who guesses API keys', () => {
  it('is refused by the checksum, without a call to identity', async () => {
    await start();
    const { key } = newKey();
    const mangled = [
      'crmk_',
      key.slice(0, -1),
      `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
      `${key}0`,
      key.replace('crmk_', 'crmk-'),
      key.toLowerCase(),
      `crmk_${'0'.repeat(44)}_${'0'.repeat(49)}`,
    ];
    for (const text of mangled) expect([text, (await use(text)).status]).toEqual([text, 401]);
    expect(issuer.presented).toEqual([]);
    expect(edge.services.received).toEqual([]);
  });

  it('is limited by address before identity is asked, and pays for keys that fail the checksum too', async () => {
    refuseKeys();
    await start({ RATE_LIMIT_ADDRESS: '3' });
    const from = { 'x-forwarded-for': ATTACKER };
    for (const key of [newKey().key, 'crmk_guess', newKey().key])
      expect((await use(key, from)).code).toBe('INVALID_API_KEY');
    for (const key of [newKey().key, 'crmk_guess']) expect((await use(key, from)).code).toBe('RATE_LIMITED');
    expect(issuer.presented.length).toBe(2);
    expect((await use(newKey().key, { 'x-forwarded-for': '192.0.2.2' })).code).toBe('INVALID_API_KEY');
  });

  it('does not pay for a key that is valid', async () => {
    await start({ RATE_LIMIT_ADDRESS: '2' });
    for (let n = 0; n < 6; n += 1) expect((await use(newKey().key, { 'x-forwarded-for': ATTACKER })).status).toBe(200);
  });

  it('gains nothing from a token that identity did not sign', async () => {
    issuer.answer = async () => ({ token: 'eyJhbGciOiJub25lIn0.e30.', expiresIn: 120 });
    await start();
    expect((await use(newKey().key)).code).toBe('SERVICE_UNAVAILABLE');
    expect(edge.services.received).toEqual([]);
  });

  it('reaches no service where a token is not looked at', async () => {
    await start();
    const { key } = newKey();
    await call(`Bearer ${key}`, {}, '/api/auth/login');
    expect(edge.services.last.headers.authorization).toBeUndefined();
  });
});
