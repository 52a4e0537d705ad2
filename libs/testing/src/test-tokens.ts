import { KeySource, RevocationSource, TokenVerifier } from '@crm/access';
import {
  ACCESS_TOKEN_SECONDS,
  ACCESS_TOKEN_TYPE,
  type AccessTokenClaims,
  AUDIENCES,
  SCOPE_NAMES,
} from '@crm/contracts';
import { newId } from '@crm/database';
import { exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose';

/** `iss` of the tokens of tests; the same as the development profile's. */
export const TEST_ISSUER = 'http://127.0.0.1:8080';
const KEY_ID = 'test-key';

export interface TestTokens {
  /** Give it to startTestService: the service then believes these tokens. */
  keySource: KeySource;
  /** A token; by default of a user with the role admin and every scope, in a tenant of its own. */
  sign(claims?: Partial<AccessTokenClaims>): Promise<string>;
}

let pair: ReturnType<typeof generateKeyPair> | undefined;

/** One key for a test file, so that services and stand-ins believe each other's callers. */
const keyPair = () => {
  pair ??= generateKeyPair('EdDSA');
  return pair;
};

class TestKeySource extends KeySource {
  async getKeys(): Promise<JSONWebKeySet> {
    const jwk = await exportJWK((await keyPair()).publicKey);
    return { keys: [{ ...jwk, kid: KEY_ID, alg: 'EdDSA', use: 'sig' }] };
  }
}

class NothingRevoked extends RevocationSource {
  readonly ready = true;

  isRevoked(): boolean {
    return false;
  }
}

export function testTokens(): TestTokens {
  return {
    keySource: new TestKeySource(),
    async sign(claims = {}) {
      const now = Math.floor(Date.now() / 1000);
      const audience = claims.aud ?? AUDIENCES.api;
      const payload: AccessTokenClaims = {
        iss: TEST_ISSUER,
        aud: audience,
        sub: newId(),
        ...(audience === AUDIENCES.admin ? {} : { tid: newId() }),
        roles: ['admin'],
        scopes: [...SCOPE_NAMES],
        sid: newId(),
        iat: now,
        exp: now + ACCESS_TOKEN_SECONDS,
        jti: newId(),
        ...claims,
      };
      return new SignJWT({ ...payload })
        .setProtectedHeader({ alg: 'EdDSA', typ: ACCESS_TOKEN_TYPE, kid: KEY_ID })
        .sign((await keyPair()).privateKey);
    },
  };
}

export const testVerifier = (): TokenVerifier =>
  new TokenVerifier({ issuer: TEST_ISSUER, keySource: new TestKeySource(), revocations: new NothingRevoked() });
