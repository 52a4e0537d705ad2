import { describe, expect, it } from '@jest/globals';
import { manifestSha256 } from './certify.js';

describe('manifestSha256', () => {
  it('is the SHA-256 of the canonical form', () => {
    expect(manifestSha256({ b: 1, a: 2 })).toBe(manifestSha256({ a: 2, b: 1 }));
    expect(manifestSha256({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  });
});
