import { EgressError, type OutsideClient } from '@crm/egress';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IdentityConfig } from '../config.js';
import { CallGate, OidcClient } from './oidc-client.js';
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
/** A host from which the protocol library accepts whatever issuer is stated, as Azure AD B2C needs it. */
const ATTACKER = 'https://attacker.b2clogin.com';

let isAway: boolean;
let calls: number;
/** The way out, to providers that are away or not, and that all state the same issuer. */
const outside = {
  checkUrl: () => ({ ok: true }),
  request: async ({ url }: { url: string }) => {
    calls += 1;
    if (isAway) throw new EgressError('timeout_total', 'The provider took too long');
    const { origin } = new URL(url);
    const metadata = {
      issuer: ISSUER,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/keys`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['ES256'],
    };
    const body = Buffer.from(JSON.stringify(metadata));
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
  it('is not asked again for half a minute, no matter who begins a sign-in, and then it is', async () => {
    for (const tenantId of ['one', 'one', 'another']) await expect(start(tenantId)).rejects.toThrow('took too long');
    await expect(start()).rejects.toBeInstanceOf(ProviderFailure);
    expect(calls).toBe(1);
    isAway = false;
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 31_000);
    // The cache goes by a time that it has read until its timer of a millisecond lets it read the clock again.
    await new Promise((resolve) => setTimeout(resolve, 2));
    expect(await start()).toContain(`${ISSUER}/authorize`);
  });

  it('is asked by administrators who look at its settings, and is used at once when it answers', async () => {
    await expect(start()).rejects.toBeInstanceOf(ProviderFailure);
    isAway = false;
    expect(await client.discover(CLIENT.tenantId, ISSUER)).toBe(ISSUER);
    expect(await start()).toContain(`${ISSUER}/authorize`);
  });
});

describe('a provider that states the issuer of another', () => {
  it('is refused, and what it says is not taken for what the other says', async () => {
    isAway = false;
    await expect(client.discover(CLIENT.tenantId, ATTACKER)).rejects.toThrow('a different issuer');
    expect(new URL(await start()).origin).toBe(ISSUER);
  });
});

const REFUSED = { code: 'SERVICE_UNAVAILABLE' };

/** Calls that hang until they are let go. */
function hanging(gate: CallGate, provider: string, count: number): { letGo(): Promise<unknown> } {
  let open = (): void => undefined;
  const end = new Promise<void>((resolve) => {
    open = resolve;
  });
  const calls = Promise.all(Array.from({ length: count }, () => gate.run(provider, () => end)));
  return {
    letGo: () => {
      open();
      return calls;
    },
  };
}

describe('the calls to providers in flight', () => {
  it('are a few of each: one that hangs holds up no other', async () => {
    const gate = new CallGate();
    const { letGo } = hanging(gate, 'one', 8);
    await expect(gate.run('one', async () => 'in')).rejects.toMatchObject(REFUSED);
    expect(await gate.run('other', async () => 'in')).toBe('in');
    await letGo();
    expect(await gate.run('one', async () => 'in')).toBe('in');
  });

  it('are bounded over all of them, and failed ones free their slot as well', async () => {
    const gate = new CallGate();
    const failing = gate.run('failing', () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    const all = Array.from({ length: 64 }, (_, index) => hanging(gate, `provider-${index}`, 8));
    await expect(gate.run('other', async () => 'in')).rejects.toMatchObject(REFUSED);
    await all[0]?.letGo();
    expect(await gate.run('other', async () => 'in')).toBe('in');
    await Promise.all(all.map(({ letGo }) => letGo()));
  });
});
