import type { OutsideClient } from '@crm/egress';
import { describe, expect, it } from '@jest/globals';
import type { IdentityConfig } from '../config.js';
import { OidcClient } from './oidc-client.js';

/** A host from which the protocol library accepts whatever issuer is stated, as Azure AD B2C needs it. */
const ATTACKER = 'https://attacker.b2clogin.com';
const VICTIM = 'https://login.victim.example';

const documentOf = (issuer: string, host: string) => ({
  issuer,
  authorization_endpoint: `${host}/authorize`,
  token_endpoint: `${host}/token`,
  jwks_uri: `${host}/jwks`,
  response_types_supported: ['code'],
  id_token_signing_alg_values_supported: ['RS256'],
});

/** The client, with two providers behind it: one states the issuer of the other. */
function client(): OidcClient {
  const request = async ({ url }: { url: string }) => {
    const host = new URL(url).origin;
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(documentOf(VICTIM, host))),
    };
  };
  const outside = { request, checkUrl: () => ({ ok: true }) } as unknown as OutsideClient;
  return new OidcClient(outside, { egress: { allow: [], providerMs: 1_000 } } as unknown as IdentityConfig);
}

const registered = {
  tenantId: 'a-workspace',
  issuer: VICTIM,
  clientId: 'c',
  clientSecret: 's',
  redirectUri: 'https://crm.example.com/callback',
};
const checks = { state: 's', nonce: 'n', verifier: 'v'.repeat(43) };

describe('a provider that states the issuer of another', () => {
  it('is refused, and what it says is not taken for what the other says', async () => {
    const oidc = client();
    await expect(oidc.discover('a-workspace', ATTACKER)).rejects.toThrow('another issuer');
    const url = new URL(await oidc.authorizationUrl(registered, checks, ['openid']));
    expect(url.origin).toBe(VICTIM);
  });
});
