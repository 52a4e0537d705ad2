import { inIpv4Range, parseIpv4 } from './ipv4.js';
import { type Ipv6Groups, inIpv6Range, parseIpv6 } from './ipv6.js';
import { GLOBAL_UNICAST_IPV6, REFUSED_IPV4, REFUSED_IPV6 } from './ranges.js';
import { ALLOWED, refuse, type Verdict } from './verdict.js';

/**
 * Whether an IP address may be called.
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

/** Whether the text is an IP address in one of the forms that {@link checkAddress} accepts. */
export function isAddress(text: string): boolean {
  return (text.includes(':') ? parseIpv6(text) : parseIpv4(text)) !== undefined;
}

function notAnAddress(): Verdict {
  return refuse('invalid_address', 'This is not an IP address');
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
