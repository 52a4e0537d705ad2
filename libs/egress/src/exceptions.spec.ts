import { describe, expect, it } from '@jest/globals';
import { assertNoEgressExceptionsInProduction, parseEgressAllow } from './destination.js';

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
  ])('parses %j', (text, expected) => {
    expect(parseEgressAllow(text)).toEqual(expected);
  });

  it.each([
    'localhost',
    'localhost:',
    ':443',
    'localhost:0',
    'localhost:65536',
    '::1:443',
    'https://a:443',
    'a@b:443',
    'a:b:1',
  ])('rejects %j', (text) => {
    expect(() => parseEgressAllow(`ok:1,${text}`)).toThrow(/EGRESS_ALLOW/);
  });
});

describe('assertNoEgressExceptionsInProduction', () => {
  it('rejects either setting in production and accepts both elsewhere', () => {
    const check = assertNoEgressExceptionsInProduction;
    expect(() => check({ profile: 'production' })).not.toThrow();
    expect(() => check({ profile: 'production', allow: ' ', caFile: '' })).not.toThrow();
    expect(() => check({ profile: 'production', allow: 'a:1' })).toThrow(/^EGRESS_ALLOW must/);
    expect(() => check({ profile: 'production', caFile: 'a' })).toThrow(/^EGRESS_CA_FILE must/);
    expect(() => check({ profile: 'production', allow: 'a:1', caFile: 'a' })).toThrow(
      /EGRESS_ALLOW and EGRESS_CA_FILE/,
    );
    expect(() => check({ profile: 'development', allow: 'a:1', caFile: 'a' })).not.toThrow();
  });
});
