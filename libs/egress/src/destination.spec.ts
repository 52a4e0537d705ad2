import { describe, expect, it } from '@jest/globals';
import { assertNoEgressExceptionsInProduction, Destinations, parseEgressAllow } from './destination.js';

describe('Destinations', () => {
  const destinations = new Destinations({ exceptions: [{ host: 'receiver.test', port: 9443 }] });

  it('says where to connect and what to ask for', () => {
    expect(destinations.get('https://EXAMPLE.com./a/../b?c=1#d')).toEqual({
      origin: { origin: 'https://example.com.', hostname: 'example.com', port: 443, exempt: false },
      path: '/b?c=1',
    });
    expect(destinations.get('https://receiver.test:9443')).toEqual({
      origin: { origin: 'https://receiver.test:9443', hostname: 'receiver.test', port: 9443, exempt: true },
      path: '/',
    });
  });

  it('remembers what is allowed and refuses each time what is not', () => {
    const url = 'https://example.com/hook';
    expect(destinations.get(url)).toBe(destinations.get(url));
    for (let call = 0; call < 2; call++)
      expect(() => destinations.get('https://10.0.0.1/')).toThrow(expect.objectContaining({ code: 'blocked' }));
  });
});

describe('parseEgressAllow', () => {
  it.each([
    [undefined, []],
    ['', []],
    [' , ', []],
    ['127.0.0.1:9443', [{ host: '127.0.0.1', port: 9443 }]],
    ['[::1]:9443', [{ host: '::1', port: 9443 }]],
    [
      'localhost:1, receiver.test:65535',
      [
        { host: 'localhost', port: 1 },
        { host: 'receiver.test', port: 65535 },
      ],
    ],
  ])('parses %j', (text, expected) => expect(parseEgressAllow(text)).toEqual(expected));

  const WITHOUT_PORT = ['localhost', 'localhost:', ':443', 'localhost:0', 'localhost:65536'];
  it.each([...WITHOUT_PORT, '::1:443', 'https://a:443', 'a@b:443', 'a:b:1'])('rejects %j', (text) => {
    expect(() => parseEgressAllow(`ok:1,${text}`)).toThrow(/EGRESS_ALLOW/);
  });
});

it('assertNoEgressExceptionsInProduction rejects either setting in production and accepts both elsewhere', () => {
  const check = assertNoEgressExceptionsInProduction;
  expect(() => check({ profile: 'production' })).not.toThrow();
  expect(() => check({ profile: 'production', allow: ' ', caFile: '' })).not.toThrow();
  expect(() => check({ profile: 'production', allow: 'a:1' })).toThrow(/^EGRESS_ALLOW must/);
  expect(() => check({ profile: 'production', caFile: 'a' })).toThrow(/^EGRESS_CA_FILE must/);
  expect(() => check({ profile: 'production', allow: 'a:1', caFile: 'a' })).toThrow(/EGRESS_ALLOW and EGRESS_CA_FILE/);
  expect(() => check({ profile: 'development', allow: 'a:1', caFile: 'a' })).not.toThrow();
});
