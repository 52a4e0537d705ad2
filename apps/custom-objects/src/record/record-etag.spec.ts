import { describe, expect, it } from '@jest/globals';
import { expectedVersion } from './record-etag.js';

describe('If-Match', () => {
  it.each([
    ['"3"', 3],
    ['W/"3"', 3],
    ['"12.2026-11-21.Europe/Berlin"', 12],
    [' "7" ', 7],
  ])('reads the version of %s', (header, version) => {
    expect(expectedVersion(header)).toBe(version);
  });

  it('asks for nothing without a header or with *', () => {
    expect(expectedVersion(undefined)).toBeNull();
    expect(expectedVersion('*')).toBeNull();
  });

  it.each(['3', '"0"', '"abc"', '"1", "2"', ''])('refuses %s', (header) => {
    expect(() => expectedVersion(header)).toThrow(expect.objectContaining({ code: 'MALFORMED_REQUEST' }));
  });
});
