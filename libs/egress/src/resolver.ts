import { lookup, Resolver as NameServerClient } from 'node:dns/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { checkAddress, isAddress } from '@crm/address-policy';
import { LRUCache } from 'lru-cache';
import type { Origin } from './destination.js';
import { EgressError, errorCodeOf } from './errors.js';

/**
 * Looks up a name and returns its addresses if all of them may be called. One refused address refuses the whole answer:
 * a name that points to a public and a private host is either misconfigured or an attack, and the order of the answer
 * must not decide which one is called.
 * @param hostname a name, or an address, which is returned as it is
 * @param exempt whether the host is an exception, whose addresses are not checked
 * @throws EgressError `dns` when the name has no address, `blocked` when an address is refused
 */
export async function lookupChecked(
  hostname: string,
  resolver: Resolver,
  { exempt, signal }: { exempt: boolean; signal?: AbortSignal },
): Promise<readonly string[]> {
  const addresses = isAddress(hostname) ? [hostname] : await resolve(hostname, resolver, signal);
  if (addresses.length === 0) throw new EgressError('dns', 'The host name has no address');
  for (const address of addresses) {
    const verdict = checkAddress(address);
    if (verdict.ok || (exempt && verdict.code === 'refused_address')) continue;
    throw new EgressError('blocked', 'The host name resolves to an address that is not public');
  }
  return addresses;
}

async function resolve(hostname: string, resolver: Resolver, signal?: AbortSignal): Promise<readonly string[]> {
  try {
    return await resolver(hostname, signal);
  } catch (error) {
    const code = errorCodeOf(error);
    throw new EgressError('dns', `The host name could not be looked up${code && ` (${code})`}`, { cause: error });
  }
}

/**
 * Returns all addresses of a name, IPv4 and IPv6, in the order in which to try them. Rejects with an error whose `code`
 * says why there is none. The signal cancels the lookup.
 */
export type Resolver = (hostname: string, signal?: AbortSignal) => Promise<readonly string[]>;

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

/** Milliseconds for which IPv6 addresses are waited for when IPv4 ones are there: some servers never answer for them (RFC 8305, section 3). */
const RESOLUTION_DELAY_MS = 50;

/**
 * Asks the name servers directly. The system's resolver occupies one of the few worker threads of the process until it
 * times out, and cannot be cancelled: four names with dead servers would delay every other lookup.
 * It resolves full names only and ignores the hosts file and search domains, whose answers are private addresses.
 */
export function nameServerResolver({ servers, limitMs = LOOKUP_MS }: NameServerOptions = {}): Resolver {
  return (hostname, signal) =>
    asking({ servers, limitMs }, signal, async (client) => {
      const asked = [client.resolve4(hostname), client.resolve6(hostname)] as const;
      const both = Promise.allSettled(asked);
      const enough = asked[0].then(
        () => pause(RESOLUTION_DELAY_MS),
        () => both,
      );
      await Promise.race([both, enough]);
      client.cancel();
      const answers = await both;
      const [ipv4, ipv6] = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      const addresses = alternating(ipv4 ?? [], ipv6 ?? []);
      // One kind is enough: many servers do not answer for the other, and only returned addresses are called.
      if (addresses.length === 0) throw mostSpecificError(answers);
      return addresses;
    });
}

/** Asks with a client of its own: it can be cancelled alone, and leaves from another port, which makes forging harder. */
async function asking<Answer>(
  { servers, limitMs }: NameServerOptions,
  signal: AbortSignal | undefined,
  ask: (client: NameServerClient) => Promise<Answer>,
): Promise<Answer> {
  const client = new NameServerClient({ timeout: FIRST_TRY_MS, tries: TRIES });
  if (servers) client.setServers(servers);
  const cancel = () => client.cancel();
  const timer = setTimeout(cancel, limitMs);
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    return await ask(client);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
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

type Lookup = (origin: Origin, signal: AbortSignal) => Promise<readonly string[]>;

/** Milliseconds for which an answer serves new sockets to the same origin; a burst of sockets then costs one lookup. */
export const REUSE_MS = 1_000;

/** Origins whose answer is remembered; more than can be called within {@link REUSE_MS}. */
const REMEMBERED_ORIGINS = 4096;

interface LookupInProgress {
  readonly answer: Promise<readonly string[]>;
  readonly cancelling: AbortController;
  waiting: number;
}

/**
 * Lookups of one origin at the same time are one, and its answer is reused for a moment. What is reused are addresses that
 * were checked, not a name, and the peer of each socket is checked again: so the reuse cannot lead anywhere where the lookup
 * itself did not lead.
 */
export class SharedLookups {
  private readonly inProgress = new Map<string, LookupInProgress>();
  private readonly answers: LRUCache<string, { addresses: readonly string[]; at: number }>;

  /** @param reuseMs 0 to look up each time */
  constructor(
    private readonly lookup: Lookup,
    private readonly reuseMs: number,
  ) {
    this.answers = new LRUCache({ max: REMEMBERED_ORIGINS });
  }

  /**
   * @param signal ends the wait; the lookup itself is cancelled when nobody waits for it any longer
   * @throws EgressError of the lookup, or `connect` when the signal ended the wait
   */
  async addressesOf(origin: Origin, signal: AbortSignal): Promise<readonly string[]> {
    const known = this.answers.get(origin.origin);
    if (known && performance.now() - known.at < this.reuseMs) return known.addresses;
    const lookup = this.inProgress.get(origin.origin) ?? this.start(origin);
    lookup.waiting += 1;
    try {
      return await unlessAborted(lookup.answer, signal);
    } catch (error) {
      // The client notes in an error how its call ended, so calls must not share one.
      throw error instanceof EgressError ? new EgressError(error.code, error.message, { cause: error }) : error;
    } finally {
      lookup.waiting -= 1;
      if (lookup.waiting === 0) this.end(origin, lookup);
    }
  }

  /** Forgets the answer, because no socket could be opened with it. */
  forget(origin: Origin): void {
    this.answers.delete(origin.origin);
  }

  private start(origin: Origin): LookupInProgress {
    const cancelling = new AbortController();
    const answer = this.lookup(origin, cancelling.signal).then((addresses) => {
      if (this.reuseMs > 0) this.answers.set(origin.origin, { addresses, at: performance.now() });
      return addresses;
    });
    const lookup = { answer, cancelling, waiting: 0 };
    this.inProgress.set(origin.origin, lookup);
    return lookup;
  }

  private end(origin: Origin, lookup: LookupInProgress): void {
    if (this.inProgress.get(origin.origin) === lookup) this.inProgress.delete(origin.origin);
    lookup.cancelling.abort();
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new EgressError('connect', 'The call was cancelled'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/**
 * Returns the TXT records of a name, each as one text; empty when it has none. Rejects when no name server said so: anyone who
 * asks must not take a failed lookup for a missing record.
 */
export type TextResolver = (name: string) => Promise<readonly string[]>;

/** What name servers say of a name without such records. */
const ABSENT = ['ENODATA', 'ENOTFOUND'];

/** Asks the name servers directly, for the reasons that decision record 0026 gives for addresses. */
export function nameServerTextResolver({ servers, limitMs = LOOKUP_MS }: NameServerOptions = {}): TextResolver {
  return async (name) => {
    try {
      const records = await asking({ servers, limitMs }, undefined, (client) => client.resolveTxt(name));
      // A record longer than 255 bytes comes in pieces (RFC 1035, section 3.3.14).
      return records.map((pieces) => pieces.join(''));
    } catch (error) {
      if (ABSENT.includes(errorCodeOf(error))) return [];
      throw error;
    }
  };
}
