import { ACCESS_TOKEN_TYPE, type AccessTokenClaims } from '@crm/contracts';
import { type CryptoKey, exportJWK, generateKeyPair, type JSONWebKeySet, type JWK, SignJWT } from 'jose';
import { KeySource, RevocationSource } from '../src/key-ring.js';

export const ISSUER = 'http://127.0.0.1:8080';
export const TENANT = '0199aa00-0000-7000-8000-000000000001';
export const USER = '0199aa00-0000-7000-8000-0000000000aa';
/** 2026-01-01T00:00:00Z; the `jti` below contains the same millisecond. */
export const ISSUED_AT_MS = 1_767_225_600_000;
export const JTI = '019b76da-a800-7000-8000-00000000000b';

/** Keys that a test publishes and withdraws, counting how often they are fetched. */
export class Issuer extends KeySource {
  readonly published: JWK[] = [];
  private readonly privateKeys = new Map<string, CryptoKey>();
  fetches = 0;
  failing: Error | undefined;

  static async create(...ids: string[]): Promise<Issuer> {
    const issuer = new Issuer();
    for (const id of ids.length > 0 ? ids : ['key-1']) await issuer.addKey(id);
    return issuer;
  }

  async addKey(id: string, extra: Record<string, unknown> = {}): Promise<void> {
    const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    this.privateKeys.set(id, privateKey);
    this.published.push({ ...(await exportJWK(publicKey)), kid: id, alg: 'EdDSA', use: 'sig', ...extra });
  }

  override async getKeys(): Promise<JSONWebKeySet> {
    this.fetches += 1;
    if (this.failing) throw this.failing;
    return { keys: [...this.published] };
  }

  /** A token with the usual claims, changed as the test says; `undefined` removes a claim. */
  sign(
    changes: { [Claim in keyof AccessTokenClaims]?: unknown } & Record<string, unknown> = {},
    header: Record<string, unknown> = {},
    keyId = 'key-1',
  ): Promise<string> {
    const user = { sub: USER, tid: TENANT, roles: ['member'], scopes: [], sid: 'session-1' };
    const times = { iat: ISSUED_AT_MS / 1000, exp: ISSUED_AT_MS / 1000 + 900 };
    const claims = { iss: ISSUER, aud: 'platform-api', ...user, ...times, jti: JTI, ...changes };
    return new SignJWT(JSON.parse(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'EdDSA', typ: ACCESS_TOKEN_TYPE, kid: keyId, ...header })
      .sign(this.privateKeys.get(keyId)!);
  }
}

/** Cut-offs that a test sets by hand. */
export class Revocations extends RevocationSource {
  override ready = true;
  readonly revokedSessions = new Set<string>();
  readonly revokedKeys = new Set<string>();

  override isRevoked(claims: AccessTokenClaims): boolean {
    return claims.sid !== undefined && this.revokedSessions.has(claims.sid);
  }

  override isKeyRevoked(id: string): boolean {
    return this.revokedKeys.has(id);
  }
}
