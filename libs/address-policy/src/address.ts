/** Why a host name, an address or a URL is refused. */
export type RefusalCode =
  | 'invalid_address'
  | 'refused_address'
  | 'invalid_hostname'
  | 'refused_hostname'
  | 'invalid_url'
  | 'url_too_long'
  | 'not_https'
  | 'has_userinfo'
  | 'refused_port';

/** A refusal. The message is a sentence without a full stop that may be shown to the one who entered the URL. */
export interface Refusal {
  ok: false;
  code: RefusalCode;
  message: string;
}

export type Verdict = { ok: true } | Refusal;

export function refuse(code: RefusalCode, message: string): Refusal {
  return { ok: false, code, message };
}

export const ALLOWED: Verdict = Object.freeze({ ok: true });

/** An IPv4 range: the first address and the mask, both as unsigned 32-bit numbers. */
interface Ipv4Range {
  cidr: string;
  base: number;
  mask: number;
  reason: string;
}

/**
 * Parses an IPv4 address in the four-part decimal form only (`192.0.2.1`). The other forms (`0x7f.1`, `017700000001`,
 * `2130706433`) are left to the URL parser, which normalises them to this one; outside a URL they are not addresses.
 * Leading zeros are rejected because parsers disagree about whether they mean octal.
 * @returns the address as an unsigned 32-bit number, or undefined when the text is not one
 */
export function parseIpv4(text: string): number | undefined {
  let value = 0;
  let part = -1;
  let parts = 0;
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : 0x2e;
    if (code === 0x2e) {
      if (part < 0 || parts === 4) return undefined;
      value = value * 256 + part;
      parts++;
      part = -1;
    } else if (code >= 0x30 && code <= 0x39) {
      if (part === 0) return undefined;
      part = (part < 0 ? 0 : part * 10) + (code - 0x30);
      if (part > 255) return undefined;
    } else {
      return undefined;
    }
  }
  return parts === 4 ? value : undefined;
}

/**
 * Creates a range from its CIDR notation.
 * @throws RangeError when the notation is malformed or the base has bits outside the mask
 */
export function ipv4Range(cidr: string, reason: string): Ipv4Range {
  const [address = '', length = ''] = cidr.split('/');
  const base = parseIpv4(address);
  const bits = Number(length);
  if (base === undefined || !/^\d+$/.test(length) || bits > 32) throw new RangeError(`not an IPv4 range: ${cidr}`);
  const mask = bits === 0 ? 0 : (0xffffffff << (32 - bits)) >>> 0;
  if ((base & mask) >>> 0 !== base) throw new RangeError(`not the first address of the range: ${cidr}`);
  return { cidr, base, mask, reason };
}

export function inIpv4Range(address: number, range: Ipv4Range): boolean {
  return (address & range.mask) >>> 0 === range.base;
}

/** An IPv6 address: its eight 16-bit groups. */
type Ipv6Groups = readonly number[];

/** An IPv6 range: the groups of its first address and the length of its prefix in bits. */
interface Ipv6Range {
  cidr: string;
  groups: Ipv6Groups;
  bits: number;
  reason: string;
}

const GROUP = /^[0-9a-fA-F]{1,4}$/;

/** Parses one side of `::`; undefined when it is malformed. A dotted IPv4 address may replace the last two groups. */
function parseSide(text: string, mayEndInIpv4: boolean): number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: number[] = [];
  for (const [i, part] of parts.entries()) {
    if (GROUP.test(part)) {
      groups.push(Number.parseInt(part, 16));
    } else {
      const ipv4 = mayEndInIpv4 && i === parts.length - 1 ? parseIpv4(part) : undefined;
      if (ipv4 === undefined) return undefined;
      groups.push(ipv4 >>> 16, ipv4 & 0xffff);
    }
  }
  return groups;
}

/**
 * Parses an IPv6 address in any of the forms of RFC 4291 2.2, without brackets. A zone (`fe80::1%eth0`) is rejected: it
 * only has a meaning on this machine.
 * @returns the eight groups, or undefined when the text is not an address
 */
export function parseIpv6(text: string): Ipv6Groups | undefined {
  // The longest form: six groups of four digits, colons and a dotted IPv4 address.
  if (text.length > 45) return undefined;
  const gap = text.indexOf('::');
  if (gap < 0) {
    const groups = parseSide(text, true);
    return groups?.length === 8 ? groups : undefined;
  }
  const head = parseSide(text.slice(0, gap), false);
  const tail = parseSide(text.slice(gap + 2), true);
  if (!head || !tail) return undefined;
  const missing = 8 - head.length - tail.length;
  return missing < 1 ? undefined : [...head, ...new Array<number>(missing).fill(0), ...tail];
}

/**
 * Creates a range from its CIDR notation.
 * @throws RangeError when the notation is malformed or the base has bits outside the prefix
 */
export function ipv6Range(cidr: string, reason: string): Ipv6Range {
  const [address = '', length = ''] = cidr.split('/');
  const groups = parseIpv6(address);
  const bits = Number(length);
  if (!groups || !/^\d+$/.test(length) || bits > 128) throw new RangeError(`not an IPv6 range: ${cidr}`);
  const first = groups.every((group, i) => (group & ~groupMask(bits, i) & 0xffff) === 0);
  if (!first) throw new RangeError(`not the first address of the range: ${cidr}`);
  return { cidr, groups, bits, reason };
}

/** The bits of group `i` that a prefix of this length covers. */
function groupMask(bits: number, i: number): number {
  const covered = Math.min(16, Math.max(0, bits - 16 * i));
  return (0xffff << (16 - covered)) & 0xffff;
}

export function inIpv6Range(address: Ipv6Groups, range: Ipv6Range): boolean {
  for (let i = 0; i * 16 < range.bits; i++) {
    if (((address[i]! ^ range.groups[i]!) & groupMask(range.bits, i)) !== 0) return false;
  }
  return true;
}

/**
 * IPv4 ranges that must not be called: everything that the IANA IPv4 special-purpose registry (RFC 6890 and
 * its successors) does not mark as globally reachable, the anycast services in that registry, multicast, and
 * the address of Azure's host agent.
 */
export const REFUSED_IPV4 = [
  ipv4Range('0.0.0.0/8', 'this network (RFC 791)'),
  ipv4Range('10.0.0.0/8', 'private (RFC 1918)'),
  ipv4Range('100.64.0.0/10', 'shared address space of carriers (RFC 6598)'),
  ipv4Range('127.0.0.0/8', 'loopback (RFC 1122)'),
  ipv4Range('169.254.0.0/16', 'link-local, cloud metadata (RFC 3927)'),
  ipv4Range('172.16.0.0/12', 'private (RFC 1918)'),
  ipv4Range('192.0.0.0/24', 'IETF protocol assignments (RFC 6890)'),
  ipv4Range('192.0.2.0/24', 'documentation (RFC 5737)'),
  ipv4Range('192.31.196.0/24', 'AS112 (RFC 7535)'),
  ipv4Range('192.52.193.0/24', 'AMT (RFC 7450)'),
  ipv4Range('192.88.99.0/24', '6to4 relay anycast (RFC 7526)'),
  ipv4Range('192.168.0.0/16', 'private (RFC 1918)'),
  ipv4Range('192.175.48.0/24', 'AS112 (RFC 7534)'),
  ipv4Range('198.18.0.0/15', 'benchmarking (RFC 2544)'),
  ipv4Range('198.51.100.0/24', 'documentation (RFC 5737)'),
  ipv4Range('203.0.113.0/24', 'documentation (RFC 5737)'),
  ipv4Range('224.0.0.0/4', 'multicast (RFC 5771)'),
  ipv4Range('240.0.0.0/4', 'reserved and broadcast (RFC 1112, RFC 8190)'),
  ipv4Range('168.63.129.16/32', 'host agent of the Azure platform'),
];

/**
 * The only IPv6 range that may be called: global unicast as allocated so far (RFC 4291). Loopback, unique local,
 * link-local, multicast, IPv4-mapped and NAT64 addresses all lie outside it.
 */
export const GLOBAL_UNICAST_IPV6 = ipv6Range('2000::/3', 'global unicast (RFC 4291)');

/** Special-purpose ranges inside the global unicast range (IANA IPv6 special-purpose registry). */
export const REFUSED_IPV6 = [
  ipv6Range('2001::/23', 'IETF protocol assignments, Teredo among them (RFC 2928, RFC 4380)'),
  ipv6Range('2001:db8::/32', 'documentation (RFC 3849)'),
  ipv6Range('2002::/16', '6to4, which carries an IPv4 address (RFC 3056)'),
  ipv6Range('2620:4f:8000::/48', 'AS112 (RFC 7534)'),
  ipv6Range('3fff::/20', 'documentation (RFC 9637)'),
];

/**
 * Returns whether an IP address may be called.
 *
 * @param ip an IPv4 address in four decimal parts or an IPv6 address without brackets and zone, as returned by DNS,
 *   `socket.remoteAddress` or a parsed URL
 * @returns a refusal with `invalid_address` when the text is not such an address, with `refused_address` when the
 *   address is not public
 */
export function checkAddress(ip: string): Verdict {
  if (ip.includes(':')) {
    const groups = parseIpv6(ip);
    return groups ? checkIpv6(ip, groups) : notAnAddress();
  }
  const address = parseIpv4(ip);
  return address === undefined ? notAnAddress() : checkIpv4(ip, address);
}

/** Returns whether the text is an IP address in one of the forms that {@link checkAddress} accepts. */
export function isAddress(text: string): boolean {
  return (text.includes(':') ? parseIpv6(text) : parseIpv4(text)) !== undefined;
}

function notAnAddress(): Verdict {
  return refuse('invalid_address', 'Not an IP address');
}

function checkIpv4(ip: string, address: number): Verdict {
  for (const range of REFUSED_IPV4) {
    if (inIpv4Range(address, range)) return refusedAddress(ip, `${range.cidr}, ${range.reason}`);
  }
  return ALLOWED;
}

function checkIpv6(ip: string, groups: Ipv6Groups): Verdict {
  if (!inIpv6Range(groups, GLOBAL_UNICAST_IPV6)) return refusedAddress(ip, 'outside 2000::/3, global unicast');
  for (const range of REFUSED_IPV6) {
    if (inIpv6Range(groups, range)) return refusedAddress(ip, `${range.cidr}, ${range.reason}`);
  }
  return ALLOWED;
}

function refusedAddress(ip: string, reason: string): Verdict {
  return refuse('refused_address', `The address ${ip} is not public (${reason})`);
}
