import { LRUCache } from 'lru-cache';
import type { Origin } from './destination.js';

/** A TLS session that a verified peer gave, for resumption. */
export interface VerifiedSession {
  /** What `tls.connect` takes. */
  readonly session: Buffer;
  /** The name that the certificate was checked for. */
  readonly name: string;
  /** When the certificate must be seen again, in milliseconds of `performance.now()`. */
  readonly usableUntil: number;
}

/**
 * Milliseconds after a full handshake in which its session is resumed. A resumed handshake shows no certificate, so this is
 * how long a certificate that was revoked or replaced still counts; RFC 8446 4.6.1 allows a week.
 */
export const SESSION_LIFETIME_MS = 10 * 60_000;

/** Sessions kept; about 2 KiB each. */
const REMEMBERED_SESSIONS = 4096;

/**
 * The newest session of each address of each origin. The origin carries host, port and trust (whether the extra authorities
 * count), so a session never serves another host, another port or another trust, nor another address of the same host.
 */
export class TlsSessions {
  private readonly sessions = new LRUCache<string, VerifiedSession>({ max: REMEMBERED_SESSIONS });

  /** @param name what the certificate would be checked for in a full handshake */
  find(origin: Origin, address: string, name: string): VerifiedSession | undefined {
    const known = this.sessions.get(keyOf(origin, address));
    return known !== undefined && known.name === name && performance.now() < known.usableUntil ? known : undefined;
  }

  keep(origin: Origin, address: string, session: VerifiedSession): void {
    this.sessions.set(keyOf(origin, address), session);
  }

  forget(origin: Origin, address: string): void {
    this.sessions.delete(keyOf(origin, address));
  }
}

function keyOf(origin: Origin, address: string): string {
  return `${origin.exempt ? 'exempt' : 'public'} ${origin.origin} ${address}`;
}
