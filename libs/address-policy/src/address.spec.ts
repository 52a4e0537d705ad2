import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { checkAddress, inIpv4Range, inIpv6Range, ipv4Range, ipv6Range, parseIpv4, parseIpv6 } from './address.js';

/** The policy written a second time, with another library's parser and matcher. */
const REFUSED_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  '168.63.129.16/32',
].map((cidr) => ipaddr.IPv4.parseCIDR(cidr));
const REFUSED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map((cidr) =>
  ipaddr.IPv6.parseCIDR(cidr),
);
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** The first and last address of each range are refused, their outer neighbours are not (unless `null`). */
const IPV4_EDGES: [cidr: string, before: string | null, first: string, last: string, after: string | null][] = [
  ['0/8', null, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['10/8', '9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.64/10', '100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['127/8', '126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['169.254/16', '169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.16/12', '172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['192.0.0/24', '191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.2/24', '192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.31.196/24', '192.31.195.255', '192.31.196.0', '192.31.196.255', '192.31.197.0'],
  ['192.52.193/24', '192.52.192.255', '192.52.193.0', '192.52.193.255', '192.52.194.0'],
  ['192.88.99/24', '192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.168/16', '192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['192.175.48/24', '192.175.47.255', '192.175.48.0', '192.175.48.255', '192.175.49.0'],
  ['198.18/15', '198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.100/24', '198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.113/24', '203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['224/4 and 240/4', '223.255.255.255', '224.0.0.0', '255.255.255.255', null],
  ['224/4', null, '224.0.0.0', '239.255.255.255', null],
  ['168.63.129.16', '168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
];

const ONES = ':ffff'.repeat(6);
const IPV6_EDGES: typeof IPV4_EDGES = [
  ['below 2000::/3', null, '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
  ['2001::/23', `2000:ffff${ONES}`, '2001::', `2001:1ff${ONES}`, '2001:200::'],
  ['2001:db8::/32', '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db8::', '2001:db8:ffff::1', '2001:db9::'],
  ['2002::/16', '2001:ffff::', '2002::', '2002:ffff:ffff::', '2003::'],
  ['2620:4f:8000::/48', '2620:4f:7fff:ffff::', '2620:4f:8000::', '2620:4f:8000:ffff::', '2620:4f:8001::'],
  ['3fff::/20', '3ffe:ffff::', '3fff::', '3fff:fff:ffff::', '3fff:1000::'],
  ['above 2000::/3', '3fff:ffff::', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
];

describe('checkAddress', () => {
  it.each([...IPV4_EDGES, ...IPV6_EDGES])(
    'refuses %s and allows the addresses next to it',
    (_range, before, first, last, after) => {
      expect(checkAddress(first)).toMatchObject({ ok: false, code: 'refused_address' });
      expect(checkAddress(last)).toMatchObject({ ok: false, code: 'refused_address' });
      if (before !== null) expect(checkAddress(before)).toEqual({ ok: true });
      if (after !== null) expect(checkAddress(after)).toEqual({ ok: true });
    },
  );

  const special: Record<string, string>[] = [
    { loopback: '::1', unspecified: '::', 'link-local': 'fe80::1', 'unique local': 'fd00:ec2::254' },
    { multicast: 'ff02::1', 'IPv4-mapped private': '::ffff:10.0.0.1', 'IPv4-mapped private, in hex': '::ffff:a00:1' },
    { 'IPv4-mapped public': '::ffff:8.8.8.8', 'IPv4-compatible': '::127.0.0.1', NAT64: '64:ff9b::a00:1' },
    { 'IPv4-translated': '::ffff:0:127.0.0.1', 'local NAT64': '64:ff9b:1::a00:1', '6to4 of loopback': '2002:7f00:1::' },
    { Teredo: '2001:0:4136:e378:8000:63bf:3fff:fdd2', 'site-local': 'fec0::1', SRv6: '5f00::1', discard: '100::1' },
  ];
  it.each(special.flatMap((row) => Object.entries(row)))('refuses %s', (_name, ip) =>
    expect(checkAddress(ip)).toMatchObject({ ok: false, code: 'refused_address' }),
  );

  it.each([
    ...['1.1.1.1', '8.8.8.8', '172.15.0.1', '192.0.1.1', '2606:4700:4700::1111', '2A00:1450:4001:80E::200E'],
    ...['2001:4860:4860:0:0:0:0:8888', '2400:cb00::8.8.8.8', '2620:fe::fe'],
  ])('allows %s', (ip) => expect(checkAddress(ip)).toEqual({ ok: true }));

  it.each([
    ...['', ' ', '1.1.1', '1.1.1.1.1', '1.1.1.256', '1.1.1.01', '01.1.1.1', '1..1.1', '.1.1.1.1', '1.1.1.1.'],
    ...['1.1.1.-1', '0x1.1.1.1', '2130706433', ' 1.1.1.1', '1.1.1.1 ', '1.1.1.1\n', '١.1.1.1', '1.1.1.1/32'],
    ...['[2606:4700::1]', '2606:4700::1%eth0', '2606:4700:::1', '2606::4700::1', '2606:4700:1:2:3:4:5'],
    ...['2606:4700:1:2:3:4:5:6:7', '2606:4700:1:2:3:4:5:6::', '2606:47000::1', '2606:470g::1', ':2606:4700::1'],
    ...['2606:4700::1:', '2606:4700:1.1.1.1::', '2606:4700::1.1.1.256', '2606:4700:1:2:3:4:5:1.1.1.1', ':', ':::'],
    ...['1:2:3:4:5:6:7::8', '1::2::3', '1:2:3:4:5:6:7', '::1:2.3.4.5:6', '1.2.3:4', '1.2.3.:', '1.2.3./', '1.2.3.4.5'],
    ...['1.2.3', '1.2.3.', '1.2.3.04', '1.2.3.256', 'example.com'],
  ])('rejects %j, which is not an address', (text) => {
    expect(checkAddress(text)).toMatchObject({ ok: false, code: 'invalid_address' });
  });

  it('agrees with a second implementation on any IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        const parsed = ipaddr.IPv4.parse(ip);
        expect(checkAddress(ip).ok).toBe(!REFUSED_V4.some((range) => parsed.match(range)));
      }),
      { numRuns: 2000 },
    );
  });

  it('agrees with a second implementation on any IPv6 address in any form', () => {
    const nearTheList = fc
      .tuple(
        fc.constantFrom('2001', '2002', '2620:4f', '3fff', '2000', '2a00', '3ffe', '0', 'fe80'),
        fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 6, maxLength: 6 }),
      )
      .map(([head, tail]) => [...head.split(':'), ...tail.map((group) => group.toString(16))].slice(0, 8))
      .filter((groups) => groups.length === 8)
      .map((groups) => groups.join(':'));
    fc.assert(
      fc.property(fc.oneof(fc.ipV6(), nearTheList), (ip) => {
        const parsed = ipaddr.IPv6.parse(ip);
        const allowed = parsed.match(GLOBAL_V6) && !REFUSED_V6.some((range) => parsed.match(range));
        const forms = [ip.toUpperCase(), parsed.toString(), parsed.toNormalizedString(), parsed.toRFC5952String()];
        for (const form of [ip, ...forms]) expect(checkAddress(form).ok).toBe(allowed);
      }),
      { numRuns: 2000 },
    );
  });

  it('returns a verdict for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => expect(typeof checkAddress(text).ok).toBe('boolean')),
      { numRuns: 2000 },
    );
  });
});

describe('ranges', () => {
  it.each(['10.0.0.0', '0.0.0.0/33', '10.0.0.0/x', '10.0.0.1/8', '10.0.0/8', '::/0', '10.0.0.0/'])(
    'rejects %s as an IPv4 range',
    (cidr) => expect(() => ipv4Range(cidr, '')).toThrow(RangeError),
  );

  it.each(['2000::', '::/129', '2000::/x', '2000::1/3', '2001:db8:1::/32', '10.0.0.0/8', '::/'])(
    'rejects %s as an IPv6 range',
    (cidr) => expect(() => ipv6Range(cidr, '')).toThrow(RangeError),
  );

  it('accepts the whole address space as a range', () => {
    expect(ipv4Range('0.0.0.0/0', '')).toMatchObject({ base: 0, mask: 0 });
    expect(ipv6Range('::/0', '')).toMatchObject({ bits: 0 });
  });

  it.each<[string, string, boolean]>([
    ['10.0.0.1/32', '10.0.0.1', true],
    ['10.0.0.1/32', '10.0.0.0', false],
    ['128.0.0.0/1', '255.255.255.255', true],
    ['128.0.0.0/1', '127.255.255.255', false],
    ['0.0.0.0/0', '255.255.255.255', true],
  ])('IPv4 range %s contains %s: %p', (cidr, address, isIn) => {
    expect(inIpv4Range(parseIpv4(address)!, ipv4Range(cidr, ''))).toBe(isIn);
  });

  it.each<[string, string, boolean]>([
    ['2001:db8::1/128', '2001:db8::1', true],
    ['2001:db8::1/128', '2001:db8::2', false],
    ['2001:db8::2/127', '2001:db8::3', true],
    ['2001:db8::2/127', '2001:db8::4', false],
    ['1:2:3:4:5:6:7:0/112', '1:2:3:4:5:6:7:ffff', true],
    ['1:2:3:4:5:6:7:0/112', '1:2:3:4:5:6:6:ffff', false],
    ['::/0', 'ffff::', true],
  ])('IPv6 range %s contains %s: %p', (cidr, address, isIn) => {
    expect(inIpv6Range(parseIpv6(address)!, ipv6Range(cidr, ''))).toBe(isIn);
  });

  it('parses the longest spelling of an IPv6 address and nothing longer', () => {
    const longest = '0000:0000:0000:0000:0000:ffff:255.255.255.255';
    expect(parseIpv6(longest)).toEqual([0, 0, 0, 0, 0, 0xffff, 0xffff, 0xffff]);
    expect(parseIpv6(`${longest} `)).toBeUndefined();
  });

  it.each<[string, number[]]>([
    ['::', [0, 0, 0, 0, 0, 0, 0, 0]],
    ['1::2', [1, 0, 0, 0, 0, 0, 0, 2]],
    ['1:2:3:4:5:6:7::', [1, 2, 3, 4, 5, 6, 7, 0]],
    ['1::3:4:5:6:7:8', [1, 0, 3, 4, 5, 6, 7, 8]],
    ['::1.2.3.4', [0, 0, 0, 0, 0, 0, 0x0102, 0x0304]],
  ])('parses %s as IPv6', (text, groups) => expect(parseIpv6(text)).toEqual(groups));

  it.each<[string, number]>([
    ['1.2.3.4', 0x01020304],
    ['0.0.0.9', 9],
    ['255.255.255.255', 0xffffffff],
  ])('parses %s as IPv4', (text, address) => expect(parseIpv4(text)).toBe(address));
});
