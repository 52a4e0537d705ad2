import { describe, expect, it } from '@jest/globals';
import { entityTag, parseIfMatch, requireMatch } from './route.decorators.js';

describe('an entity tag', () => {
  it('contains the version, and what else the representation depends on', () => {
    expect(entityTag(3)).toBe('"3"');
    expect(entityTag(3, '2026-11-21', 'Europe/Berlin')).toBe('"3.2026-11-21.Europe/Berlin"');
    expect(parseIfMatch(entityTag(3, '2026-11-21', 'Europe/Berlin'))).toEqual(new Set([3]));
  });
});

describe('If-Match', () => {
  it.each([undefined, '*', ' * ', '"3"', ' "3" ', '"1", "3"', '"1","3"', ',"3",', '"a,b", "3"', 'W/"1", "3"', '"3.x"'])(
    '%j matches version 3',
    (header) => {
      expect(() => requireMatch(parseIfMatch(header), 3)).not.toThrow();
    },
  );

  it.each(['"2"', '"33"', 'W/"3"', '"03"', '"0"', '"abc"', '""', '"1", "2"', '"x.3"', '"1,3"', '"*"', '"30000000003"'])(
    '%j does not match version 3',
    (header) => {
      const expected = parseIfMatch(header);
      expect(() => requireMatch(expected, 3)).toThrow(expect.objectContaining({ code: 'VERSION_MISMATCH' }));
    },
  );

  it.each([
    ...['', ' ', ',', '3', '"3', '3"', '"1" "3"', '"1, 3"', '"1"; "3"'],
    ...['*, "3"', 'w/"3"', 'W/ "3"', '""3""', "'3'", '"\t"'],
  ])('%j is malformed', (header) => {
    expect(() => parseIfMatch(header)).toThrow(expect.objectContaining({ code: 'MALFORMED_REQUEST' }));
  });

  it('is parsed in linear time', () => {
    expect(parseIfMatch('"1",'.repeat(4000))).toEqual(new Set([1]));
    expect(() => parseIfMatch(`${' '.repeat(15_000)}x`)).toThrow();
  });
});
