import {
  ACCESS_TOKEN_TYPE,
  type AccessTokenClaims,
  type Audience,
  MAX_TOKEN_AGE_SECONDS,
  PlatformError,
} from '@crm/contracts';
import { type CryptoKey, errors, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { readClaims } from './claims.js';
import { KeyRing } from './key-ring.js';
import type { KeySource } from './key-source.js';
import type { Principal } from './principal.js';
import { toPrincipal } from './principal-from-claims.js';
import type { RevocationSource } from './revocation-source.js';

/** Tolerated clock difference between issuer and verifier, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 5;
/** How far ahead of this clock a token may have been issued; what is dated later would outlive its greatest age. */
const MAX_CLOCK_LEAD_SECONDS = 60;
const BEARER = 'Bearer ';
/** Longest token, in characters; tokens of the platform have fewer than 1,500. */
const MAX_TOKEN_LENGTH = 8192;

/** Tokens remembered by one process, at about 2 KiB each; the least recently used is evicted first. */
const REMEMBERED_TOKENS = 10_000;

interface VerifiedToken {
  readonly claims: AccessTokenClaims;
  readonly principal: Principal;
  readonly keyId: string;
  /** By `exp` or by the greatest age, whichever comes first; Unix time in seconds. */
  readonly endsAt: number;
  /** The set of keys in which `keyId` was last seen. */
  generation: number;
}

export interface TokenVerifierOptions {
  /** Exact `iss`. */
  readonly issuer: string;
  /** The source of the keys, or a function that finds it on first use. */
  readonly keySource: KeySource | (() => KeySource);
  /** The source of the cut-offs, or a function that finds it on first use. */
  readonly revocations: RevocationSource | (() => RevocationSource);
  /** Unix time in milliseconds. */
  readonly now?: () => number;
  /** Number of tokens to remember; default 10,000. */
  readonly capacity?: number;
}

/**
 * Verifies access tokens (RFC 9068 profile): signature by EdDSA only, `typ`, issuer, audience, times, shape of
 * the claims, revocation. A verified token is remembered until it expires; its age, whether its key is still in force,
 * audience and revocation are checked on every use.
 */
export class TokenVerifier {
  private readonly keys: KeyRing;
  private readonly verified: LRUCache<string, VerifiedToken>;
  private readonly issuer: string;
  private readonly findRevocations: () => RevocationSource;
  /** Found once: looking it up in the application costs as much as the rest of the check. */
  private revocations: RevocationSource | undefined;
  private readonly now: () => number;

  constructor(options: TokenVerifierOptions) {
    const { keySource, revocations } = options;
    this.now = options.now ?? Date.now;
    this.keys = new KeyRing(
      typeof keySource === 'function' ? keySource : () => keySource,
      this.now,
      (id) => this.revocations?.isKeyRevoked(id) ?? false,
    );
    this.verified = new LRUCache({ max: options.capacity ?? REMEMBERED_TOKENS });
    this.issuer = options.issuer;
    this.findRevocations = typeof revocations === 'function' ? revocations : () => revocations;
  }

  /**
   * @param audiences any one of them is accepted
   * @throws PlatformError UNAUTHENTICATED, TOKEN_EXPIRED, TOKEN_REVOKED; SERVICE_UNAVAILABLE while keys or cut-offs are missing
   */
  async verify(token: string, audiences: readonly Audience[]): Promise<Principal> {
    const known = this.recall(token, audiences);
    if (known) return known;
    if (token.length > MAX_TOKEN_LENGTH) throw new PlatformError('UNAUTHENTICATED');
    // Read first: when the keys are fetched meanwhile, the key is looked up again.
    const { generation } = this.keys;
    const { claims, keyId } = await this.readToken(token);
    const endsAt = Math.min(claims.exp, claims.iat + MAX_TOKEN_AGE_SECONDS);
    const entry = { claims, principal: toPrincipal(claims, token), keyId, endsAt, generation };
    this.verified.set(token, entry);
    return this.judge(token, entry, audiences);
  }

  /**
   * The same for a token that was verified before, without a promise: most requests come with one.
   * @returns undefined for a token that is not remembered
   * @throws PlatformError TOKEN_EXPIRED, TOKEN_REVOKED, UNAUTHENTICATED; SERVICE_UNAVAILABLE while cut-offs are missing
   */
  recall(token: string, audiences: readonly Audience[]): Principal | undefined {
    this.revocations ??= this.findRevocations();
    if (!this.revocations.ready) {
      throw new PlatformError('SERVICE_UNAVAILABLE', 'Tokens cannot be checked yet', { retryAfterSeconds: 1 });
    }
    const entry = this.verified.get(token);
    return entry && this.judge(token, entry, audiences);
  }

  /**
   * The same from the `Authorization` header, when it has the scheme as nearly every client writes it; other spellings are
   * left to `bearerToken` and {@link verify}.
   */
  recallFrom(header: string | undefined, audiences: readonly Audience[]): Principal | undefined {
    return header?.startsWith(BEARER) ? this.recall(header.slice(BEARER.length), audiences) : undefined;
  }

  /** What is checked on every use of a token. */
  private judge(token: string, entry: VerifiedToken, audiences: readonly Audience[]): Principal {
    const { claims, principal, keyId } = entry;
    const nowMs = this.now();
    if (entry.endsAt + CLOCK_TOLERANCE_SECONDS <= nowMs / 1000) {
      this.verified.delete(token);
      throw new PlatformError('TOKEN_EXPIRED');
    }
    this.keys.refreshIfOld(nowMs);
    if (entry.generation !== this.keys.generation) this.checkKey(token, entry);
    if (!audiences.includes(claims.aud)) {
      throw new PlatformError('UNAUTHENTICATED', 'The access token is for another audience');
    }
    if (this.revocations?.isKeyRevoked(keyId) || this.revocations?.isRevoked(claims)) {
      throw new PlatformError('TOKEN_REVOKED');
    }
    return principal;
  }

  /** After the keys were fetched: a token whose key is not published any more is not remembered any more. */
  private checkKey(token: string, entry: VerifiedToken): void {
    const { generation } = this.keys;
    if (!this.keys.has(entry.keyId)) {
      this.verified.delete(token);
      throw new PlatformError('UNAUTHENTICATED');
    }
    entry.generation = generation;
  }

  private async readToken(token: string): Promise<{ claims: AccessTokenClaims; keyId: string }> {
    try {
      const { payload, key, protectedHeader } = await jwtVerify(token, (header) => this.keys.get(header.kid), {
        algorithms: ['EdDSA'],
        typ: ACCESS_TOKEN_TYPE,
        issuer: this.issuer,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(this.now()),
        requiredClaims: ['iss', 'aud', 'sub', 'iat', 'exp', 'jti'],
      });
      const claims = readClaims(payload);
      const signsFor = this.keys.audiencesOf(key as CryptoKey);
      if (!claims || (signsFor && !signsFor.includes(claims.aud))) throw new PlatformError('UNAUTHENTICATED');
      if (claims.iat > this.now() / 1000 + MAX_CLOCK_LEAD_SECONDS) throw new PlatformError('UNAUTHENTICATED');
      return { claims, keyId: protectedHeader.kid as string };
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw new PlatformError('TOKEN_EXPIRED', undefined, { cause: error });
      if (error instanceof errors.JOSEError || error instanceof TypeError) {
        throw new PlatformError('UNAUTHENTICATED', undefined, { cause: error });
      }
      throw error;
    }
  }
}
