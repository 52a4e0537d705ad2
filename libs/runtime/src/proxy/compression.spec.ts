import { describe, expect, it } from '@jest/globals';
import { acceptsGzip, isCompressible } from './exchange.js';

describe('compression', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['identity', false],
    ['gzip', true],
    ['br;q=1.0, GZIP;q=0.5', true],
    ['gzip;q=0', false],
    ['gzip;q=0.000, br', false],
    ['*', true],
    ['*;q=0', false],
    ['xgzip', false],
  ])('is understood by a client that sends %p: %p', (header, accepted) => {
    expect(acceptsGzip(header)).toBe(accepted);
  });

  it('is for JSON of some length without an entity tag', () => {
    const json = { 'content-type': 'application/json; charset=utf-8' };
    expect(isCompressible(200, json, 4096)).toBe(true);
    expect(isCompressible(200, json, 4095)).toBe(false);
    expect(isCompressible(404, json, 9000)).toBe(false);
    expect(isCompressible(200, { ...json, etag: '"1"' }, 9000)).toBe(false);
    expect(isCompressible(200, { ...json, 'content-encoding': 'br' }, 9000)).toBe(false);
    expect(isCompressible(200, { 'content-type': 'text/csv' }, 9000)).toBe(false);
  });
});
