import {
  ACCESS_TOKEN_TYPE,
  type AccessTokenClaims,
  ANY_APP,
  AUDIENCES,
  type Audience,
  isAppRole,
  isBase64url,
  isUuid,
  MAX_TOKEN_AGE_SECONDS,
  PlatformError,
} from '@crm/contracts';
import { type CryptoKey, errors, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { KeyRing, type KeySource, type RevocationSource } from './key-ring.js';
import type { Principal } from './request-context.js';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const KNOWN_AUDIENCES: readonly unknown[] = Object.values(AUDIENCES);

/** Undefined without the shape that the platform issues: a claim of a wrong type never reaches a decision. */
function readClaims(payload: JWTPayload): AccessTokenClaims | undefined {
  const claims = payload as unknown as AccessTokenClaims;
  const wellFormed =
    KNOWN_AUDIENCES.includes(claims.aud) &&
    isText(claims.sub) &&
    (claims.aud === AUDIENCES.admin ? claims.tid === undefined : isLowerCaseUuid(claims.tid)) &&
    (claims.linked_tid === undefined || (claims.aud === AUDIENCES.admin && isLowerCaseUuid(claims.linked_tid))) &&
    isTextList(claims.roles) &&
    isTextList(claims.scopes) &&
    isOptionalText(claims.sid) &&
    typeof claims.iat === 'number' &&
    typeof claims.exp === 'number' &&
    isText(claims.jti) &&
    UUID_V7.test(claims.jti) &&
    (claims.embed === undefined
      ? claims.embed_app_id === undefined
      : claims.embed === true && isText(claims.embed_app_id)) &&
    (claims.api_key === undefined || isOfApiKey(claims)) &&
    (claims.service_account === undefined || (claims.service_account === true && claims.api_key === true)) &&
    (claims.act === undefined ||
      (typeof claims.act === 'object' &&
        claims.act !== null &&
        isText(claims.act.sub) &&
        isOptionalText(claims.act.installation_id) &&
        (claims.act.sandbox === undefined || claims.act.sandbox === true)));
  return wellFormed ? claims : undefined;
}

/** Unix time in milliseconds at which a UUIDv7 was made: its first 48 bits (RFC 9562, section 5.7). */
export function uuidTimeMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** A key always narrows: without scopes it would reach what its owner reaches. */
const isOfApiKey = ({ api_key, aud, sid, scopes, embed, act }: AccessTokenClaims): boolean =>
  api_key === true &&
  aud === AUDIENCES.api &&
  isText(sid) &&
  isTextList(scopes) &&
  scopes.length > 0 &&
  embed === undefined &&
  act === undefined;

/** One spelling per tenant, because cut-offs and caches compare the id as text. */
const isLowerCaseUuid = (value: unknown): boolean => isUuid(value) && value === value.toLowerCase();
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isOptionalText = (value: unknown): boolean => value === undefined || isText(value);
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');

function toPrincipal(claims: AccessTokenClaims, token: string): Principal {
  return Object.freeze({
    kind: kindOf(claims),
    userId: claims.sub,
    tenantId: claims.tid ?? '',
    roles: Object.freeze([...claims.roles]),
    scopes: Object.freeze([...claims.scopes]),
    ...(claims.linked_tid !== undefined && { linkedTenantId: claims.linked_tid }),
    ...(claims.sid !== undefined && (claims.api_key ? { apiKeyId: claims.sid } : { sessionId: claims.sid })),
    ...(claims.service_account && { serviceAccount: true as const }),
    tokenId: claims.jti,
    issuedAtMs: uuidTimeMs(claims.jti),
    ...appOf(claims),
    token,
  });
}

function kindOf(claims: AccessTokenClaims): Principal['kind'] {
  if (claims.aud === AUDIENCES.admin) return 'operator';
  if (claims.aud === AUDIENCES.internal) return 'internal';
  if (claims.embed) return 'embed';
  // An app's own token has both a role and an actor that identify it; either is enough to restrict it.
  const hasAppRole = claims.roles.some((role) => role === ANY_APP || isAppRole(role));
  return claims.act !== undefined || hasAppRole ? 'app' : 'user';
}

function appOf(claims: AccessTokenClaims): Pick<Principal, 'appKey' | 'installationId' | 'sandbox'> {
  const appKey = claims.act?.sub ?? claims.embed_app_id;
  const installationId = claims.act?.installation_id;
  return {
    ...(appKey !== undefined && { appKey }),
    ...(installationId !== undefined && { installationId }),
    ...(claims.act?.sandbox && { sandbox: true }),
  };
}

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
  readonly endsAt: number;
  generation: number;
}

export interface TokenVerifierOptions {
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

/** RFC 9068 profile, EdDSA only. Of a remembered token age, key, audience and revocation are checked on every use. */
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

  /** @throws PlatformError UNAUTHENTICATED, TOKEN_EXPIRED, TOKEN_REVOKED; SERVICE_UNAVAILABLE without keys or cut-offs */
  async verify(token: string, audiences: readonly Audience[]): Promise<Principal> {
    const known = this.recall(token, audiences);
    if (known) return known;
    // Decoders take several spellings of the same bytes: anyone who counts or remembers tokens as text would take them for others.
    if (token.length > MAX_TOKEN_LENGTH || !token.split('.').every(isBase64url)) {
      throw new PlatformError('UNAUTHENTICATED');
    }
    // Read first: when the keys are fetched meanwhile, the key is looked up again.
    const { generation } = this.keys;
    const { claims, keyId } = await this.readToken(token);
    const endsAt = Math.min(claims.exp, claims.iat + MAX_TOKEN_AGE_SECONDS);
    const entry = { claims, principal: toPrincipal(claims, token), keyId, endsAt, generation };
    this.verified.set(token, entry);
    return this.judge(token, entry, audiences);
  }

  /** For a remembered token, without a promise. @throws PlatformError TOKEN_EXPIRED, TOKEN_REVOKED, UNAUTHENTICATED */
  recall(token: string, audiences: readonly Audience[]): Principal | undefined {
    this.revocations ??= this.findRevocations();
    if (!this.revocations.ready) {
      throw new PlatformError('SERVICE_UNAVAILABLE', "Tokens can't be checked yet. Try again in a second", {
        retryAfterSeconds: 1,
      });
    }
    const entry = this.verified.get(token);
    return entry && this.judge(token, entry, audiences);
  }

  /** From a header as nearly every client writes it; other spellings are left to `bearerToken` and {@link verify}. */
  recallFrom(header: string | undefined, audiences: readonly Audience[]): Principal | undefined {
    return header?.startsWith(BEARER) ? this.recall(header.slice(BEARER.length), audiences) : undefined;
  }

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
      throw new PlatformError('UNAUTHENTICATED', 'The access token is for a different audience');
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
