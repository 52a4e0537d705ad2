import { lookup, Resolver as NameServerClient } from 'node:dns/promises';
import { errorCodeOf } from './errors.js';

/**
 * Gives all addresses of a name, IPv4 and IPv6, in the order in which they are to be tried. Rejects with an error whose
 * `code` says why there is none. When the signal aborts nobody waits for the answer any more.
 */
export type Resolver = (hostname: string, signal?: AbortSignal) => Promise<readonly string[]>;

/** Where and how long to ask. */
export interface NameServerOptions {
  /** `address:port` of the servers to ask; those of the machine's resolv.conf when left out. */
  servers?: readonly string[];
  /** Milliseconds for a whole lookup. */
  limitMs?: number;
}

/** Milliseconds until a server is asked again; the second round waits twice as long, so that both fit into the limit. */
const FIRST_TRY_MS = 1_000;
const TRIES = 2;

/** Milliseconds. Leaves TCP and TLS their share of the five seconds that connecting may take. */
const LOOKUP_MS = 3_000;

/**
 * Asks the name servers by sockets of its own. The system's resolver holds one of the few worker threads of the process
 * until it gives up, and cannot be told to stop: four names with dead servers would hold up everybody else's lookups.
 *
 * It knows full names only: neither the hosts file nor search domains are asked, whose answers are private ones.
 */
export function nameServerResolver({ servers, limitMs = LOOKUP_MS }: NameServerOptions = {}): Resolver {
  return async (hostname, signal) => {
    // One for each lookup: it can be cancelled alone, and each question leaves from another port, which is harder to forge.
    const client = new NameServerClient({ timeout: FIRST_TRY_MS, tries: TRIES });
    if (servers) client.setServers(servers);
    const cancel = () => client.cancel();
    const timer = setTimeout(cancel, limitMs);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled([client.resolve4(hostname), client.resolve6(hostname)]);
      const [ipv4, ipv6] = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      const addresses = alternating(ipv4 ?? [], ipv6 ?? []);
      // One kind is enough: many servers fail to answer for the other, and only what was answered is ever called.
      if (addresses.length === 0) throw mostTelling(answers);
      return addresses;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    }
  };
}

/** Asks the system: hosts file, search domains and all. For a development machine's own receivers. */
export const systemResolver: Resolver = async (hostname) => {
  const answers = await lookup(hostname, { all: true, verbatim: true });
  return answers.map((answer) => answer.address);
};

/** IPv4 and IPv6 by turns, so that a network without one of them soon comes to the other. */
function alternating(ipv4: readonly string[], ipv6: readonly string[]): string[] {
  const longest = Math.max(ipv4.length, ipv6.length);
  return Array.from({ length: longest }, (_none, index) => [ipv4[index], ipv6[index]])
    .flat()
    .filter((address) => address !== undefined);
}

/** The reason why both failed: that a name has no addresses of one kind tells less than any other. */
function mostTelling(answers: readonly PromiseSettledResult<unknown>[]): Error {
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  const cause = errors.find((error) => errorCodeOf(error) !== 'ENODATA') ?? errors[0];
  const code = errorCodeOf(cause);
  // What was cancelled took too long, in the words of the other case of it.
  return Object.assign(new Error('The lookup failed', { cause }), { code: code === 'ECANCELLED' ? 'ETIMEOUT' : code });
}
