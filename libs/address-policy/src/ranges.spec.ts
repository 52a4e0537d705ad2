import { describe, expect, it } from '@jest/globals';
import { inIpv4Range, inIpv6Range, ipv4Range, ipv6Range, parseIpv4, parseIpv6 } from './address.js';

describe('ranges', () => {
  it.each(['10.0.0.0', '0.0.0.0/33', '10.0.0.0/x', '10.0.0.1/8', '10.0.0/8', '::/0', '10.0.0.0/'])(
    'rejects %s as an IPv4 range',
    (cidr) => {
      expect(() => ipv4Range(cidr, '')).toThrow(RangeError);
    },
  );

  it.each(['2000::', '::/129', '2000::/x', '2000::1/3', '2001:db8:1::/32', '10.0.0.0/8', '::/'])(
    'rejects %s as an IPv6 range',
    (cidr) => {
      expect(() => ipv6Range(cidr, '')).toThrow(RangeError);
    },
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

  it.each<[string, number[] | undefined]>([
    ['::', [0, 0, 0, 0, 0, 0, 0, 0]],
    ['1::2', [1, 0, 0, 0, 0, 0, 0, 2]],
    ['1:2:3:4:5:6:7::', [1, 2, 3, 4, 5, 6, 7, 0]],
    ['1::3:4:5:6:7:8', [1, 0, 3, 4, 5, 6, 7, 8]],
    ['::1.2.3.4', [0, 0, 0, 0, 0, 0, 0x0102, 0x0304]],
    ['1:2:3:4:5:6:7::8', undefined],
    ['1::2::3', undefined],
    ['1:2:3:4:5:6:7', undefined],
    ['::1:2.3.4.5:6', undefined],
  ])('parses %s as IPv6', (text, groups) => {
    expect(parseIpv6(text)).toEqual(groups);
  });

  it.each<[string, number | undefined]>([
    ['1.2.3.4', 0x01020304],
    ['0.0.0.9', 9],
    ['255.255.255.255', 0xffffffff],
    ['1.2.3:4', undefined],
    ['1.2.3.:', undefined],
    ['1.2.3./', undefined],
    ['1.2.3.4.5', undefined],
    ['1.2.3', undefined],
    ['1.2.3.', undefined],
    ['1.2.3.04', undefined],
    ['1.2.3.256', undefined],
  ])('parses %s as IPv4', (text, address) => {
    expect(parseIpv4(text)).toBe(address);
  });
});
