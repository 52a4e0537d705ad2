import { uuidTimeMs } from '@crm/access';
import { ACCESS_TOKEN_SECONDS, type AccessTokenClaims, type Revocation, revocationKey } from '@crm/contracts';

/** Time after which no token that a cut-off could meet is alive: the longest lifetime, and as long again for clocks. */
const RELEVANT_MS = 2 * ACCESS_TOKEN_SECONDS * 1000;

/** The cut-offs that are known, by what they cut off. */
export class Cutoffs {
  private readonly byKey = new Map<string, number>();

  get size(): number {
    return this.byKey.size;
  }

  /** A cut-off never moves back. */
  add({ kind, id, cutoffMs }: Revocation): void {
    const key = revocationKey(kind, id);
    this.byKey.set(key, Math.max(cutoffMs, this.byKey.get(key) ?? 0));
  }

  /** Forgets what no living token can meet. @param nowMs Unix time in milliseconds */
  prune(nowMs: number): void {
    for (const [key, cutoffMs] of this.byKey) if (cutoffMs < nowMs - RELEVANT_MS) this.byKey.delete(key);
  }

  /** Whether any cut-off ends the token: its session by name, everything else by the millisecond of issue. */
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
