import { lookup, Resolver as NameServerClient } from 'node:dns/promises';
import { errorCodeOf } from './errors.js';

/**
 * Returns all addresses of a name, IPv4 and IPv6, in the order in which to try them. Rejects with an error whose `code`
 * says why there is none. The signal cancels the lookup.
 */
export type Resolver = (hostname: string, signal?: AbortSignal) => Promise<readonly string[]>;

/** Which servers to ask, and for how long. */
export interface NameServerOptions {
  /** `address:port` of the servers to ask; by default those in the machine's resolv.conf. */
  servers?: readonly string[];
  /** Milliseconds for a whole lookup. */
  limitMs?: number;
}

/** Milliseconds until a server is asked again. The second try waits twice as long, so both fit into the limit. */
const FIRST_TRY_MS = 1_000;
const TRIES = 2;

/** Milliseconds per lookup; leaves time for TCP and TLS within the five seconds that connecting may take. */
const LOOKUP_MS = 3_000;

/**
 * Asks the name servers directly. The system's resolver occupies one of the few worker threads of the process until it
 * times out, and cannot be cancelled: four names with dead servers would delay every other lookup.
 *
 * It resolves full names only and ignores the hosts file and search domains, whose answers are private addresses.
 */
export function nameServerResolver({ servers, limitMs = LOOKUP_MS }: NameServerOptions = {}): Resolver {
  return async (hostname, signal) => {
    // One client per lookup can be cancelled alone, and each query leaves from another port, which makes forging harder.
    const client = new NameServerClient({ timeout: FIRST_TRY_MS, tries: TRIES });
    if (servers) client.setServers(servers);
    const cancel = () => client.cancel();
    const timer = setTimeout(cancel, limitMs);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled([client.resolve4(hostname), client.resolve6(hostname)]);
      const [ipv4, ipv6] = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      const addresses = alternating(ipv4 ?? [], ipv6 ?? []);
      // One kind is enough: many servers do not answer for the other, and only returned addresses are called.
      if (addresses.length === 0) throw mostSpecificError(answers);
      return addresses;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    }
  };
}

/** Asks the system, including hosts file and search domains. For receivers on a development machine. */
export const systemResolver: Resolver = async (hostname) => {
  const answers = await lookup(hostname, { all: true, verbatim: true });
  return answers.map((answer) => answer.address);
};

/** Alternates IPv4 and IPv6, so that a network without one of them soon tries the other. */
function alternating(ipv4: readonly string[], ipv6: readonly string[]): string[] {
  const longest = Math.max(ipv4.length, ipv6.length);
  return Array.from({ length: longest }, (_none, index) => [ipv4[index], ipv6[index]])
    .flat()
    .filter((address) => address !== undefined);
}

/** Why both lookups failed. "No addresses of this kind" is the least informative reason and yields to any other. */
function mostSpecificError(answers: readonly PromiseSettledResult<unknown>[]): Error {
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  const cause = errors.find((error) => errorCodeOf(error) !== 'ENODATA') ?? errors[0];
  const code = errorCodeOf(cause);
  // A cancelled lookup took too long; report it like any other timeout.
  return Object.assign(new Error('The lookup failed', { cause }), { code: code === 'ECANCELLED' ? 'ETIMEOUT' : code });
}
