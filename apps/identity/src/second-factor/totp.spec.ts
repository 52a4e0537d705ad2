import { describe, expect, it } from '@jest/globals';
import { codeOf, matchingStep, stepAt } from './authenticator.service.js';

/** The secret of RFC 4226, appendix D, and of RFC 6238, appendix B, for SHA-1. */
const SECRET = Buffer.from('12345678901234567890');

describe('the codes of an authenticator', () => {
  it.each([
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ])('are those of RFC 6238, appendix B, at %d s', (seconds, code) => {
    expect(codeOf(SECRET, stepAt(seconds * 1000), 8)).toBe(code);
  });

  it('are those of RFC 4226, appendix D', () => {
    const codes = Array.from({ length: 10 }, (_, count) => codeOf(SECRET, count));
    expect(codes).toEqual('755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' '));
  });

  it('are accepted one step early and late, and not two', () => {
    const now = 1_800_000_000_000;
    const step = stepAt(now);
    const matched = [-2, -1, 0, 1, 2].map((shift) => matchingStep(SECRET, codeOf(SECRET, step + shift), now, null));
    expect(matched).toEqual([undefined, step - 1, step, step + 1, undefined]);
  });

  it('are not accepted again, nor is an earlier one', () => {
    const now = 1_800_000_000_000;
    const step = stepAt(now);
    expect(matchingStep(SECRET, codeOf(SECRET, step), now, step)).toBeUndefined();
    expect(matchingStep(SECRET, codeOf(SECRET, step - 1), now, step)).toBeUndefined();
    expect(matchingStep(SECRET, codeOf(SECRET, step + 1), now, step)).toBe(step + 1);
  });

  it.each(['', '12345', '1234567', 'abcdef', '١٢٣٤٥٦'])('are not %j', (code) => {
    expect(matchingStep(SECRET, code, 1_800_000_000_000, null)).toBeUndefined();
  });
});
