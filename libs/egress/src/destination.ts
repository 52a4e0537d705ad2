import { checkUrl, type HostPort, hostOf, isException, portOf, type UrlOptions } from '@crm/address-policy';
import { LRUCache } from 'lru-cache';
import { EgressError } from './errors.js';

/** Where connections lead. Everything that is kept between requests is kept per origin and serves no other. */
export interface Origin {
  /** Scheme, host and port as the URL parser writes them. */
  readonly origin: string;
  /** The host without brackets and trailing dot. */
  readonly hostname: string;
  readonly port: number;
  /** True when the host is an exception: its addresses are not checked, and the extra authorities are trusted for it. */
  readonly exempt: boolean;
}

/** What an allowed URL says: where to connect and what to ask for. */
interface Destination {
  readonly origin: Origin;
  readonly path: string;
}

/**
 * URLs whose verdict is remembered. A subscription is called again and again with the same URL. With the longest URLs that
 * the policy allows (2,048 characters) this is 8 MiB, with common ones less than 1.
 */
const REMEMBERED_URLS = 4096;

/**
 * Checks URLs by the policy and remembers those it allows. A verdict depends on the text and on the policy, which does not
 * change during the life of a client; names and addresses are checked later, for each socket.
 */
export class Destinations {
  private readonly allowed = new LRUCache<string, Destination>({ max: REMEMBERED_URLS });

  constructor(private readonly policy: UrlOptions) {}

  /** @throws EgressError `blocked` when the policy refuses the URL */
  get(text: string): Destination {
    const known = this.allowed.get(text);
    if (known) return known;
    const verdict = checkUrl(text, this.policy);
    if (!verdict.ok) throw new EgressError('blocked', verdict.message);
    const { url } = verdict;
    const destination = {
      origin: {
        origin: url.origin,
        hostname: hostOf(url),
        port: portOf(url),
        exempt: isException(url, this.policy.exceptions),
      },
      path: `${url.pathname}${url.search}`,
    };
    this.allowed.set(text, destination);
    return destination;
  }
}

/**
 * Parses the list of hosts and ports that a development machine may call regardless of the policy.
 * @param text `host:port` entries separated by commas or spaces, IPv6 addresses in brackets
 * @throws Error naming the first entry that is not `host:port`
 */
export function parseEgressAllow(text: string | undefined): HostPort[] {
  const entries = (text ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  return entries.map((entry) => {
    const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/@]+)):(\d{1,5})$/.exec(entry);
    const port = Number(match?.[3]);
    const host = match?.[1] ?? match?.[2];
    if (host === undefined || port < 1 || port > 65_535) {
      throw new Error(`EGRESS_ALLOW: "${entry}" is not host:port`);
    }
    return { host, port };
  });
}

export interface EgressExceptionSettings {
  profile: string;
  allow?: string | undefined;
  caFile?: string | undefined;
}

/**
 * Stops the start of a production process whose environment widens the egress policy.
 * @throws Error when the profile is `production` and either value is set
 */
export function assertNoEgressExceptionsInProduction(settings: EgressExceptionSettings): void {
  if (settings.profile !== 'production') return;
  const set = [
    ['EGRESS_ALLOW', settings.allow],
    ['EGRESS_CA_FILE', settings.caFile],
  ].filter(([, value]) => value !== undefined && value.trim() !== '');
  if (set.length > 0) {
    throw new Error(`${set.map(([name]) => name).join(' and ')} must not be set in the production profile`);
  }
}
