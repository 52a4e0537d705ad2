import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from './canonical-json.js';

describe('canonical JSON', () => {
  it('does not depend on the order of keys, at any depth', () => {
    expect(canonicalJson({ b: { d: 1, c: [2, { f: 1, e: 2 }] }, a: 'x' })).toBe(
      canonicalJson({ a: 'x', b: { c: [2, { e: 2, f: 1 }], d: 1 } }),
    );
  });

  it('keeps the order of lists and the difference of types', () => {
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
    expect(canonicalJson({ a: 1 })).not.toBe(canonicalJson({ a: '1' }));
    expect(canonicalJson({ a: null })).not.toBe(canonicalJson({}));
  });
});
