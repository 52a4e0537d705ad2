import { Resolver as NameServerClient } from 'node:dns/promises';
import { errorCodeOf } from './errors.js';
import type { NameServerOptions } from './resolver.js';

/**
 * Returns the TXT records of a name, each as one text; empty when it has none. Rejects when no name server said so: whoever
 * asks must not take a failed lookup for a missing record.
 */
export type TextResolver = (name: string) => Promise<readonly string[]>;

/** Milliseconds until a server is asked again, as for addresses (resolver.ts). */
const FIRST_TRY_MS = 1_000;
const TRIES = 2;
const LOOKUP_MS = 3_000;

/** What name servers say of a name without such records. */
const ABSENT = ['ENODATA', 'ENOTFOUND'];

/** Asks the name servers directly, for the reasons that decision record 0026 gives for addresses. */
export function nameServerTextResolver({ servers, limitMs = LOOKUP_MS }: NameServerOptions = {}): TextResolver {
  return async (name) => {
    const client = new NameServerClient({ timeout: FIRST_TRY_MS, tries: TRIES });
    if (servers) client.setServers(servers);
    const timer = setTimeout(() => client.cancel(), limitMs);
    try {
      // A record longer than 255 bytes comes in pieces (RFC 1035, section 3.3.14).
      return (await client.resolveTxt(name)).map((pieces) => pieces.join(''));
    } catch (error) {
      if (ABSENT.includes(errorCodeOf(error))) return [];
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
}
