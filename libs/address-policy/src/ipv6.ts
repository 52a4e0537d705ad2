import { parseIpv4 } from './ipv4.js';

/** An IPv6 address: its eight 16-bit groups. */
export type Ipv6Groups = readonly number[];

/** An IPv6 range: the groups of its first address and the length of its prefix in bits. */
export interface Ipv6Range {
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
 * Parses an IPv6 address in any of the forms of RFC 4291 2.2, without brackets. A zone (`fe80::1%eth0`) is
 * rejected: it only has a meaning on this machine.
 *
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
 *
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

/** Whether the address lies in the range. */
export function inIpv6Range(address: Ipv6Groups, range: Ipv6Range): boolean {
  for (let i = 0; i * 16 < range.bits; i++) {
    if (((address[i]! ^ range.groups[i]!) & groupMask(range.bits, i)) !== 0) return false;
  }
  return true;
}
