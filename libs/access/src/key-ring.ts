import { type AccessTokenClaims, type Audience, PlatformError } from '@crm/contracts';
import { type CryptoKey, importJWK, type JSONWebKeySet, type JWK } from 'jose';
import type { Principal } from './request-context.js';

/**
 * The issuer's public keys. A key with {@link KEY_AUDIENCES} signs for these alone, so that the operators' key and the
 * tenants' key are not interchangeable; one without signs for every audience.
 */
export abstract class KeySource {
  /** @throws PlatformError SERVICE_UNAVAILABLE when the keys cannot be fetched right now */
  abstract getKeys(): Promise<JSONWebKeySet>;
}

/** Private member of a published key (RFC 7517, section 4 allows additional members): audiences the key signs for. */
export const KEY_AUDIENCES = 'crm_audiences';

/** Decides whether a token was revoked after it was issued. messaging implements it with the watched cut-offs. */
export abstract class RevocationSource {
  /** False until the first complete snapshot has arrived; until then every token is refused. */
  abstract readonly ready: boolean;

  /** Milliseconds since it was last known to be complete; 0 for a source that always is. Must not do I/O. */
  get ageMs(): number {
    return 0;
  }

  /** Looked up on every use of a token, cached or not, so it must not do I/O. */
  abstract isRevoked(claims: AccessTokenClaims): boolean;

  /** Returns whether a tenant is suspended: no token of it is accepted, and what it has waits. Must not do I/O either. */
  isSuspended(_tenantId: string): boolean {
    return false;
  }

  suspendedTenants(): readonly string[] {
    return [];
  }

  /** Returns whether operators have revoked an app: nothing that it has in any workspace works any more. Must not do I/O either. */
  isAppRevoked(_appKey: string): boolean {
    return false;
  }

  revokedApps(): readonly string[] {
    return [];
  }

  /** Returns whether the key with this `kid` was taken out of force before its time; looked up on every use of a token too. */
  isKeyRevoked(_id: string): boolean {
    return false;
  }
}

/** Knows which sessions were proven recently; identity, which keeps them, decides. */
export abstract class ProofSource {
  /** @throws PlatformError STEP_UP_REQUIRED with the proofs that are possible, also for a token without a session */
  abstract assert(principal: Principal): Promise<void>;
}

/** Shortest time between fetches for unknown key ids, because the id comes from the caller. */
const MIN_REFRESH_MS = 5000;
/** The same while a known key is out of force: its successor signs already, and everybody comes with a new token. */
const MIN_REFRESH_AFTER_REVOCATION_MS = 200;
/** Keys are fetched again after this time even if all ids are known, so that a withdrawn key is no longer accepted. */
const MAX_AGE_MS = 5 * 60_000;
/** How long keys are used when they cannot be refreshed, so that an outage of identity does not sign out all users. */
const MAX_STALE_MS = 60 * 60_000;

/** The issuer's public keys, fetched on first use, cached, and refreshed when they may have changed. */
export class KeyRing {
  private byId: ReadonlyMap<string, CryptoKey> | undefined;
  private readonly audiences = new WeakMap<CryptoKey, readonly Audience[]>();
  private fetchedAtMs = Number.NEGATIVE_INFINITY;
  /** Also of a fetch that failed. */
  private triedAtMs = Number.NEGATIVE_INFINITY;
  private fetched = 0;
  private pending: Promise<ReadonlyMap<string, CryptoKey>> | undefined;

  constructor(
    private readonly source: () => KeySource,
    private readonly now: () => number,
    private readonly isRevoked: (id: string) => boolean = () => false,
  ) {}

  /** @throws PlatformError UNAUTHENTICATED if no such key is published, SERVICE_UNAVAILABLE if keys cannot be fetched */
  async get(id: string | undefined): Promise<CryptoKey> {
    if (id === undefined) throw new PlatformError('UNAUTHENTICATED');
    const age = this.now() - this.fetchedAtMs;
    const known = this.byId?.get(id);
    if (known && age < MAX_AGE_MS) return known;
    if (known && age < MAX_STALE_MS) {
      this.refreshIfOld(this.now());
      return known;
    }
    if (this.byId && !this.pending && age < this.minRefreshMs(this.byId)) throw new PlatformError('UNAUTHENTICATED');
    const key = (await this.refresh()).get(id);
    if (!key) throw new PlatformError('UNAUTHENTICATED');
    return key;
  }

  /** Another number after each fetch: what was found out about a key holds while this stays the same. */
  get generation(): number {
    return this.fetched;
  }

  has(id: string): boolean {
    return this.byId?.has(id) ?? false;
  }

  /** Fetches the keys in the background when they are old. Called for every token, remembered ones too. */
  refreshIfOld(nowMs: number): void {
    if (nowMs - this.fetchedAtMs < MAX_AGE_MS || nowMs - this.triedAtMs < MIN_REFRESH_MS) return;
    // A failure is handled by anyone who needs a key that is not known, or known for too long.
    this.refresh().catch(() => undefined);
  }

  /** Audiences that the key signs for; undefined means all. */
  audiencesOf(key: CryptoKey): readonly Audience[] | undefined {
    return this.audiences.get(key);
  }

  private minRefreshMs(known: ReadonlyMap<string, CryptoKey>): number {
    const isOutdated = [...known.keys()].some((id) => this.isRevoked(id));
    return isOutdated ? MIN_REFRESH_AFTER_REVOCATION_MS : MIN_REFRESH_MS;
  }

  private refresh(): Promise<ReadonlyMap<string, CryptoKey>> {
    this.triedAtMs = this.now();
    this.pending ??= this.load().finally(() => {
      this.pending = undefined;
    });
    return this.pending;
  }

  private async load(): Promise<ReadonlyMap<string, CryptoKey>> {
    let keys: JWK[];
    try {
      ({ keys } = await this.source().getKeys());
    } catch (cause) {
      if (cause instanceof PlatformError && cause.code === 'SERVICE_UNAVAILABLE') throw cause;
      throw new PlatformError('SERVICE_UNAVAILABLE', "Tokens can't be checked right now. Try again shortly", {
        retryAfterSeconds: 1,
        cause,
      });
    }
    const byId = new Map<string, CryptoKey>();
    for (const jwk of keys) {
      // Only the kind of key that signs tokens of the platform; keys of other kinds are ignored.
      if (jwk.kty !== 'OKP' || jwk.crv !== 'Ed25519' || !jwk.kid || (jwk.use !== undefined && jwk.use !== 'sig'))
        continue;
      const key = (await importJWK({ kty: jwk.kty, crv: jwk.crv, x: jwk.x }, 'EdDSA')) as CryptoKey;
      byId.set(jwk.kid, key);
      const signsFor = (jwk as Record<string, unknown>)[KEY_AUDIENCES];
      if (signsFor !== undefined) this.audiences.set(key, Array.isArray(signsFor) ? (signsFor as Audience[]) : []);
    }
    this.byId = byId;
    this.fetched += 1;
    this.fetchedAtMs = this.now();
    return byId;
  }
}
