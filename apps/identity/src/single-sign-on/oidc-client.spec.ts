import { EgressError, type OutsideClient } from '@crm/egress';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IdentityConfig } from '../config.js';
import { OidcClient } from './oidc-client.js';
import { ProviderFailure } from './oidc-metadata.js';

const ISSUER = 'https://login.example.com';
const CLIENT = {
  tenantId: 'a-workspace',
  issuer: ISSUER,
  clientId: 'crm',
  clientSecret: 'secret',
  redirectUri: 'https://crm.example.com/back',
};
const CHECKS = { state: 'state', nonce: 'nonce', verifier: 'v'.repeat(43) };
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/keys`,
  response_types_supported: ['code'],
  id_token_signing_alg_values_supported: ['ES256'],
};

let isAway: boolean;
let calls: number;
/** The way out, to a provider that is away or not. */
const outside = {
  checkUrl: () => ({ ok: true }),
  request: async () => {
    calls += 1;
    if (isAway) throw new EgressError('timeout_total', 'The provider took too long');
    const body = Buffer.from(JSON.stringify(METADATA));
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  },
} as unknown as OutsideClient;

let client: OidcClient;
beforeEach(() => {
  [isAway, calls] = [true, 0];
  client = new OidcClient(outside, { egress: { providerMs: 1_000 } } as IdentityConfig);
});
afterEach(() => {
  jest.restoreAllMocks();
});
const start = (tenantId = CLIENT.tenantId) => client.authorizationUrl({ ...CLIENT, tenantId }, CHECKS, ['openid']);

describe('a provider that cannot be read', () => {
  it('is not asked again for half a minute, whoever begins a sign-in, and then it is', async () => {
    for (const tenantId of ['one', 'one', 'another']) await expect(start(tenantId)).rejects.toThrow('took too long');
    await expect(start()).rejects.toBeInstanceOf(ProviderFailure);
    expect(calls).toBe(1);
    isAway = false;
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 31_000);
    // The cache goes by a time that it has read until its timer of a millisecond lets it read the clock again.
    await new Promise((resolve) => setTimeout(resolve, 2));
    expect(await start()).toContain(METADATA.authorization_endpoint);
  });

  it('is asked by administrators who look at its settings, and is used at once when it answers', async () => {
    await expect(start()).rejects.toBeInstanceOf(ProviderFailure);
    isAway = false;
    expect(await client.discover(CLIENT.tenantId, ISSUER)).toBe(ISSUER);
    expect(await start()).toContain(METADATA.authorization_endpoint);
  });
});
