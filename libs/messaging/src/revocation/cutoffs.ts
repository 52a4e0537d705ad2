import { uuidTimeMs } from '@crm/access';
import { ACCESS_TOKEN_SECONDS, type AccessTokenClaims, type Revocation, revocationKey } from '@crm/contracts';

/** Time after which every token that a cut-off affects has expired: twice the longest lifetime, to allow for clocks. */
const RELEVANT_MS = 2 * ACCESS_TOKEN_SECONDS * 1000;

/** The known cut-offs by their target. */
export class Cutoffs {
  private readonly byKey = new Map<string, number>();

  get size(): number {
    return this.byKey.size;
  }

  /** Keeps the later cut-off. */
  add({ kind, id, cutoffMs }: Revocation): void {
    const key = revocationKey(kind, id);
    this.byKey.set(key, Math.max(cutoffMs, this.byKey.get(key) ?? 0));
  }

  /** Removes cut-offs that no unexpired token can be affected by. @param nowMs Unix time in milliseconds */
  prune(nowMs: number): void {
    for (const [key, cutoffMs] of this.byKey) if (cutoffMs < nowMs - RELEVANT_MS) this.byKey.delete(key);
  }

  /** Whether a cut-off revokes the token: by its session, or by the millisecond in which it was issued. */
  cut(claims: AccessTokenClaims): boolean {
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
  return keys;
}
