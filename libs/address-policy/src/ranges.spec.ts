import { describe, expect, it } from '@jest/globals';
import { ipv4Range } from './ipv4.js';
import { ipv6Range } from './ipv6.js';

describe('ranges', () => {
  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/x', '10.0.0.1/8', '10.0.0/8', '::/0', '10.0.0.0/'])(
    'refuses %s as an IPv4 range',
    (cidr) => {
      expect(() => ipv4Range(cidr, '')).toThrow(RangeError);
    },
  );

  it.each(['2000::', '2000::/129', '2000::/x', '2000::1/3', '2001:db8:1::/32', '10.0.0.0/8', '::/'])(
    'refuses %s as an IPv6 range',
    (cidr) => {
      expect(() => ipv6Range(cidr, '')).toThrow(RangeError);
    },
  );

  it('takes the whole space as a range', () => {
    expect(ipv4Range('0.0.0.0/0', '')).toMatchObject({ base: 0, mask: 0 });
    expect(ipv6Range('::/0', '')).toMatchObject({ bits: 0 });
  });
});
