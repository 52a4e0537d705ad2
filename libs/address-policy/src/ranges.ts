import { ipv4Range } from './ipv4.js';
import { ipv6Range } from './ipv6.js';

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
