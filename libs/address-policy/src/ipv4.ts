/** An IPv4 range: the first address and the mask, both as unsigned 32-bit numbers. */
export interface Ipv4Range {
  cidr: string;
  base: number;
  mask: number;
  reason: string;
}

/**
 * Parses an IPv4 address in the four-part decimal form only (`192.0.2.1`).
 *
 * The other forms (`0x7f.1`, `017700000001`, `2130706433`) are left to the URL parser, which normalises them to
 * this one; outside a URL they are not addresses. Leading zeros are rejected because parsers disagree about
 * whether they mean octal.
 *
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
 *
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

/** Whether the address (unsigned 32-bit number) lies in the range. */
export function inIpv4Range(address: number, range: Ipv4Range): boolean {
  return (address & range.mask) >>> 0 === range.base;
}
