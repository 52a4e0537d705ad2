import { checkAddress, isAddress } from './address.js';
import { ALLOWED, refuse, type Verdict } from './verdict.js';

/** What a caller may add to the list of refused names. */
export interface HostnameOptions {
  /** Suffixes of the cluster's own names, for example `svc.cluster.acme.net`. A leading dot and case do not matter. */
  clusterSuffixes?: readonly string[];
}

/**
 * Names that never lead to a public host, alone and with anything before them: special-use names (RFC 6761,
 * 6762, 7686, 8375), `.internal` (reserved by ICANN for private use) and the customary names of private networks.
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

/** Names of cloud metadata services that the suffixes above do not cover. */
const METADATA_NAMES = [
  'metadata.goog',
  'metadata.tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
];

/** Letters, digits, hyphens inside, and the underscore that some real hosts carry; at most 63 characters (RFC 1035). */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** The longest name, without a trailing dot (RFC 1035). */
const MAX_NAME_LENGTH = 253;

/** The name as it is compared: lower case, without one trailing dot. */
export function normalizeHostname(name: string): string {
  const lower = name.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/**
 * Whether a host name may be called, judged by the name alone; its addresses are judged where they are looked up.
 *
 * @param name an ASCII name as the URL parser gives it, with or without one trailing dot; an IP address (in
 *   brackets or not) is judged as an address
 * @returns a refusal with `invalid_hostname` for what is no name, with `refused_hostname` for a private one
 */
export function checkHostname(name: string, options: HostnameOptions = {}): Verdict {
  const bare = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
  if (isAddress(bare)) return checkAddress(bare);
  const host = normalizeHostname(name);
  if (isAddress(host)) return checkAddress(host);

  const labels = host.split('.');
  if (host.length > MAX_NAME_LENGTH || !labels.every((label) => LABEL.test(label))) {
    return refuse('invalid_hostname', 'This is not a host name.');
  }
  const refused = refusedSuffix(host, options.clusterSuffixes ?? []);
  if (refused !== undefined) return refuse('refused_hostname', `${host} is not a public host (${refused}).`);
  if (labels.length === 1) {
    return refuse('refused_hostname', `${host} is not a public host (a name of a single label is local).`);
  }
  // The URL parser takes a name that ends in a number for an IPv4 address and fails; a resolver might not.
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!)) {
    return refuse('invalid_hostname', 'A host name cannot end in a number.');
  }
  return ALLOWED;
}

/** The refused name that `host` is or lies under. */
function refusedSuffix(host: string, clusterSuffixes: readonly string[]): string | undefined {
  const isUnder = (suffix: string) => host === suffix || host.endsWith(`.${suffix}`);
  const own = clusterSuffixes.map((suffix) => normalizeHostname(suffix).replace(/^\./, '')).filter((s) => s !== '');
  return REFUSED_SUFFIXES.find(isUnder) ?? METADATA_NAMES.find(isUnder) ?? own.find(isUnder);
}
