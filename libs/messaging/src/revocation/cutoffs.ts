import { uuidTimeMs } from '@crm/access';
import { ACCESS_TOKEN_SECONDS, type AccessTokenClaims, type Revocation, revocationKey } from '@crm/contracts';

/** Longer than the bucket can have the lifted suspension (a day), which a bucket that is read again gives first. */
const SUSPENSION_RELEVANT_MS = 2 * 86_400_000;

/** Suspended: the last suspension is later than the last reinstatement. Both only move forward, so order does not matter. */
export class Suspensions {
  private readonly suspendedAt = new Map<string, number>();
  private readonly reinstatedAt = new Map<string, number>();
  private readonly suspended = new Set<string>();
  private listed: readonly string[] | undefined;

  get size(): number {
    return this.suspendedAt.size + this.reinstatedAt.size;
  }

  suspend(tenantId: string, atMs: number): void {
    keepLater(this.suspendedAt, tenantId, atMs);
    this.decide(tenantId);
  }

  reinstate(tenantId: string, atMs: number): void {
    keepLater(this.reinstatedAt, tenantId, atMs);
    this.decide(tenantId);
  }

  /** Looked up for every token. */
  has(tenantId: string): boolean {
    return this.suspended.size > 0 && this.suspended.has(tenantId);
  }

  list(): readonly string[] {
    this.listed ??= [...this.suspended];
    return this.listed;
  }

  /** Forgets what was lifted long ago. A suspension in force is never forgotten. @param nowMs Unix time in milliseconds */
  prune(nowMs: number): void {
    for (const [tenantId, atMs] of this.reinstatedAt) {
      if (atMs >= nowMs - SUSPENSION_RELEVANT_MS) continue;
      this.reinstatedAt.delete(tenantId);
      if (!this.suspended.has(tenantId)) this.suspendedAt.delete(tenantId);
    }
  }

  private decide(tenantId: string): void {
    const isInForce = (this.suspendedAt.get(tenantId) ?? 0) > (this.reinstatedAt.get(tenantId) ?? 0);
    if (isInForce === this.suspended.has(tenantId)) return;
    if (isInForce) this.suspended.add(tenantId);
    else this.suspended.delete(tenantId);
    this.listed = undefined;
  }
}

function keepLater(times: Map<string, number>, id: string, atMs: number): void {
  times.set(id, Math.max(atMs, times.get(id) ?? 0));
}

/** Time after which every token that a cut-off affects has expired: twice the longest lifetime, to allow for clocks. */
const RELEVANT_MS = 2 * ACCESS_TOKEN_SECONDS * 1000;

/** The holder of a revoked signing key can date tokens at will, so its cut-off outlives every copy of the published keys. */
const KEY_RELEVANT_MS = 24 * 3_600_000;

export class Cutoffs {
  private readonly byKey = new Map<string, number>();
  /** Signing keys, apart from the others: what is asked for every token must cost nothing while there are none. */
  private readonly signingKeys = new Map<string, number>();
  readonly suspensions = new Suspensions();

  get size(): number {
    return this.byKey.size + this.signingKeys.size + this.suspensions.size;
  }

  add({ kind, id, cutoffMs }: Revocation): void {
    switch (kind) {
      case 'signing_key':
        this.signingKeys.set(id, cutoffMs);
        return;
      case 'suspension':
        this.suspensions.suspend(id, cutoffMs);
        return;
      case 'reinstatement':
        this.suspensions.reinstate(id, cutoffMs);
        return;
      default: {
        const key = revocationKey(kind, id);
        this.byKey.set(key, Math.max(cutoffMs, this.byKey.get(key) ?? 0));
      }
    }
  }

  /** Removes cut-offs that no unexpired token can be affected by. @param nowMs Unix time in milliseconds */
  prune(nowMs: number): void {
    for (const [key, cutoffMs] of this.byKey) if (cutoffMs < nowMs - RELEVANT_MS) this.byKey.delete(key);
    for (const [id, cutoffMs] of this.signingKeys) {
      if (cutoffMs < nowMs - KEY_RELEVANT_MS) this.signingKeys.delete(id);
    }
    this.suspensions.prune(nowMs);
  }

  /** Whether a signing key is out of force. @param id its `kid` */
  cutsKey(id: string): boolean {
    return this.signingKeys.size > 0 && this.signingKeys.has(id);
  }

  /** Whether the token is revoked: its tenant is suspended, its session has ended, or it was issued before a cut-off. */
  cut(claims: AccessTokenClaims): boolean {
    if (claims.tid && this.suspensions.has(claims.tid)) return true;
    if (this.byKey.size === 0) return false;
    if (claims.sid !== undefined && this.byKey.has(revocationKey('session', claims.sid))) return true;
    const issuedMs = uuidTimeMs(claims.jti);
    return subjectsOf(claims).some((key) => issuedMs < (this.byKey.get(key) ?? 0));
  }
}

function subjectsOf(claims: AccessTokenClaims): string[] {
  const keys = [revocationKey('user', claims.sub)];
  if (claims.tid) keys.push(revocationKey('tenant', claims.tid));
  const app = claims.act?.sub ?? claims.embed_app_id;
  if (app) keys.push(revocationKey('app', app));
  const installation = claims.act?.installation_id;
  if (installation) keys.push(revocationKey('installation', installation));
  if (installation && claims.sid !== undefined) keys.push(revocationKey('grant', claims.sid));
  return keys;
}
