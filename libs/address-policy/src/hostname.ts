import { ALLOWED, checkAddress, isAddress, refuse, type Verdict } from './address.js';

/** Names that a caller refuses in addition to the built-in list. */
export interface HostnameOptions {
  /** Suffixes of cluster-internal names, for example `svc.cluster.acme.net`. A leading dot and case do not matter. */
  clusterSuffixes?: readonly string[];
}

/**
 * Names that never lead to a public host, by themselves or as a suffix: special-use names (RFC 6761, 6762, 7686,
 * 8375), `.internal` (reserved by ICANN for private use) and names that are customary in private networks.
 */
const REFUSED_SUFFIXES = [
  'localhost',
  'local',
  'internal',
  'intranet',
  'lan',
  'home.arpa',
  'corp',
  'onion',
  'test',
  'invalid',
  'example',
];

/** Names of cloud metadata services that are not covered by the suffixes above. */
const METADATA_NAMES = [
  'metadata.goog',
  'metadata.tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
];

/** Letters, digits, inner hyphens, and the underscore that some real hosts use; at most 63 characters (RFC 1035). */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Longest name, without a trailing dot (RFC 1035). */
const MAX_NAME_LENGTH = 253;

/** The name in the form used for comparisons: lower case, without one trailing dot. */
export function normalizeHostname(name: string): string {
  const lower = name.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/**
 * Returns whether a host name may be called, as far as the name alone can say; its addresses are checked after the lookup.
 *
 * @param name an ASCII name as the URL parser returns it, with or without one trailing dot; an IP address (in
 *   brackets or not) is checked as an address
 * @returns a refusal with `invalid_hostname` when it is not a host name, with `refused_hostname` when it is private
 */
export function checkHostname(name: string, options: HostnameOptions = {}): Verdict {
  const bare = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
  if (isAddress(bare)) return checkAddress(bare);
  const host = normalizeHostname(name);
  if (isAddress(host)) return checkAddress(host);

  const labels = host.split('.');
  if (host.length > MAX_NAME_LENGTH || !labels.every((label) => LABEL.test(label))) {
    return refuse('invalid_hostname', 'Not a host name');
  }
  const refused = refusedSuffix(host, options.clusterSuffixes ?? []);
  if (refused !== undefined) return refuse('refused_hostname', `${host} is not a public host (${refused})`);
  if (labels.length === 1) {
    return refuse('refused_hostname', `${host} is not a public host (single-label names are local)`);
  }
  // The URL parser treats a name that ends in a number as an IPv4 address and fails; a resolver might not.
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!)) {
    return refuse('invalid_hostname', "A host name can't end in a number");
  }
  return ALLOWED;
}

function refusedSuffix(host: string, clusterSuffixes: readonly string[]): string | undefined {
  const isUnder = (suffix: string) => host === suffix || host.endsWith(`.${suffix}`);
  const own = clusterSuffixes.map((suffix) => normalizeHostname(suffix).replace(/^\./, '')).filter((s) => s !== '');
  return REFUSED_SUFFIXES.find(isUnder) ?? METADATA_NAMES.find(isUnder) ?? own.find(isUnder);
}
